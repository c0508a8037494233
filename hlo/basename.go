package hlo

import "strings"

// BaseName returns a name without what XLA puts into it to make it unique: numbers between dots, `.clone` and `.remat`
// (`add.5`, `fusion.3.clone.1`, `wide.region_0.4.sunk`). The first part always stays.
func BaseName(name string) string {
	dot := strings.IndexByte(name, '.')
	if dot < 0 {
		return name
	}
	out := name[:dot]
	for rest := name[dot+1:]; ; {
		part, after, more := strings.Cut(rest, ".")
		if !isUniquePart(part) {
			out += "." + part
		}
		if !more {
			return out
		}
		rest = after
	}
}

func isUniquePart(s string) bool {
	if s == "clone" || s == "remat" {
		return true
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
