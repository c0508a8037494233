// Package testfiles finds what tests have in testdata, and renews what they have on record there.
package testfiles

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "renew what is on record in testdata")

// Modules returns the files of each pattern, of which there is one at least, without the compiler's answers, which end
// in .after.hlo.
func Modules(t testing.TB, patterns ...string) (files []string) {
	t.Helper()
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, " finds nothing ", err)
		}
		for _, file := range found {
			if !strings.HasSuffix(file, ".after.hlo") {
				files = append(files, file)
			}
		}
	}
	return files
}

// Record returns what a file has on record: with -update, what a test got, which is in the file then.
func Record(t testing.TB, file, got string) string {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(want)
}
