package printer_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/internal/mutant"
	"hlolayout/internal/oracle"
	"hlolayout/internal/randhlo"
	"hlolayout/parser"
	"hlolayout/printer"
)

// tally counts the answers to the mutants of one operator.
type tally struct {
	accepted, refused, crashed int // by XLA
	wrongly                    int // other verdicts of ours
	positions, elsewhere       int // refused by both, with a position of XLA's; those with none of them among ours
	prints, otherwise          int // accepted by both; those printed otherwise
}

// TestJudge asks XLA's parser about fresh mutants of modules. Reading strictly gives XLA's verdict, one of its
// positions where both refuse the text, and canonical print is XLA's. HLOLAYOUT_JUDGE_SEED repeats a run,
// HLOLAYOUT_JUDGE_TIME (such as 8h) makes it longer than a minute, HLOLAYOUT_JUDGE_MUTANTS ends it after so many of
// each operator, and HLOLAYOUT_JUDGE_OUT keeps in a folder what the two disagree about.
func TestJudge(t *testing.T) {
	judge := oracle.NewJudge(t, "..")
	seed := rand.Uint64()
	if s := os.Getenv("HLOLAYOUT_JUDGE_SEED"); s != "" {
		var err error
		seed, err = strconv.ParseUint(s, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("HLOLAYOUT_JUDGE_SEED=%d", seed)
	duration := time.Minute
	if s := os.Getenv("HLOLAYOUT_JUDGE_TIME"); s != "" {
		var err error
		duration, err = time.ParseDuration(s)
		require.NoError(t, err)
	}
	most := 1 << 30
	if s := os.Getenv("HLOLAYOUT_JUDGE_MUTANTS"); s != "" {
		var err error
		most, err = strconv.Atoi(s)
		require.NoError(t, err)
	}
	texts := judgedTexts(t, judge)
	operators := mutant.Operators(texts)
	require.GreaterOrEqual(t, len(operators), 25)
	tallies := make([]tally, len(operators))
	r := rand.New(rand.NewPCG(seed, 0))
	for end, round := time.Now().Add(duration), 0; round < most && time.Now().Before(end); round++ {
		for i, op := range operators {
			if text := op.Of(r, texts); text != "" && len(text) < 1<<20 {
				compare(t, judge, &tallies[i], op.Name, text)
			}
		}
	}
	report(t, operators, tallies)
}

// judgedTexts are small modules that XLA accepts.
func judgedTexts(t *testing.T, judge *oracle.Judge) []string {
	t.Helper()
	dir := "../../shared/hlo-text"
	if _, err := os.Stat(dir); err != nil {
		dir = "../testdata/hlo-text"
	}
	files, err := filepath.Glob(filepath.Join(dir, "accept", "*.hlo"))
	require.NoError(t, err)
	corpus, err := filepath.Glob("../testdata/corpus/*/*/*.hlo")
	require.NoError(t, err)
	var texts []string
	for _, f := range append(files, corpus...) {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		if n := len(text); n < 150 || n > 5000 {
			continue
		}
		texts = append(texts, string(text))
	}
	modules := randhlo.Module(randhlo.Options{Features: randhlo.All})
	for seed := range 50 {
		texts = append(texts, modules.Example(seed))
	}
	return slices.DeleteFunc(texts, func(text string) bool {
		verdict, _, err := judge.Of(text)
		require.NoError(t, err)
		return verdict != oracle.Accepted
	})
}

var xlaPosition = regexp.MustCompile(`was parsing (\d+):(\d+): error`)

// compare asks both about a text and counts.
func compare(t *testing.T, judge *oracle.Judge, n *tally, op, text string) {
	t.Helper()
	verdict, says, err := judge.Of(text)
	require.NoError(t, err)
	m, ours := parser.Config{Strict: true}.Parse("text", text)
	switch {
	case verdict == oracle.Crashed:
		n.crashed++
		if ours == nil {
			keep(t, op, "crash", text, says, "")
		}
	case verdict == oracle.Accepted:
		n.accepted++
		if ours != nil {
			n.wrongly++
			keep(t, op, "accepts", text, "", ours.Error())
			return
		}
		if strings.Contains(text, "{...}") || says == "" {
			return
		}
		n.prints++
		if print := string(printer.Config{Mode: printer.Canonical}.Append(nil, m)); print != says {
			n.otherwise++
			keep(t, op, "prints", text, says, print)
		}
	case ours == nil:
		n.refused++
		n.wrongly++
		keep(t, op, "refuses", text, says, "")
	default:
		n.refused++
		at := xlaPosition.FindAllStringSubmatch(says, -1)
		if len(at) == 0 {
			return
		}
		n.positions++
		for _, e := range ours.(hlo.ErrorList) {
			col := e.Col
			if e.Line == 1 { // XLA counts the columns of line 1 from 0
				col--
			}
			for _, p := range at {
				if p[1] == strconv.Itoa(e.Line) && p[2] == strconv.Itoa(col) {
					return
				}
			}
		}
		n.elsewhere++
		keep(t, op, "position", text, says, ours.Error())
	}
}

// keep writes down what the two disagree about.
func keep(t *testing.T, op, kind, text, xla, ours string) {
	t.Helper()
	dir := os.Getenv("HLOLAYOUT_JUDGE_OUT")
	if dir == "" {
		return
	}
	require.NoError(t, os.MkdirAll(dir, 0o777))
	for n := 0; ; n++ {
		name := filepath.Join(dir, fmt.Sprintf("%s-%s-%d", kind, strings.NewReplacer(" ", "_", "'", "").Replace(op), n))
		if _, err := os.Stat(name + ".hlo"); err == nil {
			continue
		}
		require.NoError(t, os.WriteFile(name+".hlo", []byte(text), 0o666))
		require.NoError(t, os.WriteFile(name+".xla", []byte(xla), 0o666))
		require.NoError(t, os.WriteFile(name+".ours", []byte(ours), 0o666))
		return
	}
}

// report logs a table of the operators and holds the shares that reading strictly must reach.
func report(t *testing.T, operators []mutant.Operator, tallies []tally) {
	t.Helper()
	share := func(wrong, of int) float64 { return 100 - 100*float64(wrong)/float64(max(of, 1)) }
	var sum tally
	var table strings.Builder
	line := func(name string, n tally) {
		fmt.Fprintf(&table, "%-32s %6d %6d %4d   %6.2f   %6.2f   %6.2f\n", name, n.accepted, n.refused, n.crashed,
			share(n.wrongly, n.accepted+n.refused), share(n.elsewhere, n.positions), share(n.otherwise, n.prints))
	}
	for i, op := range operators {
		n := tallies[i]
		line(op.Name, n)
		sum.accepted, sum.refused, sum.crashed, sum.wrongly = sum.accepted+n.accepted, sum.refused+n.refused,
			sum.crashed+n.crashed, sum.wrongly+n.wrongly
		sum.positions, sum.elsewhere, sum.prints, sum.otherwise = sum.positions+n.positions, sum.elsewhere+n.elsewhere,
			sum.prints+n.prints, sum.otherwise+n.otherwise
		if of := n.accepted + n.refused; of >= 500 {
			assert.GreaterOrEqual(t, share(n.wrongly, of), 98.0, "%s: share of XLA's verdicts", op.Name)
		}
	}
	line("all", sum)
	t.Logf("%-32s accept refuse crash verdict position print\n%s", "", table.String())
	assert.GreaterOrEqual(t, share(sum.wrongly, sum.accepted+sum.refused), 99.7, "share of XLA's verdicts")
	assert.GreaterOrEqual(t, share(sum.elsewhere, sum.positions), 97.0, "share of XLA's positions")
	assert.GreaterOrEqual(t, share(sum.otherwise, sum.prints), 99.7, "share of XLA's prints")
}
