package main

import (
	"bytes"
	"os/exec"
	"strings"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"

	"hlolayout/printer/report"
)

// sbom returns what the binary holds, in CycloneDX's form, without a time and a serial number: the same sources, the
// same bytes.
func sbom(modules []module) ([]byte, error) {
	version, err := exec.Command("go", "env", "GOVERSION").Output()
	if err != nil {
		return nil, err
	}
	std := strings.TrimPrefix(strings.TrimSpace(string(version)), "go")
	main := component(cyclonedx.ComponentTypeApplication, "pkg:pypi/", "hlolayout", report.Version, "Apache-2.0")
	parts := []cyclonedx.Component{component(cyclonedx.ComponentTypeLibrary, "pkg:golang/", "std", std, "BSD-3-Clause")}
	for _, m := range modules {
		parts = append(parts, component(cyclonedx.ComponentTypeLibrary, "pkg:golang/", m.path, m.version, m.spdx()...))
	}
	refs := make([]string, len(parts))
	for i := range parts {
		refs[i] = parts[i].BOMRef
	}
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{Component: &main}
	bom.Components = &parts
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: main.BOMRef, Dependencies: &refs}}
	var b bytes.Buffer
	encoder := cyclonedx.NewBOMEncoder(&b, cyclonedx.BOMFileFormatJSON).SetPretty(true)
	err = encoder.EncodeVersion(bom, cyclonedx.SpecVersion1_6)
	return b.Bytes(), err
}

// component describes one module; its licences all apply.
func component(kind cyclonedx.ComponentType, registry, path, version string, licences ...string) cyclonedx.Component {
	purl := registry + strings.ToLower(path) + "@" + version
	return cyclonedx.Component{
		BOMRef: purl, Type: kind, Name: path, Version: version, PackageURL: purl,
		Licenses: &cyclonedx.Licenses{{Expression: strings.Join(licences, " AND ")}},
	}
}
