package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/internal/testfiles"
	"hlolayout/passes/internal/flat"
)

// Values of testdata whose users are not in the order of the text are those of users.txt, in the order that it lists.
// Renew it with go test ./passes/layout/internal/rules -run UsersOrder -update.
func TestUsersOrder(t *testing.T) {
	const dir = "../../testdata/"
	byText := func(a, b flat.Use) int { return int(a.Node - b.Node) }
	var got strings.Builder
	for _, file := range testfiles.Modules(t, dir+"*.hlo") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		e := setOf(t, file, string(text))
		e.OrderUses()
		for n := range flat.NodeID(len(e.G.Nodes) - 1) {
			if !slices.IsSortedFunc(e.G.Users(n), byText) {
				fmt.Fprintf(&got, "%s %s: %s\n", strings.TrimSuffix(filepath.Base(file), ".hlo"), e.G.Nodes[n].In.Name,
					userNames(e.G, n))
			}
		}
	}
	assert.Equal(t, testfiles.Record(t, dir+"users.txt", got.String()), got.String())
}
