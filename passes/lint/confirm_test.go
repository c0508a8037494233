package lint

import (
	"testing"

	"hlolayout/hlo"

	"github.com/stretchr/testify/assert"
)

func TestConfirm(t *testing.T) {
	rule := func(id string) *Rule {
		for i := range rules {
			if rules[i].ID == id {
				return &rules[i]
			}
		}
		return nil
	}
	shape := func(dims ...int64) *hlo.Shape { return hlo.NewArray(hlo.F32, dims, hlo.DescendingLayout(len(dims))) }
	doubt := func(id string, s *hlo.Shape) Finding {
		return Finding{Rule: rule(id), Severity: Note, Doubtful: true, Shape: s, Details: []string{"a", "perhaps"}}
	}
	sure := func(id string, s *hlo.Shape) Finding { return Finding{Rule: rule(id), Severity: Warning, Shape: s} }
	early := []Finding{
		doubt(PaddingWaste, shape(3, 200, 1)), // as narrow-minor, in another order
		doubt(PaddingWaste, shape(3, 201)),    // of another size
		doubt(MovesData, shape(3, 200)),       // of another family
		doubt(MovesInLoop, shape(7, 8)),       // only suspected later, too
		sure(MovesData, shape(5, 5)),          // not in doubt
	}
	got := Confirm(early, []Finding{sure(NarrowMinor, shape(200, 3)), doubt(MovesData, shape(7, 8))}, "final.txt")
	assert.Equal(t, []Finding{
		{Rule: rule(PaddingWaste), Severity: Warning, Shape: shape(3, 200, 1), Details: []string{"a",
			"confirmed by final.txt"}},
		sure(MovesData, shape(5, 5)),
	}, got)
	assert.Equal(t, "perhaps", early[0].Details[1], "what is given stays as it was")
}
