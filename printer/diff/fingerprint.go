package diff

import (
	"crypto/sha256"
	"fmt"
	"strconv"

	"hlolayout/hlo"
	"hlolayout/printer"
)

// FingerprintVersion is the version of what Fingerprint takes into account. Fingerprints of two versions cannot be compared.
const FingerprintVersion = 1

// Fingerprint returns a short text that is the same for two modules that differ only in what Normalize takes out and in the names of
// the module, its computations and values. The module is changed.
func Fingerprint(m *hlo.Module) string {
	Normalize(m)
	m.Name = "m"
	computations, values := 0, 0
	rename(m, func(*hlo.Computation) string {
		computations++
		return "c" + strconv.Itoa(computations)
	}, func(c *hlo.Computation) []string {
		out := make([]string, len(c.Instructions))
		for i := range out {
			values++
			out[i] = "v" + strconv.Itoa(values)
		}
		return out
	})
	sum := sha256.Sum256(printer.Append(nil, m))
	return fmt.Sprintf("%d-%x", FingerprintVersion, sum[:8])
}
