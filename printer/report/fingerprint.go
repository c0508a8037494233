package report

import (
	"crypto/sha256"
	"fmt"

	"hlolayout/hlo"
	"hlolayout/printer"
	"hlolayout/printer/diff"
)

// FingerprintVersion is the version of what Fingerprint takes into account. Fingerprints of two versions cannot be
// compared. 2: it sees what kernels compute.
const FingerprintVersion = 2

// Fingerprint returns a short text that is the same for two modules that differ only in what diff.Anonymize takes out.
// The module is changed.
func Fingerprint(m *hlo.Module) string {
	diff.Anonymize(m)
	sum := sha256.Sum256(printer.Append(nil, m))
	return fmt.Sprintf("%d-%x", FingerprintVersion, sum[:8])
}
