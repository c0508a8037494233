package hloproto

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/parser/hloproto/internal/hlopb"
)

// commonAttributes may be on every instruction; a short async form prints those of the instruction it runs too.
// Metadata and backend_config follow them.
var commonAttributes = []struct {
	key   string
	value func(w *writer, in *instruction) bool
}{
	{"sharding", (*writer).resultSharding},
	{"frontend_attributes", func(w *writer, in *instruction) bool {
		return w.frontendAttributes(in.FrontendAttributes.GetMap())
	}},
	{"control-predecessors", (*writer).controlPredecessors},
	{"statistics", (*writer).statistics},
	{"result_accuracy", (*writer).resultAccuracy},
	{"origin", (*writer).origin},
}

func (w *writer) common(in *instruction, seen map[string]bool) {
	for _, a := range commonAttributes {
		if seen[a.key] {
			continue
		}
		w.attribute(a.key, func() bool {
			has := a.value(w, in)
			if has && seen != nil {
				seen[a.key] = true
			}
			return has
		})
	}
}

func (w *writer) trailing(in *instruction) {
	if m := in.Metadata; m != nil && (m.OpType != "" || m.OpName != "" || m.SourceFile != "" ||
		m.SchedulingName != "" ||
		w.frames.number(m.StackFrameId) != 0 || m.MetadataPayload != nil && m.MetadataPayload.PayloadSource != nil) {
		w.text(", metadata=")
		w.metadata(m, w.frames.number(m.StackFrameId))
	}
	config := in.BackendConfig
	if p := in.BackendConfigPayload; p != nil {
		config = w.payload(p, in.path()+".backend_config_payload")
	}
	if len(config) > 0 {
		w.text(", backend_config=")
		w.jsonOrQuote(string(config))
	}
}

// payload returns the bytes that a payload holds or that it refers to in the module's list.
func (w *writer) payload(p *hlopb.Payload, path string) []byte {
	if _, ok := p.PayloadSource.(*hlopb.Payload_Id); !ok {
		return p.GetValue()
	}
	id := p.GetId()
	if id < 0 || id >= int64(len(w.m.Payloads)) {
		failf(path+".id", "the module has %d payloads, and none has the number %d", len(w.m.Payloads), id)
	}
	return w.m.Payloads[id]
}

func (w *writer) metadata(m *hlopb.OpMetadata, frame int32) {
	w.text("{")
	start := len(w.out)
	key := func(k string) {
		if len(w.out) > start {
			w.text(" ")
		}
		w.text(k)
		w.text("=")
	}
	quoted := func(k, v string) {
		if v != "" {
			key(k)
			w.quote(v)
		}
	}
	number := func(k string, n int32) {
		if n != 0 {
			key(k)
			w.int(int64(n))
		}
	}
	quoted("op_type", m.OpType)
	quoted("op_name", m.OpName)
	quoted("source_file", m.SourceFile)
	number("source_line", m.SourceLine)
	number("source_end_line", m.SourceEndLine)
	number("source_column", m.SourceColumn)
	number("source_end_column", m.SourceEndColumn)
	if len(m.ProfileType) > 0 {
		key("profile_type")
		w.text("{")
		w.list(len(m.ProfileType), ",", func(i int) { w.int(int64(m.ProfileType[i])) })
		w.text("}")
	}
	quoted("deduplicated_name", m.DeduplicatedName)
	if m.SchedulingName != "" {
		key("scheduling_name")
		w.plain(m.SchedulingName)
	}
	number("stack_frame_id", frame)
	if p := m.MetadataPayload; p != nil && p.PayloadSource != nil {
		key("metadata_payload")
		w.quote(string(w.payload(p, w.in.path()+".metadata.metadata_payload")))
	}
	w.text("}")
}

// jsonOrQuote prints a JSON dictionary as it is and any other text in quotes.
func (w *writer) jsonOrQuote(s string) {
	if isJSON(s) {
		w.text(s)
	} else {
		w.quote(s)
	}
}

// json is a string of JSON, a brace, or anything else, as the text's lexer sees raw JSON.
var jsonToken = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)^(?:"(?:[^"\\]|\\.)*"|[{}]|[^"{}]+)`)
})

// behind is what may follow the dictionary: white space and comments.
var jsonBehind = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)^(?:[ \t\r\n]|/\*.*?\*/|//[^\r\n]*)*$`)
})

// isJSON reports whether the lexer would read s as one raw dictionary.
func isJSON(s string) bool {
	if s == "" || s[0] != '{' || strings.IndexByte(s, 0) >= 0 {
		return false
	}
	depth := 0
	for s != "" {
		n := len(jsonToken().FindString(s))
		if n == 0 {
			return false
		}
		switch s[0] {
		case '{':
			depth++
		case '}':
			depth--
		}
		if s = s[n:]; depth == 0 {
			return jsonBehind().MatchString(s)
		}
	}
	return false
}

