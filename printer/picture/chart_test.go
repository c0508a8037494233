package picture

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestChart(t *testing.T) {
	c := Chart{Title: "m <on> v5e", Text: "VMEM & more", Length: 4, Series: []Series{
		{Caption: "VMEM", Limit: 200, Steps: []Step{{0, 100}, {2, 50}, {3, 0}}},
		{Caption: "empty"},
	}}
	columns, most := c.Series[0].columns(c.Length)
	assert.Equal(t, int64(100), most)
	assert.Equal(t, int64(100), columns[0])
	assert.Equal(t, int64(100), columns[chartWidth/2-1])
	assert.Equal(t, int64(50), columns[chartWidth/2])
	assert.Equal(t, int64(0), columns[chartWidth-1])

	svg := string(c.AppendSVG(nil))
	assert.Contains(t, svg, "<title>m &lt;on&gt; v5e</title>")
	assert.Contains(t, svg, "<desc>VMEM &amp; more</desc>")
	assert.Equal(t, svg, string(c.AppendSVG(nil)))
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		_, err := d.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
	}
}

// More steps than pixels: the largest of a column shows.
func TestChartOfManySteps(t *testing.T) {
	s := Series{Caption: "x"}
	for i := range 100_000 {
		s.Steps = append(s.Steps, Step{i, int64(i % 7)})
	}
	columns, most := s.columns(100_000)
	assert.Equal(t, int64(6), most)
	assert.Equal(t, int64(6), columns[3])
}
