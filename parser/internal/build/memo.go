package build

// memo finds what was made of a text before. Texts of a module repeat: a transformer of 178,000 instructions has 91
// distinct shapes. In front of the map stands a small table that is looked up by a hash of the text's ends, which costs
// a few nanoseconds where the map costs tens (BenchmarkParse).
type memo[V any] struct {
	recent []remembered[V] // a power of two
	all    map[string]V
}

type remembered[V any] struct {
	text  string
	value V
}

// newMemo returns a memo for a source of that many bytes: a small module shall not pay for clearing a large table.
func newMemo[V any](size int) memo[V] {
	slots := 32
	for slots < 2048 && slots*512 < size {
		slots *= 2
	}
	return memo[V]{recent: make([]remembered[V], slots)}
}

func (m *memo[V]) slot(text string) *remembered[V] {
	return &m.recent[ends(text)&uint32(len(m.recent)-1)]
}

// get returns what put was given for the text; texts are not empty.
func (m *memo[V]) get(text string) (value V, ok bool) {
	slot := m.slot(text)
	if slot.text == text {
		return slot.value, true
	}
	if value, ok = m.all[text]; ok {
		*slot = remembered[V]{text, value}
	}
	return value, ok
}

func (m *memo[V]) put(text string, value V) {
	if m.all == nil {
		m.all = make(map[string]V, len(m.recent))
	}
	m.all[text] = value
	m.note(text, value)
}

// note is put for what can be found again without the memo, only slower.
func (m *memo[V]) note(text string, value V) { *m.slot(text) = remembered[V]{text, value} }

// ends is a hash of a text's length, its first eight bytes and its last eight.
func ends(s string) uint32 {
	h := uint64(len(s))
	switch n := len(s); {
	case n >= 8:
		h ^= word(s)*0x9E3779B97F4A7C15 + word(s[n-8:])*0xC2B2AE3D27D4EB4F
	default:
		for i := 0; i < n; i++ {
			h = h*31 + uint64(s[i])
		}
		h *= 0x9E3779B97F4A7C15
	}
	return uint32(h>>32) ^ uint32(h>>54)
}

// word is the first eight bytes of s as a number.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