// frontendAttributes prints the map sorted by key. What a key cannot hold in the text becomes `_`.
func (w *writer) frontendAttributes(m map[string]string) bool {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	w.text("{")
	w.list(len(keys), ",", func(i int) {
		key := keys[i]
		if !isWord([]byte(strings.TrimLeft(key, "_"))) {
			key = sanitize(key, "_")
		}
		w.text(key)
		w.text("=")
		w.jsonOrQuote(m[keys[i]])
	})
	w.text("}")
	return len(keys) > 0
}

func (w *writer) controlPredecessors(in *instruction) bool {
	w.text("{")
	w.list(len(in.controls), ", ", func(i int) {
		w.text("%")
		w.text(in.comp.list[in.controls[i]].name)
	})
	w.text("}")
	return len(in.controls) > 0
}

func (w *writer) statistics(in *instruction) bool {
	list := in.StatisticsViz.GetStatistics()
	w.text("{visualizing_index=")
	w.int(in.StatisticsViz.GetStatIndexToVisualize())
	for _, s := range list {
		w.text(",")
		w.text(sanitize(s.StatName, "_"))
		w.text("=")
		w.float(s.StatVal)
	}
	w.text("}")
	return len(list) > 0
}

// resultAccuracy prints what the functions with several implementations have.
func (w *writer) resultAccuracy(in *instruction) bool {
	op, _ := hlo.ParseOpcode(in.Opcode)
	a := in.ResultAccuracy
	if a == nil || !slices.Contains(ownAttributes()[op], "result_accuracy") {
		return false
	}
	if t := a.GetTolerance(); t != nil {
		w.text("{tolerance={atol=")
		w.float(t.Atol)
		w.text(",rtol=")
		w.float(t.Rtol)
		w.text(",ulps=")
		w.int(t.Ulps)
		w.text("}}")
		return true
	}
	w.text("{mode=" + strings.ToLower(a.GetMode().String()) + "}")
	return a.GetMode() != hlopb.ResultAccuracy_DEFAULT
}

// originNode is a node of the tree that an original value's elements make.
type originNode struct {
	parts []*originNode
	array *hlopb.OriginalArrayProto
}

// origin prints the tree of the arrays that the value's parts once were.
func (w *writer) origin(in *instruction) bool {
	v := in.OriginalValue
	if v.GetIsSyntheticCall() {
		w.text("{[synthetic_call]}")
		return true
	}
	root := &originNode{}
	if len(v.GetElements()) == 0 {
		root.parts = []*originNode{}
	}
	for i, e := range v.GetElements() {
		node := root
		for _, k := range e.ShapeIndex {
			// An index may skip parts, but no more than there are elements.
			if k < 0 || k > int64(len(v.Elements)) {
				failf(in.path()+".original_value."+element("elements", i)+".shape_index",
					"%d is not a part of a tuple of %d arrays", k, len(v.Elements))
			}
			for int64(len(node.parts)) <= k {
				node.parts = append(node.parts, &originNode{})
			}
			node = node.parts[k]
		}
		node.array = e.OriginalArray
	}
	w.text("{")
	w.originTree(root)
	w.text("}")
	return v != nil
}

func (w *writer) originTree(n *originNode) {
	if n.parts == nil {
		w.originalArray(n.array)
		return
	}
	w.text("(")
	w.list(len(n.parts), ", ", func(i int) { w.originTree(n.parts[i]) })
	w.text(")")
}

// originalArray prints {"name" {0,1}}.
func (w *writer) originalArray(a *hlopb.OriginalArrayProto) {
	w.text("{")
	if a != nil {
		w.plain(a.InstructionName)
		if len(a.ShapeIndex) > 0 {
			w.text(" ")
			w.ints(a.ShapeIndex)
		}
	}
	w.text("}")
}

// axisSizes prints 'x'=2,'y'=4 of a mesh.
func (w *writer) axisSizes(m *hlopb.MeshProto) {
	w.text("mesh[")
	w.list(len(m.GetAxes()), ",", func(i int) {
		w.axisName(m.Axes[i].Name)
		w.text("=")
		w.int(m.Axes[i].Size)
	})
	w.text("]")
}

func (w *writer) axisName(name string) {
	w.text("'")
	start := len(w.out)
	w.quote(name)
	w.out = append(w.out[:start], w.out[start+1:len(w.out)-1]...)
	w.text("'")
}

// axes prints 'x','y':(1)2 with sep between the axes.
func (w *writer) axes(m *hlopb.MeshProto, refs []*hlopb.AxisRefProto, sep string) {
	w.list(len(refs), sep, func(i int) {
		r := refs[i]
		if r.MeshAxisIndex < 0 || r.MeshAxisIndex >= int64(len(m.GetAxes())) {
			failf(w.in.path(), "the mesh has %d axes, and none has the number %s", len(m.GetAxes()),
				strconv.FormatInt(r.MeshAxisIndex, 10))
		}
		w.axisName(m.Axes[r.MeshAxisIndex].Name)
		if s := r.SubAxisInfo; s != nil {
			w.text(":(")
			w.int(s.PreSize)
			w.text(")")
			w.int(s.Size)
		}
	})
}
