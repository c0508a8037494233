package tpu

// nearest returns the one of known with the smallest edit distance to s, the first among equals; known is not empty.
func nearest(s string, known []string) string {
	best, least := known[0], -1
	for _, k := range known {
		if n := editDistance(s, k); least < 0 || n < least {
			best, least = k, n
		}
	}
	return best
}

// editDistance returns the fewest bytes to insert, delete or replace that make b of a.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
