package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostile is what strings and paths may hold: control sequences of 7 and 8 bits, a change of writing direction, and the
// syntax of HTML, XML, markdown and of the commands that GitHub reads from a log.
const hostile = "\x1b[31mred\x1b[0m\x07\u202e\u009b31m\u2028</script><img src=x " +
	"onerror=alert(1)>&'`t`|[a](javascript:b)::set-output name=x::y%0A]]>-->"

// hostileModule has it wherever HLO text takes a string, and something for every rule and report to say.
var hostileModule = strings.ReplaceAll(
	`HloModule m, is_scheduled=true, entry_computation_layout={(f32[100000,3]{1,0})->f32[3,100000]{1,0}},
frontend_attributes={a="HOSTILE"}

FileNames
1 "HOSTILE"

FunctionNames
1 "HOSTILE"

FileLocations
1 {file_name_id=1 function_name_id=1 line=1 end_line=1 column=1 end_column=1}

StackFrames
1 {file_location_id=1 parent_frame_id=1}


ENTRY %e {
  %p = f32[100000,3] parameter(0), metadata={op_name="HOSTILE" source_file="HOSTILE" source_line=3 stack_frame_id=1}
  %c = f32[100000,3]{0,1} copy(%p), metadata={op_name="HOSTILE"}, frontend_attributes={x="HOSTILE"}
  %k = f32[100000,3]{0,1} custom-call(%c), custom_call_target="HOSTILE",
    operand_layout_constraints={f32[100000,3]{0,1}},
    backend_config="HOSTILE"
  ROOT %n = f32[3,100000] transpose(%k), dimensions={1,0},
    metadata={op_name="HOSTILE\n::error::boo" source_file="HOSTILE"},
    unknown="HOSTILE"
}
`, "HOSTILE", hostile)

// hidden returns the first character of a text that a terminal obeys rather than shows, 0 where there is none.
func hidden(text string) rune {
	for _, r := range text {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' ||
			r == '\u2029') {
			return r
		}
	}
	return 0
}

