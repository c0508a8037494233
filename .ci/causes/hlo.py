"""Edits of unoptimized HLO text: what an instruction is, and other layouts for what it makes or reads."""
import itertools, re

LINE = re.compile(r"^(\s+)(ROOT )?%?([\w.-]+) = (\((?:[^=]|index=)*?\)|\S+) ([\w-]+)\((.*)$")
SHAPE = re.compile(r"^([a-z]\w*)\[([\d,]*)\](\{[^}]*\})?$")


class Module:
    """The lines of a module's text, and where its entry's instructions are."""

    def __init__(self, text):
        self.lines, self.at, inside = text.splitlines(), {}, False
        for n, line in enumerate(self.lines):
            inside = inside and line != "}" or line.startswith("ENTRY ")
            m = inside and LINE.match(line)
            if m:
                self.at[m[3]] = n

    def parts(self, name):
        """(is root, shape, opcode, the rest of the line) of an instruction."""
        m = LINE.match(self.lines[self.at[name]])
        return bool(m[2]), m[4], m[5], m[6]

    def array(self, name):
        """(element type, dimensions) of an instruction's result; None for a tuple or an unknown name."""
        m = name in self.at and SHAPE.match(self.parts(name)[1])
        return (m[1], tuple(int(d) for d in m[2].split(",") if d)) if m else None

    def operands(self, name):
        return re.findall(r"%([\w.-]+)", self.parts(name)[3].split("), ")[0])

    def text(self):
        return "\n".join(self.lines) + "\n"

    def constrained(self, name, order, user=None):
        """The text with a custom call that asks for `order` of what `name` makes, between it and `user` (None: all its users)."""
        root, shape, _, _ = self.parts(name)
        shape = re.sub(r"\{.*", "", shape)
        laid = shape + "{" + ",".join(map(str, order)) + "}"
        asked = f"{name}.asked"
        while asked in self.at:
            asked += "_"
        call = (f'  %{asked} = {laid} custom-call(%{name}), custom_call_target="LayoutConstraint", '
                f'operand_layout_constraints={{{laid}}}, metadata={{op_name="main/{asked}"}}')
        lines, reads = list(self.lines), re.compile(rf"%{re.escape(name)}(?![\w.-])")
        for other, n in self.at.items():
            if other == name or user is not None and other != user:
                continue
            head, paren, rest = lines[n].partition("(")
            depth, end = 1, len(rest)
            for i, c in enumerate(rest):
                depth += (c == "(") - (c == ")")
                if not depth:
                    end = i
                    break
            lines[n] = head + paren + reads.sub("%" + asked, rest[:end]) + rest[end:]
        if root:
            lines[self.at[name]] = lines[self.at[name]].replace("ROOT ", "", 1)
            call = call.replace("  %", "  ROOT %", 1)
        lines.insert(self.at[name] + 1, call)
        return "\n".join(lines) + "\n"


def tagged(text):
    """The text with an op_name for each instruction that is its name. Passes keep it where they rename."""
    out = []
    for line in text.splitlines():
        m = LINE.match(line)
        out.append(re.sub(r", metadata=\{[^{}]*\}", "", line) + f', metadata={{op_name="main/{m[3]}"}}' if m else line)
    return "\n".join(out) + "\n"


def padded(dims, order):
    """Elements with the two minor dimensions padded to tiles of 8 by 128."""
    size = 1
    for place, d in enumerate(order):
        unit = (128, 8)[place] if place < 2 else 1
        size *= -(-dims[d] // unit) * unit
    return size


def other_order(dims, order, matter):
    """The order that takes the least memory, other than `order` in what counts: in which sequence the dimensions of more than one element
    lie, of each of the sets `matter`. None where each takes more than twice as much: rules that save memory would decide against it."""
    def real(o, of):
        return [d for d in o if d in of and dims[d] != 1]
    rest = [o for o in itertools.permutations(range(len(dims))) if all(real(o, of) != real(order, of) for of in matter)]
    best = min(rest, key=lambda o: (padded(dims, o), o)) if rest and len(dims) < 7 else None
    return best if best and padded(dims, best) <= 2 * padded(dims, order) else None


def embedded(small, large):
    """The lists of places in `large` at which the dimensions `small` are in their sequence."""
    return [c for c in itertools.combinations(range(len(large)), len(small)) if [large[k] for k in c] == list(small)]


def carried(shapes):
    """Which dimensions of the last of a chain's arrays are also the first one's, whose order follows from it link by link: a list of sets,
    more than one where the dimensions leave that open, one of all dimensions where they say nothing."""
    everything = [frozenset(range(len(shapes[-1])))]
    found = {tuple(range(len(shapes[-1])))}  # for each dimension of an array, the last array's
    for source, to in zip(shapes[::-1], shapes[-2::-1]):
        if len(to) < len(source):
            ways = embedded(to, source)
        elif len(to) > len(source):
            ways = [tuple(c.index(k) if k in c else None for k in range(len(to))) for c in embedded(source, to)]
        elif source != to and sorted(source) == sorted(to):  # it is turned
            ways = [tuple(source.index(d) for d in to)] if len(set(source)) == len(source) else []
        else:
            continue
        found = {tuple(None if k is None else now[k] for k in way) for way in ways for now in found}
        if not 0 < len(found) < 100:
            return everything
    sets = {frozenset(d for k, d in enumerate(now) if d is not None and shapes[0][k] != 1) for now in found}
    return sorted((s for s in sets if len(s) > 1), key=sorted) or everything
