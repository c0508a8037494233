package printer_test

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/internal/mutant"
	"hlolayout/internal/oracle"
	"hlolayout/internal/randhlo"
	"hlolayout/parser"
	"hlolayout/printer"
)

var update = flag.Bool("update", false, "ask XLA again for testdata/oracle/verdicts.txt")

const verdicts = "../testdata/oracle/verdicts.txt"

// TestVerdicts holds what strict reading says of some thousand mutants against XLA's verdicts, which verdicts.txt
// records: a line for each mutant with a hash of its text, then A and a hash of XLA's print, or R and XLA's positions.
// Mutants that XLA crashes on and those few that it judges otherwise are recorded as C and O, and not compared.
func TestVerdicts(t *testing.T) {
	const rounds = 80
	texts := storedTexts(t)
	r := rand.New(rand.NewPCG(1, 2))
	var mutants []string
	for range rounds {
		for _, op := range mutant.Operators(texts) {
			if text := op.Of(r, texts); text != "" {
				mutants = append(mutants, text)
			}
		}
	}
	if *update {
		record(t, mutants)
	}
	data, err := os.ReadFile(verdicts)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	const again = "the mutants changed: HLOLAYOUT_ORACLE=1 go test ./printer -run TestVerdicts -update asks XLA about them"
	require.Len(t, mutants, len(lines), again)
	compared := 0
	for i, text := range mutants {
		of, verdict, _ := strings.Cut(lines[i], " ")
		require.Equal(t, of, hash(text), again)
		if verdict != "C" && verdict != "O" {
			compared++
			if !assert.Truef(t, agrees(text, verdict), "XLA says %s of\n%s\n%s", verdict, text, judged(text)) {
				return
			}
		}
	}
	require.Greater(t, compared, len(lines)*97/100)
}

// storedTexts are small modules of testdata, and random ones.
func storedTexts(t *testing.T) []string {
	t.Helper()
	var texts []string
	for _, pattern := range []string{"hlo-text/accept/*.hlo", "corpus/*/*/*.hlo"} {
		files, err := filepath.Glob("../testdata/" + pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, f := range files {
			text, err := os.ReadFile(f)
			require.NoError(t, err)
			if n := len(text); n > 150 && n < 5000 {
				texts = append(texts, string(text))
			}
		}
	}
	modules := randhlo.Module(randhlo.Options{Features: randhlo.All})
	for seed := range 50 {
		texts = append(texts, modules.Example(seed))
	}
	return texts
}

func hash(text string) string {
	h := fnv.New32a()
	h.Write([]byte(text))
	return fmt.Sprintf("%08x", h.Sum32())
}

// judged is what strict reading says of a text, in the form of verdicts.txt.
func judged(text string) string {
	m, err := parser.Config{Strict: true}.Parse("text", text)
	if err == nil {
		return "A " + hash(string(printer.Config{Mode: printer.Canonical}.Append(nil, m)))
	}
	out := "R"
	for _, e := range err.(hlo.ErrorList) {
		col := e.Col
		if e.Line == 1 { // XLA counts the columns of line 1 from 0
			col--
		}
		out += fmt.Sprintf(" %d:%d", e.Line, col)
	}
	return out
}

// agrees reports whether strict reading accepts and prints a text as XLA does, or refuses it at one of XLA's positions.
func agrees(text, verdict string) bool {
	ours := judged(text)
	if ours[0] == 'A' || verdict[0] == 'A' {
		return ours == verdict
	}
	at := strings.Fields(verdict)[1:]
	return len(at) == 0 || slices.ContainsFunc(strings.Fields(ours)[1:], func(p string) bool {
		return slices.Contains(at,
			p)
	})
}

// record asks XLA about the mutants.
func record(t *testing.T, mutants []string) {
	t.Helper()
	judge := oracle.NewJudge(t, "..")
	var out strings.Builder
	for _, text := range mutants {
		v, says, err := judge.Of(text)
		require.NoError(t, err)
		verdict := string(v)
		switch v {
		case oracle.Accepted:
			verdict += " " + hash(says)
		case oracle.Refused:
			for _, p := range xlaPosition.FindAllStringSubmatch(says, -1) {
				verdict += " " + p[1] + ":" + p[2]
			}
		}
		if v != oracle.Crashed && !agrees(text, verdict) {
			verdict = "O"
		}
		fmt.Fprintln(&out, hash(text), verdict)
	}
	require.NoError(t, os.WriteFile(verdicts, []byte(out.String()), 0o666))
}
