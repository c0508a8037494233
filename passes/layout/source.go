package layout

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"sync"
)

// sources is the code that the program was built from: what it says of a rule's place is true of the program.
//
//go:embed internal/*/*.go
var sources embed.FS

// here is the folder of this package in the module.
const here = "passes/layout/"

// Places returns where a rule is in the code, each as FILE:LINE: its row, then its functions; for a rule without any,
// those that name it.
func Places(r *Rule) []string {
	rows, id := find(`(rule\.\w+): +\{Name: "` + r.Name + `"`)
	list := rows
	for field, v := 0, reflect.ValueOf(r).Elem(); field < v.NumField(); field++ {
		if f := v.Field(field); f.Kind() == reflect.Func && !f.IsNil() {
			list = append(list, placeOf(f.Pointer())...)
		}
	}
	if len(list) == len(rows) {
		named, _ := find(regexp.QuoteMeta(id) + `[^\w:]`)
		list = append(list, named...)
	}
	return list
}

// TestOf returns the command that fails where a rule makes no difference, or one that the compiler does not make.
func TestOf(r *Rule) string {
	return fmt.Sprintf("go test ./%s -run '^%s$/^%s$|%s$'", strings.TrimSuffix(here, "/"), neededTest, r.Name,
		comparedTests)
}

// neededTest is the test that switches every rule off; the names of comparedTests, which hold the pass against the
// compiler's own modules and log, end alike.
const (
	neededTest    = "TestEveryRuleIsNeeded"
	comparedTests = "AreTheCompilers"
)

// methodValue matches the name of a method that is used as a value: receiver and method.
var methodValue = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\((\*\w+)\)\.(\w+)-fm$`) })

// placeOf returns where a function starts.
func placeOf(pc uintptr) []string {
	f := runtime.FuncForPC(pc)
	if m := methodValue().FindStringSubmatch(f.Name()); m != nil {
		list, _ := find(`func \(\w+ ` + regexp.QuoteMeta(m[1]) + `\) ` + m[2] + `\(`)
		return list
	}
	file, line := f.FileLine(pc)
	return []string{fmt.Sprintf("%s:%d", file[strings.LastIndex(file, here):], line)}
}

// find returns where the code matches a pattern, and the first group of the last match.
func find(pattern string) (list []string, group string) {
	files, _ := fs.Glob(sources, "internal/*/*.go") // no error: the pattern is that of the files
	for _, name := range files {
		text, _ := sources.ReadFile(name)
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, m := range regexp.MustCompile(pattern).FindAllSubmatchIndex(text, -1) {
			list = append(list, fmt.Sprintf("%s%s:%d", here, name, 1+bytes.Count(text[:m[0]], []byte("\n"))))
			if len(m) > 2 {
				group = string(text[m[2]:m[3]])
			}
		}
	}
	return list, group
}
