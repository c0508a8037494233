package report

import (
	"embed"
	"slices"
	"strings"
)

//go:embed schema/*.json
var schemas embed.FS

// SchemaNames returns the names of the schemas of the JSON forms.
func SchemaNames() []string {
	files, _ := schemas.ReadDir("schema") // it is embedded
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".json"))
	}
	slices.Sort(names)
	return names
}

// Schema returns a JSON schema (draft 2020-12) by its name; ok is false for an unknown one.
func Schema(name string) (text []byte, ok bool) {
	text, err := schemas.ReadFile("schema/" + name + ".json")
	return text, err == nil
}