// Whatever a module, its strings and its path hold, reports and messages only show it.
func TestHostileStrings(t *testing.T) {
	t.Setenv("GOGC", "100") // the collector works here as it does for a library
	dir := t.TempDir()
	hostileFile := strings.NewReplacer("/", "", "\u2028", "\n::error::boo\n", ".", "").Replace(hostile)
	name := hostileFile + ".hlo"
	path, other := filepath.Join(dir, name), filepath.Join(dir, "other.hlo")
	require.NoError(t, os.WriteFile(path, []byte(hostileModule), 0o666))
	require.NoError(t,
		os.WriteFile(other, []byte(strings.Replace(strings.ReplaceAll(hostileModule, hostile, hostile+"2"),
			"f32[100000,3]{0,1} copy", "f32[100000,3]{1,0} copy", 1)), 0o666))
	broken := filepath.Join(dir, "broken "+name)
	require.NoError(t, os.WriteFile(broken, []byte(strings.Replace(hostileModule, "ROOT %n", "ROOT \x07\x1b %n", 1)),
		0o666))
	const tricky = "\x1b[31m\u202e<img src=x>::error::"
	folders := [2]string{filepath.Join(dir, "old"), filepath.Join(dir, "new")} // two folders of dumps, that differ
	for i, folder := range folders {
		require.NoError(t, os.Mkdir(folder, 0o777))
		text, err := os.ReadFile([]string{path, other}[i])
		require.NoError(t, err)
		for _, dump := range []string{"before_optimizations", "0001.p" + tricky + ".after_a" + tricky + ".before_b",
			"0002.p.after_b.before_" + tricky} {
			require.NoError(t, os.WriteFile(filepath.Join(folder, "module_0000.m"+tricky+"."+dump+".txt"),
				[]byte(strings.Replace(string(text), "f32[100000,3]{0,1} copy", "f32[100000,3]{0,1} copy",
					len(dump)%2)), 0o666))
		}
		require.NoError(t, os.WriteFile(filepath.Join(folder, "x"+hostileFile+".hlo"), text, 0o666))
	}
	settings := filepath.Join(dir, "settings"+hostileFile+".json")
	require.NoError(t,
		os.WriteFile(settings,
			[]byte(`{"rules": {"`+strings.NewReplacer("\x1b", "\\u001b", "\a", "\\u0007").Replace(hostile)+
				`": {"severity": "x"}}}`), 0o666))
	list := filepath.Join(dir, "done"+hostileFile)
	require.NoError(t, os.WriteFile(list, []byte("\""+hostile+"\n"), 0o666))
	// The same, as the compiler leaves it: memory takes no schedule without tiles.
	tiled := filepath.Join(dir, "tiled"+name)
	require.NoError(t,
		os.WriteFile(tiled, []byte(strings.NewReplacer("[100000,3] ", "[100000,3]{1,0:T(8,128)} ", "]{0,1} c",
			"]{0,1:T(4,128)} c", "[3,100000] t", "[3,100000]{1,0:T(4,128)} t").Replace(hostileModule)), 0o666))
	htmlFile, svgFile := filepath.Join(dir, "out.html"), filepath.Join(dir, "out.svg")

	for _, c := range []struct {
		form string // of standard output
		args []string
	}{
		{"module", []string{"assign", "--diff", "-v", path}}, {"text", []string{"assign", "--diff-only", path}},
		{"module", []string{"fmt", path}}, {"text", []string{"fmt", "-l", "--canonical", path}},
		{"text", []string{"verify", path}}, {"text", []string{"verify", "--tpu=v5e", path}},
		{"text", []string{"verify", broken}}, {"text", []string{"assign", broken}},
		{"text", []string{"fmt", "--strict", path}},
		{"text", []string{"stats", path}}, {"json", []string{"stats", "--format=json", path}},
		{"text", []string{"memory", tiled}}, {"json", []string{"memory", "--format=json", tiled}},
		{"text", []string{"memory", "--svg", svgFile, tiled}}, {"text", []string{"explain", path, "%n"}},
		{"text", []string{"explain", path, "%" + hostile}}, {"module", []string{"extract", path, "%k"}},
		{"text", []string{"lint", "--severity=note", path}},
		{"json", []string{"lint", "--severity=note", "--format=json", path}},
		{"json", []string{"lint", "--severity=note", "--format=sarif", path}},
		{"xml", []string{"lint", "--severity=note", "--format=junit", path}},
		{"github", []string{"lint", "--severity=note", "--format=github", path}},
		{"markdown", []string{"lint", "--severity=note", "--format=markdown", path}},
		{"markdown", []string{"lint", "--severity=note", "--format=step-summary", path}},
		{"text", []string{"check", "--golden", dir, path}},
		{"github", []string{"check", "--golden", dir, "--format=github", path}},
		{"xml", []string{"check", "--golden", dir, "--format=junit", path}},
		{"text", []string{"diff", path, other}}, {"text", []string{"diff", "--format=inline", path, other}},
		{"text", []string{"diff", "--format=side-by-side", path, other}},
		{"text", []string{"diff", "--format=stat", path, other}},
		{"json", []string{"diff", "--format=json", path, other}},
		{"markdown", []string{"diff", "--format=markdown", path, other}},
		{"text", []string{"diff", path, broken}}, {"text", []string{"report", "-o", htmlFile, path}},
		{"text", []string{"report", "-o", htmlFile, "--diff", other, path}}, {"text", []string{"sweep", path}},
		{"text", []string{"decode", hostile}}, {"text", []string{"cute", hostile}},
		{"text", []string{"table", hostile, "2,3"}}, {"text", []string{"index", hostile, "1"}},
		{"text", []string{hostile}},
		{"text", []string{"dump", folders[0]}}, {"json", []string{"dump", folders[0], "--format=json"}},
		{"text", []string{"dump", folders[0], "--pass", "b"}},
		{"text", []string{"dump", folders[0], "--pass", hostile}},
		{"text", []string{"dump", folders[0], "--value", "%n"}},
		{"text", []string{"dump", folders[0], "--value", hostile}},
		{"text", []string{"dump", folders[0], "--module", hostile}},
		{"text", []string{"dump", folders[0], "--pass", "b", "--print=files"}},
		{"text", []string{"diff", folders[0], folders[1]}},
		{"json", []string{"diff", "--format=json", folders[0], folders[1]}},
		{"markdown", []string{"diff", "--format=markdown", folders[0], folders[1]}},
		{"text", []string{"diff", "--format=stat", folders[0], folders[1]}},
		{"text", []string{"lint", folders[0]}}, {"text", []string{"lint", "--config", settings, path}},
		{"text", []string{"lint", "--baseline", settings, path}},
		{"text", []string{"assign", "--target-file", settings, path}},
		{"module", []string{"assign", "--resume", list, path}}, {"text", []string{"stats", "--resume", list, path}},
		{"module", []string{"assign", "--pin", "%" + hostile + "={0,1}", path}},
		{"module", []string{"assign", "--entry", hostile, path}},
		{"text", []string{"sweep", "--format=json", path}}, {"text", []string{"memory", "--" + hostile, path}},
		{"text", []string{"lint", "--output", hostile + "=x", path}},
		{"text", []string{"lint", "--output", "json=" + filepath.Join(dir, hostile), path}},
		{"text", []string{"explain", hostile}}, {"text", []string{"schema", hostile}},
		{"text", []string{"completion", hostile}}, {"text", []string{"help", hostile}},
		{"text", []string{"relayout", hostile, hostile}}, {"text", []string{"targets", hostile}},
		{"text", []string{"check", "--golden", filepath.Join(dir, hostileFile), path}},
		{"module", []string{"assign", "-o", filepath.Join(dir, hostileFile, "x"), path}},
		{"text", []string{"fmt", filepath.Join(dir, hostileFile+"*")}},
		{"text", []string{"fmt", "--shard", hostile, path}},
		{"text", []string{"fmt", "--" + hostile}}, {"text", []string{"assign", "--tpu=" + hostile, path}},
		{"text", []string{"fmt", filepath.Join(dir, "missing"+name)}},
	} {
		var out, log bytes.Buffer
		run(append([]string{}, c.args...), streams{in: strings.NewReader(""), out: &out, err: &log})
		what := strings.Join(c.args[:min(3, len(c.args)-1)], " ") + " (" + c.form + ")"
		require.NotContains(t, log.String(), "internal error", what)
		assert.Zero(t, hidden(log.String()), "%s: a message has a control character: %q", what, log.String())
		text := out.String()
		if c.form != "module" { // those are the text itself
			assert.Zero(t, hidden(text), "%s: it has a control character: %.600q", what, text)
		}
		for line := range strings.Lines(text + log.String()) {
			assert.False(t, c.form != "module" && strings.HasPrefix(strings.TrimSpace(line), "::") &&
				!ownCommand.MatchString(line), "%s: a command to GitHub of the text's own: %q", what, line)
		}
		switch c.form {
		case "xml":
			require.NoError(t, wellFormed(text), what)
		case "markdown":
			assert.NotContains(t, withoutCode(text), "<img", what)
			assert.NotContains(t, withoutCode(text), "](javascript", what)
		}
	}
	svg, err := os.ReadFile(svgFile)
	require.NoError(t, err)
	require.NoError(t, wellFormed(string(svg)))
	assert.Zero(t, hidden(string(svg)))
	html, err := os.ReadFile(htmlFile)
	require.NoError(t, err)
	assert.NotContains(t, string(html), "<img src=x")
	assert.NotContains(t, string(html), "</script><")
	assert.NotContains(t, string(html), "]]>")
	assert.Zero(t, hidden(string(html)))
}

// ownCommand matches the commands to GitHub that findings are.
var ownCommand = regexp.MustCompile(`^::(error|warning|notice) file=[^:]*,title=[^:]*::`)

// withoutCode takes the code spans out of markdown, where nothing has a meaning.
func withoutCode(text string) string {
	return regexp.MustCompile("(?s)```.*?```|``.*?``|`[^`]*`").ReplaceAllString(text, "")
}

func wellFormed(text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}
