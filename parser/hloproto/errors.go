package hloproto

import (
	"fmt"
	"strconv"

	"hlolayout/hlo"
)

// Codes of this package's findings.
const (
	CodeProto  = "HLO060"
	CodeField  = "HLO061"
	CodeLimits = "HLO062"
)

// Codes describes the codes, in order. Their examples are bytes, so the tests have them.
var Codes = []hlo.Code{
	{Name: CodeProto, Meaning: "the file is not a protobuf dump of a module, or it is damaged or cut off: the " +
		"message " +
		"says in which field and at which byte"},
	{Name: CodeField, Meaning: "a field of a protobuf dump has a value that no module has: an id that is not there, " +
		"a size below zero, a name twice"},
	{Name: CodeLimits, Meaning: "a protobuf dump is longer than 2 GiB, nested more than 200 levels deep, or requests " +
		"far more memory or text than its own size"},
}

// failure is an error with the field it is about.
type failure struct{ path, code, msg string }

func (f *failure) Error() string { return f.path + ": " + f.msg }

// reason is a protobuf error's text without the "proto:" in front, whose blank differs from run to run.
func reason(err error) string {
	s := err.Error()
	if len(s) > 6 && s[:6] == "proto:" {
		s = s[6:]
		for len(s) > 0 && (s[0] == ' ' || s[0] == 0xc2 || s[0] == 0xa0) {
			s = s[1:]
		}
	}
	return s
}

// element names an element of a repeated field: `operand_ids[3]`.
func element(field string, i int) string { return field + "[" + strconv.Itoa(i) + "]" }

// failf ends the reading with an error about a field.
func failf(path, format string, args ...any) {
	panic(&failure{path, CodeField, fmt.Sprintf(format, args...)})
}

// findings makes an error list of an error about a dump.
func findings(file string, err error) error {
	if list, ok := err.(hlo.ErrorList); ok {
		return list
	}
	f, ok := err.(*failure)
	if !ok {
		f = &failure{code: CodeProto, msg: reason(err)}
	}
	msg := f.msg
	if f.path != "" {
		msg = f.path + ": " + msg
	}
	return hlo.ErrorList{{File: file, Code: f.code, Msg: msg}}
}

// catch turns the panic of failf into an error.
func catch(err *error) {
	switch f := recover().(type) {
	case nil:
	case *failure:
		*err = f
	default:
		panic(f)
	}
}
