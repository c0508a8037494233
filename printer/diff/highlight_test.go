package diff

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// marked renders a line as the plain rendering does, without the sign in front.
func marked(sign byte, spans []span) string {
	r := renderer{Options: Options{Whole: true}}
	r.line(sign, "", spans)
	return strings.TrimSuffix(string(r.dst[2:]), "\n")
}

func TestHighlight(t *testing.T) {
	for _, c := range []struct{ old, new, wantOld, wantNew string }{
		{"bf16[8]{0}", "bf16[8]{0}", "bf16[8]{0}", "bf16[8]{0}"},
		{"bf16[2,4]{1,0} add(%a, %b)", "bf16[2,4]{0,1:T(8,128)(2,1)} add(%a, %b)",
			"bf16[2,4][-{1,0}-] add(%a, %b)", "bf16[2,4]{+{0,1:T(8,128)(2,1)}+} add(%a, %b)"},
		{"f32[2,4]{1,0} x", "f32[2,4]{1,0:T(8,128)} x", "f32[2,4][-{1,0}-] x", "f32[2,4]{+{1,0:T(8,128)}+} x"},
		{"f32[] x", "f32[]{:T(128)} x", "f32[] x", "f32[]{+{:T(128)}+} x"},
		{"dot(%div.7, %x)", "dot(%copy, %x)", "dot([-%div.7-], %x)", "dot({+%copy+}, %x)"},
		{"{1,0:T(8,128)S(1)}", "{1,0:T(8,128)}", "{1,0:T(8,128)[-S(1)-]}", "{1,0:T(8,128)}"},
		{"", "a", "", "{+a+}"},
		{"α β", "α γ", "α [-β-]", "α {+γ+}"},
	} {
		o, n := highlight(c.old, c.new)
		assert.Equal(t, c.wantOld, marked('-', o), "%q -> %q", c.old, c.new)
		assert.Equal(t, c.wantNew, marked('+', n), "%q -> %q", c.old, c.new)
	}
}

// The unmarked parts of both lines are one text, and all parts together are the line.
func TestHighlightKeepsBothLines(t *testing.T) {
	line := rapid.StringMatching(`([a-c%{}, ]|[0-9],|é|\xff){0,40}`)
	join := func(spans []span, unchangedOnly bool) string {
		var b strings.Builder
		for _, s := range spans {
			if !s.Changed || !unchangedOnly {
				b.WriteString(s.Text)
			}
		}
		return b.String()
	}
	rapid.Check(t, func(t *rapid.T) {
		old, new := line.Draw(t, "old"), line.Draw(t, "new")
		o, n := highlight(old, new)
		require.Equal(t, old, join(o, false))
		require.Equal(t, new, join(n, false))
		require.Equal(t, join(o, true), join(n, true))
	})
}

// A line of any length is compared in bounded time: without the cap this pair takes minutes.
func TestHighlightLongLine(t *testing.T) {
	var old, new strings.Builder
	for i := range 200_000 {
		old.WriteString(strings.Repeat("x", 1+i%7) + " ")
		new.WriteString(strings.Repeat("y", 1+i%5) + " ")
	}
	start := time.Now()
	o, n := highlight("same "+old.String()+"end", "same "+new.String()+"end")
	assert.Less(t, time.Since(start), 5*time.Second)
	assert.Equal(t, "same ", o[0].Text)
	assert.Equal(t, " end", n[len(n)-1].Text)
}

func TestShorten(t *testing.T) {
	long := strings.Repeat("é", 500)
	got := shorten([]span{{long, false}, {"new", true}, {long, false}}, 400)
	assert.Equal(t, "new", got[1].Text)
	assert.Less(t, len(got[0].Text), 60)
	assert.Contains(t, got[0].Text, " ... ")
	assert.True(t, strings.HasPrefix(long, strings.Split(got[0].Text, " ... ")[0]))
	many := make([]span, 999)
	for i := range many {
		many[i] = span{"1,0", i%2 == 1}
	}
	got = shorten(many, 400)
	assert.Equal(t, span{"1,0 ... and 233 more changes", false}, got[len(got)-1])
	assert.Len(t, got, 533)
	short := []span{{"abc", false}, {"d", true}}
	assert.Equal(t, short, shorten(short, 400))
}
