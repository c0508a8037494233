package build

// plain reads a braced value that holds only numbers, or keys with numbers and strings, as dimensions={0,1} and
// metadata={op_name="add" stack_frame_id=12}. It returns false where the value holds anything else, which is for the
// grammar. Most of the distinct values of a module are such (sd15_inf: 8,000, a twentieth of its parse).
func (b *Builder) plain(t Text) bool {
	b.ValueBegin()
	b.Open(Text{t.Off, t.Off + 1})
	text := b.src[:t.End-1]
	for i := int(t.Off) + 1; i < len(text); {
		key := i
		for i < len(text) && isKey(text[i], i > key) {
			i++
		}
		if i > key {
			if i == len(text) || text[i] != '=' {
				break
			}
			i++
			b.PairKey(Text{uint32(key), uint32(i)})
		}
		from, kind := i, Int
		if i < len(text) && text[i] == '"' {
			kind, i = String, stringEnd(text, i)+1
		} else {
			i = intEnd(text, i)
		}
		if i == from || i > len(text) {
			break
		}
		b.Atom(kind, Text{uint32(from), uint32(i)})
		switch rest := text[i:]; {
		case rest == "":
			b.Close(Text{t.End - 1, t.End})
			return true
		case len(rest) > 2 && rest[:2] == ", ":
			i += 2
		case len(rest) > 1 && (rest[0] == ',' || rest[0] == ' '):
			i++
		default:
			b.leave()
			return false
		}
	}
	b.leave()
	return false
}

// isKey reports whether a key may hold the byte; inside, that is not as its first.
func isKey(c byte, inside bool) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || inside && (c >= '0' && c <= '9' || c == '.' || c == '-')
}

// intEnd returns the offset after the number at an offset, which surely fits in 64 bits; the offset itself where there
// is none.
func intEnd(text string, at int) int {
	i := at
	if i < len(text) && text[i] == '-' {
		i++
	}
	digits := i
	for i < len(text) && text[i] >= '0' && text[i] <= '9' {
		i++
	}
	if i == digits || i-digits > 18 {
		return at
	}
	return i
}
