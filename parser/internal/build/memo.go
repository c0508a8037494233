package build

// memo finds what was made of a text before. Texts of a module repeat: a transformer of 178,000 instructions has 91
// distinct shapes. Open addressing with the hash of names, in place of Go's map, takes up to a twelfth off a
// parse (mixtral).
type memo[V any] struct {
	slots []remembered[V] // a power of two
	count int
}

type remembered[V any] struct {
	text  string // empty where nothing is
	value V
	hash  uint32
}

// newMemo returns a memo for a source of that many bytes: a small module shall not pay for clearing a large table.
func newMemo[V any](size int) memo[V] {
	slots := 32
	for slots < 1024 && slots*1024 < size {
		slots *= 2
	}
	return memo[V]{slots: make([]remembered[V], slots)}
}

// slot returns where the text is or would be.
func (m *memo[V]) slot(text string, h uint32) *remembered[V] {
	mask := uint32(len(m.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		if s := &m.slots[i]; s.text == "" || s.hash == h && s.text == text {
			return s
		}
	}
}

// get returns what put was given for the text; texts are not empty.
func (m *memo[V]) get(text string) (value V, ok bool) {
	s := m.slot(text, hash(text))
	return s.value, s.text != ""
}

func (m *memo[V]) put(text string, value V) {
	if m.count*4 >= len(m.slots)*3 {
		old := m.slots
		m.slots = make([]remembered[V], 2*len(old))
		for i := range old {
			if e := &old[i]; e.text != "" {
				*m.slot(e.text, e.hash) = *e
			}
		}
	}
	h := hash(text)
	s := m.slot(text, h)
	if s.text == "" {
		m.count++
	}
	*s = remembered[V]{text, value, h}
}

// emptied returns the memo with nothing in it.
func (m memo[V]) emptied() memo[V] {
	if m.count > 0 {
		clear(m.slots)
	}
	return memo[V]{slots: m.slots}
}
