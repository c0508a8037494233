package picture

// Chart shows how much several memories hold in the course of a program.
type Chart struct {
	Title string
	// Text says in words what there is to see, for those who cannot.
	Text string
	// Length is the number of steps of the program.
	Length int
	Series []Series
}

// Series is one memory: Steps say from which step on it holds how many bytes, ascending; Limit is a line to draw, 0 for
// none.
type Series struct {
	Caption string
	Limit   int64
	Steps   []Step
}

// Step is one change of a series.
type Step struct {
	At    int
	Bytes int64
}

const (
	chartWidth  = 720
	chartHeight = 120
)

// AppendSVG appends the chart as an SVG document, like Picture.AppendSVG: one panel for each series, the program from
// left to right, bytes upwards, the limit as a line. Steps that share a column of pixels show as the largest of them.
func (c *Chart) AppendSVG(dst []byte) []byte {
	body := svg{width: max(chartWidth, textWidth(len(c.Title))*14/12) + 2*margin, y: margin + 14}
	body.text(margin, body.y, "title", c.Title)
	for i := range c.Series {
		s := &c.Series[i]
		body.y += panelStep
		body.text(margin, body.y+12, "", s.Caption)
		body.width = max(body.width, textWidth(len(s.Caption))+2*margin)
		body.y += lineStep
		body.rect(margin, body.y, chartWidth, chartHeight, "pad")
		columns, most := s.columns(c.Length)
		top := max(most, s.Limit, 1)
		height := func(n int64) int { return int(float64(n) / float64(top) * chartHeight) }
		for x := 0; x < chartWidth; {
			end := x + 1
			for end < chartWidth && columns[end] == columns[x] {
				end++
			}
			if h := height(columns[x]); h > 0 {
				body.rect(margin+x, body.y+chartHeight-h, end-x, h, "data")
			}
			x = end
		}
		if s.Limit > 0 {
			body.rect(margin, body.y+chartHeight-height(s.Limit), chartWidth, 1, "edge")
		}
		body.y += chartHeight
	}
	return body.append(dst, c.Title, c.Text)
}

// columns returns the most bytes that are held in the time of each column of pixels, and the most of all.
func (s *Series) columns(length int) (columns [chartWidth]int64, most int64) {
	length = max(length, 1)
	for i, step := range s.Steps {
		end := length
		if i+1 < len(s.Steps) {
			end = s.Steps[i+1].At
		}
		from := max(0, min(step.At*chartWidth/length, chartWidth-1))
		to := max(from, min((end*chartWidth-1)/length, chartWidth-1))
		for x := from; x <= to; x++ {
			columns[x] = max(columns[x], step.Bytes)
		}
		most = max(most, step.Bytes)
	}
	return columns, most
}
