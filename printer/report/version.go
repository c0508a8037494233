package report

// Version is hlolayout's version, in the form of Python's packages and without a leading v. The command, JSON and
// SARIF, lock files, archives and wheels carry it.
const Version = "0.1.0"

// Form is what JSON documents begin with: the version of their schema, and that of the hlolayout that wrote them.
type Form struct {
	SchemaVersion int    `json:"schema_version"`
	Version       string `json:"version"`
}

// ThisForm is the Form of the schemas that are in version SchemaVersion.
var ThisForm = Form{SchemaVersion, Version}
