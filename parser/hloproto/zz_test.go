package hloproto

import (
	"fmt"
	"hlolayout/parser"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestZZ(t *testing.T) {
	files, _ := filepath.Glob("/tmp/hp/pairs/" + os.Getenv("PAT") + ".pb")
	n, eqre, eqtxt, eqprint := 0, 0, 0, 0
	kinds := map[string]int{}
	start := time.Now()
	f0, _ := os.Create("/tmp/hp/report.txt")
	for _, f := range files {
		b, _ := os.ReadFile(f)
		base := strings.TrimSuffix(f, ".pb")
		txt, _ := os.ReadFile(base + ".txt")
		re, err := os.ReadFile(base + ".re")
		if err != nil {
			re = txt
		}
		n++
		got, e := Text(f, b)
		if e != nil {
			kinds["text error"]++
			fmt.Fprintln(f0, "TEXTERR", base, e)
			continue
		}
		if got == string(txt) {
			eqtxt++
		}
		if got == string(re) {
			eqre++
		} else {
			w, g := strings.Split(string(re), "\n"), strings.Split(got, "\n")
			for i := range w {
				if i >= len(g) || w[i] != g[i] {
					o := ""
					if i < len(g) {
						o = g[i]
					}
					fmt.Fprintf(f0, "DIFF %s\n- %.600s\n+ %.600s\n", base, w[i], o)
					break
				}
			}
		}
		m, e := parser.Parse(f, got)
		if e != nil {
			kinds["parse error"]++
			s := e.Error()
			if len(s) > 300 {
				s = s[:300]
			}
			fmt.Fprintln(f0, "PARSEERR", base, s)
			continue
		}
		if p := m.Source; p == got {
			eqprint++
		} else {
			w, g := strings.Split(got, "\n"), strings.Split(p, "\n")
			for i := range w {
				if i >= len(g) || w[i] != g[i] {
					o := ""
					if i < len(g) {
						o = g[i]
					}
					fmt.Fprintf(f0, "PRINT %s\n- %.600s\n+ %.600s\n", base, w[i], o)
					break
				}
			}
		}
	}
	t.Log(n, "re", eqre, "txt", eqtxt, "printer", eqprint, kinds, time.Since(start))
}
