package layout

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/internal/testfiles"
	"hlolayout/passes/entry"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/result"
	"hlolayout/passes/layout/internal/rule"
	"hlolayout/passes/layout/internal/rules"
	"hlolayout/passes/plan"
	"hlolayout/printer"
	"hlolayout/tpu"
)

// pinLine is the first line of a module of testdata that is assigned with a pin.
var pinLine = regexp.MustCompile(`^// --pin '%([\w.]+)=\{([\d,]+)\}'\n`)

// outcome is what the pass makes of a module of testdata for a version of libtpu when some rules are off: the assigned
// module, and every constraint that was set.
func outcome(t *testing.T, name, version string, change func(*rules.Set, *plan.Options), off ...rule.ID) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".hlo")
	require.NoError(t, err)
	var pins []plan.Pin
	if p := pinLine.FindSubmatch(text); p != nil {
		pin := plan.Pin{Name: string(p[1])}
		for _, d := range strings.Split(string(p[2]), ",") {
			k, _ := strconv.Atoi(d)
			pin.MinorToMajor = append(pin.MinorToMajor, k)
		}
		pins, text = []plan.Pin{pin}, text[len(p[0]):]
	}
	m := parse(t, string(text))
	g, err := flat.New(m, flat.Decided)
	require.NoError(t, err)
	target, err := target(t, "v5e").WithLibTPU(version)
	require.NoError(t, err)
	e := rules.New(g, target, result.Rules, off...)
	opt := plan.Options{Pins: pins, EntryLayouts: entry.AsWritten}
	if change != nil {
		change(e, &opt)
	}
	var set strings.Builder
	e.Trace = func(x constraint.Event) {
		x.Cause.Chosen = rule.None // it says what chose, not what was chosen
		fmt.Fprintf(&set, "run %d %+v\n", e.RunNumber(), x)
	}
	e.Weighed = func(first flat.NodeID, compact ordering.Order, _, _ int, gain, cost int64) {
		fmt.Fprintf(&set, "cluster %d %d %d %d\n", first, compact, gain, cost)
	}
	p, err := run(e, opt)
	if err != nil {
		return err.Error()
	}
	require.NoError(t, p.Apply(m))
	return printer.Print(m) + set.String()
}

// Where values fit in between pins, repairs work without which an operation cannot, and no others.
func TestFitLeavesWhatIsRequired(t *testing.T) {
	fit := func(_ *rules.Set, opt *plan.Options) { opt.Fit = true }
	for r := rule.None + 1; r < rule.Count; r++ {
		row := docs()[r]
		if row.Step == rule.NoStep || r == rule.Refit { // TestSoftPins fails without refit
			continue
		}
		works := slices.ContainsFunc(row.Evidence, func(name string) bool {
			return outcome(t, name, row.Until, fit) != outcome(t, name, row.Until, fit, r)
		})
		assert.Equal(t, row.Required, works, row.Name)
	}
}

// A pin of the caller that still leaves work when the runs are over is an error, what others ask for is not: without
// refit the work is never done.
func TestPinsComeToAnEnd(t *testing.T) {
	const end = "the pass did not come to an end with it"
	assert.Contains(t, outcome(t, "pinned_reduce", "", nil, rule.Refit), end)
	softly := func(_ *rules.Set, opt *plan.Options) { opt.Pins[0].Because = &plan.Reason{} }
	assert.NotContains(t, outcome(t, "pinned_reduce", "", softly, rule.Refit), end)
}

// Every rule has evidence, and without the rule each of its modules comes out otherwise or by other constraints.
func TestEveryRuleIsNeeded(t *testing.T) {
	whole := map[string]string{}
	for r := rule.None + 1; r < rule.Count; r++ {
		row := docs()[r]
		t.Run(row.Name, func(t *testing.T) {
			assert.NotEmpty(t, row.Evidence)
			for _, name := range row.Evidence {
				version := row.Until
				if tpu.CompareVersions(row.Since, tpu.DefaultLibTPU) > 0 {
					version = row.Since
				}
				key := name + "@" + version
				if whole[key] == "" {
					whole[key] = outcome(t, name, version, nil)
				}
				assert.False(t, whole[key] == outcome(t, name, version, nil, r), "%s is the same without the rule", name)
			}
		})
	}
}

