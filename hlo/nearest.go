package hlo

import "strings"

// Nearest returns the candidate with the least edit distance to name, "" if none is near enough to be a slip of the pen
// (at most a third of the longer word). Upper and lower case count as equal. Ties go to the earlier candidate.
func Nearest(name string, candidates []string) string {
	best, at := "", 1<<30
	name = strings.ToLower(name)
	for _, c := range candidates {
		longest := max(len(name), len(c))
		if longest > 64 || max(len(name)-len(c), len(c)-len(name))*3 > longest {
			continue
		}
		if d := editDistance(name, strings.ToLower(c)); d < at && d*3 <= longest {
			best, at = c, d
		}
	}
	return best
}

// editDistance is the number of single-byte insertions, deletions and replacements from a to b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
