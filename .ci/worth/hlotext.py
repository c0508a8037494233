"""Reads of HLO text what measure.py compares: instructions with layouts, and the header's entry layouts."""
import re
from collections import namedtuple

Array = namedtuple("Array", "dtype dims layout")
Value = namedtuple("Value", "name opcode array op_name computation fused")
ARRAY = re.compile(r"(pred|[a-z]+\d+\w*)\[([\d,<=]*)\](?:\{([\d,]*)(?::([^}]*))?\})?")
LINE = re.compile(r"  (?:ROOT )?%?([\w.-]+) = (\([^=]*?\)|\S+) ([\w-]+)\(")
OP_NAME = re.compile(r'op_name="((?:[^"\\]|\\.)*)"')
HEAD = re.compile(r"^(ENTRY )?%?([\w.-]+) .*\{$|^(ENTRY )?%?([\w.-]+) \{$")


def arrays(text):
    """The arrays of a shape, in order. The layout is the text between the braces, None without."""
    out = []
    for m in ARRAY.finditer(text):
        layout = None if m[3] is None else m[3] + (":" + m[4] if m[4] else "")
        out.append(Array(m[1], tuple(int(d) for d in m[2].split(",") if d), layout))
    return out


def order(array):
    """minor_to_major without dimensions of one element, None without a layout."""
    if array.layout is None:
        return None
    digits = array.layout.split(":")[0]
    return tuple(int(d) for d in digits.split(",") if d and array.dims[int(d)] != 1)


def values(text):
    """The instructions that make one array."""
    out, computation, fused = [], "", set(re.findall(r"kind=k\w+[^\n]*?calls=%?([\w.-]+)", text))
    for line in text.splitlines():
        if not line.startswith(" "):
            m = HEAD.match(line)
            if m:
                computation = m[2] or m[4]
            continue
        m = LINE.match(line)
        if not m or m[2].startswith("("):
            continue
        found, name = arrays(m[2]), OP_NAME.search(line)
        if found:
            out.append(Value(m[1], m[3], found[0], name[1] if name else "", computation, computation in fused))
    return out


def interface(text):
    """The arrays of entry_computation_layout: parameters and results."""
    m = re.search(r"entry_computation_layout=\{(.*)\}", text.split("\n", 1)[0])
    body = re.sub(r"/\*index=\d+\*/", "", m[1]) if m else ""
    depth = 0
    for i, c in enumerate(body):  # up to the brace that closes the attribute
        depth += c in "({" and 1 or c in ")}" and -1 or 0
        if depth < 0:
            body = body[:i]
            break
    parameters, _, results = body.partition("->")
    return arrays(parameters), arrays(results)
