package picture

import (
	"context"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"testing"

	"hlolayout/printer/internal/browsertest"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// screenshot shows an SVG file to readers who like the given scheme, light or dark.
func screenshot(t *testing.T, ctx context.Context, path, scheme string, svg element) image.Image {
	t.Helper()
	browsertest.Scheme(t, ctx, scheme)
	require.NoError(t, chromedp.Do(ctx,
		chromedp.EmulateViewport(int64(svg.number(t, "width")), int64(svg.number(t, "height"))),
		chromedp.Navigate("file://"+path)))
	return browsertest.Screenshot(t, ctx)
}

func TestInBrowser(t *testing.T) {
	ctx := browsertest.New(t)
	svg := tiles(t, "F32[3,5]{1,0:(2,2)}", Page)
	text := svg.AppendSVG(nil)
	path := filepath.Join(t.TempDir(), "picture.svg")
	require.NoError(t, os.WriteFile(path, text, 0o666))
	doc := readSVG(t, text)

	for scheme, want := range map[string]struct{ paper, ink, data, pad, hatch, edge color.RGBA }{
		"light": {rgb(0xffffff), rgb(0x1f2328), rgb(0xddf4ff), rgb(0xeaeef2), rgb(0xafb8c1), rgb(0x0550ae)},
		"dark":  {rgb(0x0d1117), rgb(0xe6edf3), rgb(0x0c2d6b), rgb(0x21262d), rgb(0x484f58), rgb(0x79c0ff)},
	} {
		img := screenshot(t, ctx, path, scheme, doc)
		require.Equal(t, doc.number(t, "width"), img.Bounds().Dx(), scheme)
		assert.Equal(t, want.paper, at(img, 2, 2), scheme)
		data, pad := 0, 0
		for _, e := range doc.Inner {
			if e.XMLName.Local != "rect" || e.attr("class") == "paper" {
				continue
			}
			field := image.Rect(0, 0, e.number(t, "width"), e.number(t, "height")).Add(image.Pt(e.number(t, "x"),
				e.number(t, "y"))).Inset(3)
			where := scheme + " " + field.String()
			switch e.attr("class") {
			case "data":
				data++
				assert.Equal(t, want.data, at(img, field.Min.X, field.Min.Y), where)
				assert.Positive(t, count(img, field, want.ink), "%s: no number to read", where)
			case "pad":
				pad++
				assert.Positive(t, count(img, field, want.pad), where)
				assert.Zero(t, count(img, field, want.data), where)
				assert.Greater(t, near(img, field, want.hatch), 8, "%s: no hatching", where)
			}
		}
		assert.Equal(t, 15, data, "the elements")
		assert.Equal(t, 24-15+1, pad, "the padding, and the legend's example")
		assert.Greater(t, count(img, img.Bounds(), want.edge), 500, "%s: the frames of the tiles", scheme)
	}

	title, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.querySelector("title").textContent`))
	require.NoError(t, err)
	assert.Equal(t, "f32[3,5]{1,0:T(2,2)}", title)
}

// TestNoTextIsCutOff asks the browser how large the texts came out, for fonts differ.
func TestNoTextIsCutOff(t *testing.T) {
	ctx := browsertest.New(t)
	for name := range drawings(t) {
		path, err := filepath.Abs("../../testdata/pictures/" + name + ".svg")
		require.NoError(t, err)
		require.NoError(t, chromedp.Do(ctx, chromedp.Navigate("file://"+path)))
		over, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](`(() => {
			const svg = document.documentElement, over = [];
			for (const text of svg.querySelectorAll("text")) {
				const b = text.getBBox(), w = svg.width.baseVal.value, h = svg.height.baseVal.value;
				if (b.x < 0 || b.y < 0 || b.x + b.width > w || b.y + b.height > h) over.push(text.textContent);
			}
			return over;
		})()`))
		require.NoError(t, err)
		assert.Empty(t, over, name)
	}
}

func rgb(n uint32) color.RGBA { return color.RGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 0xff} }

func at(img image.Image, x, y int) color.RGBA {
	return color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)
}

// count returns how many pixels of a field have a colour.
func count(img image.Image, field image.Rectangle, c color.RGBA) int {
	return pixels(field, func(x, y int) bool { return at(img, x, y) == c })
}

// near counts the pixels whose colour is about c: lines between pixels are smoothed.
func near(img image.Image, field image.Rectangle, c color.RGBA) int {
	return pixels(field, func(x, y int) bool {
		p := at(img, x, y)
		return diff(p.R, c.R) < 24 && diff(p.G, c.G) < 24 && diff(p.B, c.B) < 24
	})
}

func pixels(field image.Rectangle, is func(x, y int) bool) (n int) {
	for y := field.Min.Y; y < field.Max.Y; y++ {
		for x := field.Min.X; x < field.Max.X; x++ {
			if is(x, y) {
				n++
			}
		}
	}
	return n
}

func diff(a, b uint8) int {
	if a < b {
		a, b = b, a
	}
	return int(a - b)
}
