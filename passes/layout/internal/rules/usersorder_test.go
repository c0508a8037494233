package rules

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
	"hlolayout/passes/internal/flat"
	"hlolayout/tpu"
)

var update = flag.Bool("update", false, "renew testdata/users.txt")

// Values of testdata whose users are not in the order of the text are those of users.txt, in the order that it lists:
// most orders that the users- rules give change no layout, but those that a log shows are where they were counted.
// Renew it with go test ./passes/layout/internal/rules -run UsersOrder -update.
func TestUsersOrder(t *testing.T) {
	const dir, record = "../../testdata/", "../../testdata/users.txt"
	files, err := filepath.Glob(dir + "*.hlo")
	require.NoError(t, err)
	cuts, err := filepath.Glob(dir + "users/*.hlo") // out of programs, with what only they show
	require.NoError(t, err)
	target, err := tpu.ByName("v5e")
	require.NoError(t, err)
	var got strings.Builder
	for _, file := range append(files, cuts...) {
		if strings.HasSuffix(file, ".after.hlo") {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		m, err := parser.Parse(file, string(text))
		require.NoError(t, err)
		g, err := flat.New(m, flat.Decided)
		require.NoError(t, err)
		New(g, target, nil).orderUsers()
		for n := range g.Nodes[:len(g.Nodes)-1] {
			line, last, moved := "", flat.NodeID(-1), false
			for _, u := range g.Users(flat.NodeID(n)) {
				if u.Node != last {
					line += " " + g.Nodes[u.Node].In.Name
				}
				moved, last = moved || u.Node < last, u.Node
			}
			if moved {
				fmt.Fprintf(&got, "%s %s:%s\n", strings.TrimSuffix(filepath.Base(file), ".hlo"), g.Nodes[n].In.Name, line)
			}
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(record, []byte(got.String()), 0o666))
	}
	want, err := os.ReadFile(record)
	require.NoError(t, err)
	assert.Equal(t, string(want), got.String())
}
