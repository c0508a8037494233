package layout

import (
	"os"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The places that are printed of a rule are its row and functions.
func TestPlaces(t *testing.T) {
	rules := Rules()
	for i := range rules {
		r := &rules[i]
		places := Places(r)
		require.NotEmpty(t, places, r.Name)
		for k, place := range places {
			file, number, _ := strings.Cut(strings.TrimPrefix(place, here), ":")
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			n, err := strconv.Atoi(number)
			require.NoError(t, err)
			want := regexp.MustCompile(`\bfunc\b|rule\.\w+`)
			if k == 0 {
				want = regexp.MustCompile(`Name: "` + r.Name + `"`)
			}
			assert.Regexp(t, want, strings.Split(string(text), "\n")[n-1], place)
		}
	}
	places := Places(ruleNamed(t, "dot"))
	assert.Regexp(t, `^passes/layout/internal/rules/dot\.go:\d+$`, places[1])
	assert.Contains(t, runtime.FuncForPC(reflect.ValueOf(TestEveryRuleIsNeeded).Pointer()).Name(), "."+neededTest)
	assert.Contains(t, runtime.FuncForPC(reflect.ValueOf(TestModulesAreTheCompilers).Pointer()).Name(), comparedTests)
}

func ruleNamed(t *testing.T, name string) *Rule {
	t.Helper()
	for _, r := range Rules() {
		if r.Name == name {
			return &r
		}
	}
	require.FailNow(t, name)
	return nil
}

func TestRuleName(t *testing.T) {
	for text, name := range map[string]string{
		"the matrix unit's order for a dot":         "dot",
		"the target's default layout of a result":   "entry-result",
		"the device default of an entry parameter":  "parameter-default",
		"the entry layout of the parameter":         "entry-parameter",
		"":                                          "",
		"a text that is not the reason of any rule": "",
	} {
		assert.Equal(t, name, RuleName(text), text)
	}
}