// Every threshold changes some evidence one step below and one step above the range that it is known to be in, and none
// at its ends.
func TestEveryLimitIsNeeded(t *testing.T) {
	whole := map[string]string{}
	for l := range rule.LimitID(len(rule.Limits)) {
		row := &rule.Limits[l]
		low, high := row.Low, row.High
		if low == 0 && high == 0 {
			low, high = row.Value, row.Value
		}
		changes := func(value int64) bool {
			return slices.ContainsFunc(row.Evidence, func(name string) bool {
				if whole[name] == "" {
					whole[name] = outcome(t, name, "", nil)
				}
				return whole[name] != outcome(t, name, "", func(e *rules.Set, _ *plan.Options) { e.SetLimit(l, value) })
			})
		}
		assert.False(t, changes(low), "%s: %d is not as good", row.Name, low)
		assert.False(t, !row.Open && changes(high), "%s: %d is not as good", row.Name, high)
		assert.True(t, changes(low-1), "%s: %d is as good", row.Name, low-1)
		assert.True(t, row.Open || changes(high+1), "%s: %d is as good", row.Name, high+1)
	}
}

// The rows are complete, and are in the order of the stages.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	stage := rule.Given
	for r := rule.None + 1; r < rule.Count; r++ {
		row := docs()[r]
		assert.Regexp(t, `^[a-z]+(-[a-z]+)*$`, row.Name)
		assert.False(t, seen[row.Name], row.Name)
		assert.Regexp(t, `^[A-Z][^\n]*\.$`, row.Doc, row.Name)
		assert.GreaterOrEqual(t, row.Stage, stage, row.Name)
		seen[row.Name], stage = true, row.Stage
	}
}

// No module of testdata is left that shows nothing.
func TestEvidenceIsUsed(t *testing.T) {
	var evidence []string
	for i := range docs() {
		evidence = append(evidence, docs()[i].Evidence...)
	}
	for i := range rule.Limits {
		evidence = append(evidence, rule.Limits[i].Evidence...)
	}
	for _, file := range testfiles.Modules(t, "testdata/*.hlo") {
		name := strings.TrimSuffix(filepath.Base(file), ".hlo")
		answers, _ := filepath.Glob("testdata/" + name + "[.@]*.*")
		// Each of these has its own test.
		alone := slices.Contains([]string{"scatter_later", "branches_before_loop", "dot_takes_rest_three"}, name)
		assert.True(t, len(answers) > 0 || alone || slices.Contains(evidence, name), name)
	}
}

// testName is what looks like the name of a module or of an attribute.
var testName = regexp.MustCompile(`\b[a-z0-9]+(_[a-z0-9]+)+\b`)

// Every module that a comment or a rule names is in testdata.
func TestCommentsNameWhatIsThere(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.go", "internal/*/*.go", "../internal/flat/*.go"} {
		list, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, list)
		files = append(files, list...)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for i, line := range strings.Split(string(text), "\n") {
			_, comment, found := strings.Cut(line, "//")
			if !found && strings.Contains(line, "Doc:") {
				comment = line
			}
			assert.NotContains(t, comment, "docs/", "%s:%d", file, i+1)
			for _, name := range testName.FindAllString(comment, -1) {
				if _, err := os.Stat("testdata/" + name + ".hlo"); err != nil && !slices.Contains(hlo.KnownAttrs(), name) {
					assert.Contains(t, []string{"entry_computation_layout", "op_name"}, name,
						"%s:%d names a module that is not in testdata", file, i+1)
				}
			}
		}
	}
}

// A dot's or convolution's reason names the rule that chose between the two dimensions that are minor in its result.
func TestReasonsNameWhatChose(t *testing.T) {
	for r := rule.ConstrainedMinor; r <= rule.Reduces; r++ {
		row := docs()[r]
		if row.Decide == nil {
			continue
		}
		chosen := slices.ContainsFunc(row.Evidence, func(name string) bool {
			text, err := os.ReadFile("testdata/" + name + ".hlo")
			require.NoError(t, err)
			p, err := Run(parse(t, string(text)), target(t, "v5e"), plan.Options{})
			require.NoError(t, err)
			return slices.ContainsFunc(p.Decisions, func(d plan.Decision) bool {
				return d.Instruction == d.Reason.Source && ChosenBy(d.Reason) == row.Name
			})
		})
		assert.True(t, chosen, row.Name)
	}
}
