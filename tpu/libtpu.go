package tpu

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Release is a release of libtpu, the compiler.
type Release struct {
	// Version is its number in the package registry, such as "0.0.51".
	Version string
	// Changelist is the number of the sources that it is built from. Names of dump files have it (cl_1003875606), and
	// the platform_version of a client (cl/1003875606). A later release of an old branch has a higher one than earlier
	// releases of new branches.
	Changelist int64
}

// releases are those whose layouts were held against the rules, the oldest first. The changelists are the ones that the
// releases write.
var releases = [...]Release{
	{"0.0.24", 813921542},
	{"0.0.38", 885286250},
	{"0.0.43.2", 970057490},
	{"0.0.48.1", 1000038190},
	{"0.0.49", 985445144},
	{"0.0.50", 994787025},
	{"0.0.50.1", 1004524046},
	{"0.0.51", 1003875606},
	{"0.0.52", 1014260217},
}

// Releases returns the known releases, the oldest first.
func Releases() []Release { return slices.Clone(releases[:]) }

// DefaultLibTPU is the version whose rules hold where none is named: the one that most rules were measured with. What a
// newer one does otherwise is known from fewer programs.
const DefaultLibTPU = "0.0.51"

// NewestLibTPU is the newest known version, OldestLibTPU the oldest. Their rules hold for newer and for older ones.
func NewestLibTPU() string { return releases[len(releases)-1].Version }

// OldestLibTPU is the oldest known version.
func OldestLibTPU() string { return releases[0].Version }

var changelist = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bcl[/_]([0-9]{6,12})\b`) })

// BuiltBy returns the release of libtpu that text names by its changelist: the name of a dump file, topology.textproto,
// a platform_version. Of a changelist that is no release's, it is the newest release with a lower one, or the oldest;
// exact is then false. ok is false where text names none.
func BuiltBy(text string) (r Release, exact, ok bool) {
	if !strings.Contains(text, "cl/") && !strings.Contains(text, "cl_") { // as most do: the pattern is not even made
		return Release{}, false, false
	}
	found := changelist().FindStringSubmatch(text)
	if found == nil {
		return Release{}, false, false
	}
	n, _ := strconv.ParseInt(found[1], 10, 64)
	r = releases[0]
	for _, known := range releases {
		if known.Changelist == n {
			return known, true, true
		}
		if known.Changelist < n {
			r = known
		}
	}
	return r, false, true
}

// WithLibTPU returns a copy of t for a version of libtpu; "" is DefaultLibTPU. The error says what is no version.
func (t *Target) WithLibTPU(version string) (*Target, error) {
	c := *t
	c.MemorySpaces = slices.Clone(t.MemorySpaces)
	c.LibTPU = version
	if err := c.checkLibTPU(); err != nil {
		return nil, err
	}
	return &c, nil
}

// checkLibTPU returns a *valueError, or nil.
func (t *Target) checkLibTPU() error {
	if _, ok := numbers(t.LibTPU); t.LibTPU != "" && !ok {
		return &valueError{"libtpu", fmt.Sprintf("%q is not a version", t.LibTPU),
			fmt.Sprintf("expected one such as %q", NewestLibTPU())}
	}
	return nil
}

// Within reports whether the target's version of libtpu is one from since to until; "" is no bound.
func (t *Target) Within(since, until string) bool {
	if since == "" && until == "" {
		return true
	}
	version := cmp.Or(t.LibTPU, DefaultLibTPU)
	return CompareVersions(version, since) >= 0 && (until == "" || CompareVersions(version, until) <= 0)
}

// CompareVersions is negative where version a is older than b, and positive where it is newer.
func CompareVersions(a, b string) int {
	x, _ := numbers(a)
	y, _ := numbers(b)
	return slices.Compare(x, y)
}

// numbers takes a version apart; ok is false for what is none.
//
// A version may be written as a tag, v0.0.51, and may be one of development, 0.0.52.dev20250801+nightly, which is taken
// for the release that it becomes.
func numbers(version string) (list []int, ok bool) {
	version, _, _ = strings.Cut(strings.TrimPrefix(version, "v"), "+")
	for _, of := range []string{".dev", "rc"} {
		if before, n, found := strings.Cut(version, of); found && strings.Trim(n, "0123456789") == "" {
			version = before
		}
	}
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil {
			return nil, false
		}
		list = append(list, int(n))
	}
	return list, len(list) > 1
}
