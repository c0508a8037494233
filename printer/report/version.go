package report

// Version is hlolayout's version, in the form of Python's packages and without a leading v. The command, findings as JSON
// and SARIF, lock files, archives and wheels carry it.
const Version = "0.1.0"
