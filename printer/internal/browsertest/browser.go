// Package browsertest opens what is drawn in a browser, for tests.
package browsertest

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// New starts the browser without a window. The test is skipped where there is none, unless HLOLAYOUT_REQUIRE_BROWSER is
// set.
func New(t *testing.T) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		if os.Getenv("HLOLAYOUT_REQUIRE_BROWSER") != "" {
			t.Fatal("no chromium-headless-shell, and HLOLAYOUT_REQUIRE_BROWSER is set")
		}
		t.Skip("no chromium-headless-shell (Debian: apt-get install chromium-headless-shell): it is not checked in a " +
			"browser")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute) // a machine with much to do is slow
	t.Cleanup(cancel)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // the browser refuses to have one as root
	}
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	return ctx
}

// Scheme makes the reader one who likes light or dark.
func Scheme(t *testing.T, ctx context.Context, scheme string) {
	t.Helper()
	_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	require.NoError(t, err)
}

// Screenshot returns what is in the window.
func Screenshot(t *testing.T, ctx context.Context) image.Image {
	t.Helper()
	data, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	require.NoError(t, err)
	img, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	return img
}
