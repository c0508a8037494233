package tpu

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"hlolayout/hlo"
)

// maxTargetBytes bounds what ReadTarget reads; a target is about 1 KB.
const maxTargetBytes = 1 << 20

// ReadTarget reads a target in the JSON that encoding/json writes of a Target. It is strict: a key that is unknown,
// missing or there twice, and a value that cannot be, are errors. Keys that are left out when they are empty may be
// missing (options, and the bytes of memory spaces). Errors about the text are of type *hlo.Error, without a file name.
func ReadTarget(r io.Reader) (*Target, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxTargetBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading a target: %w", err)
	}
	if len(data) > maxTargetBytes {
		return nil, fmt.Errorf("reading a target: more than %d bytes; expected one JSON object of about 1 KB",
			maxTargetBytes)
	}
	p := &targetReader{data: data, dec: json.NewDecoder(bytes.NewReader(data)), at: map[string]int{}}
	p.dec.UseNumber()
	var syntax *json.SyntaxError
	if err := json.Unmarshal(data, new(json.RawMessage)); errors.As(err, &syntax) {
		return nil, p.fail(max(int(syntax.Offset)-1, 0), "a target is one JSON object: "+syntax.Error(), "")
	}
	var t Target
	if err := p.value("", reflect.ValueOf(&t).Elem()); err != nil {
		return nil, err
	}
	var wrong *valueError
	if err := t.check(); errors.As(err, &wrong) {
		return nil, p.fail(p.at[wrong.key], wrong.key+": "+wrong.msg, wrong.hint)
	}
	return &t, nil
}

// targetReader reads JSON into the fields of a struct by their tags.
type targetReader struct {
	data []byte
	dec  *json.Decoder
	at   map[string]int // where in data the value of a key stands, by path, such as memory_spaces[1].name
}

// next returns where the next token begins.
func (p *targetReader) next() int {
	at := int(p.dec.InputOffset())
	for at < len(p.data) && strings.IndexByte(" \t\r\n:,", p.data[at]) >= 0 {
		at++
	}
	return at
}

// fail returns the error for the text at an offset.
func (p *targetReader) fail(at int, msg, hint string) error {
	at = min(at, len(p.data))
	start := bytes.LastIndexByte(p.data[:at], '\n') + 1
	line, _, _ := bytes.Cut(p.data[start:], []byte{'\n'})
	return &hlo.Error{Line: 1 + bytes.Count(p.data[:at], []byte{'\n'}), Col: 1 + at - start,
		Msg: msg, Hint: hint, Source: string(bytes.TrimSuffix(line, []byte{'\r'}))}
}

// token returns the next token and where it begins. The text is known to be JSON, so that an error is none of its.
func (p *targetReader) token() (tok json.Token, at int, err error) {
	at = p.next()
	tok, err = p.dec.Token()
	return tok, at, err
}

// value reads one value into v.
func (p *targetReader) value(path string, v reflect.Value) error {
	tok, at, err := p.token()
	if err != nil {
		return err
	}
	p.at[path] = at
	switch v.Kind() {
	case reflect.Struct:
		if tok == json.Delim('{') {
			return p.object(path, at, v)
		}
		return p.unexpected(path, at, tok, "an object")
	case reflect.Slice:
		if tok != json.Delim('[') {
			return p.unexpected(path, at, tok, "a list")
		}
		for p.dec.More() {
			v.Grow(1)
			v.SetLen(v.Len() + 1)
			if err := p.value(fmt.Sprintf("%s[%d]", path, v.Len()-1), v.Index(v.Len()-1)); err != nil {
				return err
			}
		}
		_, _, err = p.token() // ]
		return err
	case reflect.Bool:
		b, ok := tok.(bool)
		if !ok {
			return p.unexpected(path, at, tok, "true or false")
		}
		v.SetBool(b)
	case reflect.String:
		s, ok := tok.(string)
		if !ok {
			return p.unexpected(path, at, tok, "a string")
		}
		v.SetString(s)
	default:
		number, _ := tok.(json.Number)
		n, err := number.Int64()
		if err != nil {
			return p.unexpected(path, at, tok, "a whole number of 64 bits")
		}
		v.SetInt(n)
	}
	return nil
}

// object reads the rest of an object into the fields of v.
func (p *targetReader) object(path string, at int, v reflect.Value) error {
	if path != "" {
		path += "."
	}
	var known []string
	fields, optional, seen := map[string]reflect.Value{}, map[string]bool{}, map[string]bool{}
	for k := range v.NumField() {
		key, flags, _ := strings.Cut(v.Type().Field(k).Tag.Get("json"), ",")
		known = append(known, key)
		fields[key], optional[key] = v.Field(k), flags != ""
	}
	for p.dec.More() {
		tok, keyAt, err := p.token()
		if err != nil {
			return err
		}
		key, _ := tok.(string)
		field, ok := fields[key]
		switch {
		case !ok:
			return p.fail(keyAt, fmt.Sprintf("unknown key %q", path+key), knownHint(key, known))
		case seen[key]:
			return p.fail(keyAt, fmt.Sprintf("key %q is there twice", path+key), "expected it once")
		}
		seen[key] = true
		if err := p.value(path+key, field); err != nil {
			return err
		}
	}
	if _, _, err := p.token(); err != nil { // }
		return err
	}
	for _, key := range known {
		if !seen[key] && !optional[key] {
			return p.fail(at, fmt.Sprintf("key %q is missing", path+key), "expected the keys "+
				strings.Join(known, ", "))
		}
	}
	return nil
}

func (p *targetReader) unexpected(path string, at int, tok json.Token, want string) error {
	found := "null"
	switch tok := tok.(type) {
	case json.Delim:
		found = map[json.Delim]string{'{': "an object", '[': "a list"}[tok]
	case string:
		found = fmt.Sprintf("the string %q", tok)
	case bool, json.Number:
		found = fmt.Sprint(tok)
	}
	if path == "" {
		path = "the target"
	}
	return p.fail(at, fmt.Sprintf("%s: found %s", path, found), "expected "+want)
}
