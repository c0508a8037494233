package hlo

import "strings"

// BaseName returns a name without what XLA appends to make it unique: numbers (`add.5`), `.clone` and `.remat`, also several
// of them (`fusion.3.clone.1`).
func BaseName(name string) string {
	for {
		dot := strings.LastIndexByte(name, '.')
		if dot <= 0 || !isUniquePart(name[dot+1:]) {
			return name
		}
		name = name[:dot]
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
