// The data of the page: columns, as package html describes them, and questions about them.

const $ = id => document.getElementById(id);
const parse = id => JSON.parse($(id).textContent);

const D = parse('data-values');
const names = D.names.split('\n');
const instructions = D.op.length;
const rows = D.shape.length;
const compared = D.was.length > 0;

// rowOf[i] is the first row of instruction i, rowOf[i + 1] the one behind its last.
const rowOf = new Int32Array(instructions + 1);
const instructionOf = new Int32Array(rows);
{
  const count = new Int32Array(instructions).fill(1);
  for (let i = 0; i < D.leaves.length; i += 2) count[D.leaves[i]] = D.leaves[i + 1];
  let row = 0;
  for (let i = 0; i < instructions; i++) {
    rowOf[i] = row;
    for (let end = row + count[i]; row < end; row++) instructionOf[row] = i;
  }
  rowOf[instructions] = row;
}

// Of computations and shapes the tables are short: what is asked of a row is asked of them once.
const computationOf = new Int32Array(instructions);
D.computations.forEach(([, first], c) => {
  const end = c + 1 < D.computations.length ? D.computations[c + 1][1] : instructions;
  computationOf.fill(c, first, end);
});
const shapes = D.shapes.map(([type, layout, data, padded, space, why, orders]) => ({
  type, layout, data, padded, space, why, orders,
  waste: padded - data,
  factor: data > 0 ? padded / data : 1,
  order: layout.replace(/:.*/, '}'),
}));

// reordered says whether a shape has another order of dimensions than before; one without a layout had none.
const reordered = (before, s) => before !== null && before.layout !== '' && before.order !== s.order;

const once = make => { let made; return () => made ??= make(); };

const details = once(() => {
  const d = parse('data-details');
  const start = new Int32Array(instructions + 1);
  for (let i = 0; i < instructions; i++) start[i + 1] = start[i] + d.counts[i];
  d.operandsOf = i => d.operands.slice(start[i], start[i + 1]).map(back => i - back);
  const users = new Int32Array(instructions + 1);
  for (let i = 0; i < instructions; i++) for (let k = start[i]; k < start[i + 1]; k++) users[i - d.operands[k] + 1]++;
  for (let i = 0; i < instructions; i++) users[i + 1] += users[i];
  const list = new Int32Array(d.operands.length), next = users.slice();
  for (let i = 0; i < instructions; i++) for (let k = start[i]; k < start[i + 1]; k++) list[next[i - d.operands[k]]++] = i;
  d.usersOf = i => [...new Set(list.subarray(users[i], users[i + 1]))];
  d.beatOf = new Map();
  for (const [row, rule, from, ...order] of d.beat) {
    if (!d.beatOf.has(row)) d.beatOf.set(row, []);
    d.beatOf.get(row).push({ rule: d.rules[rule][0], from, order: '{' + order.join() + '}' });
  }
  d.caller = new Map();
  d.callees = new Map();
  for (const [by, first] of d.calls) {
    if (!d.caller.has(computationOf[first])) d.caller.set(computationOf[first], by);
    if (!d.callees.has(by)) d.callees.set(by, []);
    d.callees.get(by).push(first);
  }
  return d;
});

const pictures = once(() => parse('data-pictures'));
const relayoutOf = once(() => new Map(D.relayouts.map(r => [r[0], r])));
const keptOf = once(() => new Map((D.memory?.kept ?? []).map(([i, index, , why]) => [names[i] + index, why])));

const flat = (row, i) => rowOf[i + 1] - rowOf[i] > 1 ? '{' + (row - rowOf[i]) + '}' : '';
const rowName = row => {
  const i = instructionOf[row];
  return '%' + names[i] + (D.index[row] ?? flat(row, i));
};
const shapeOf = row => shapes[D.shape[row]];
const beforeOf = row => compared && D.was[row] ? shapes[D.was[row] - 1] : null;
const inMemory = row => D.flags.charCodeAt(row) === 49;
const computationName = c => '%' + D.computations[c][0];
const runsOf = i => D.computations[computationOf[i]][2];

// rowNamed returns the row of %name{1}, -1 for none.
const byName = once(() => {
  const map = new Map();
  for (let i = instructions - 1; i >= 0; i--) map.set(names[i], i); // the first of two wins
  return map;
});
function rowNamed(text) {
  const [, name, index] = /^%?(.*?)(\{[\d,]*\})?$/s.exec(text);
  const i = byName().get(name) ?? -1;
  if (i < 0 || rowOf[i] === rowOf[i + 1]) return -1;
  if (index) for (let row = rowOf[i]; row < rowOf[i + 1]; row++) if (rowName(row).endsWith(index)) return row;
  return rowOf[i];
}

// chain returns the rows from one back to what forced its layout; where a source has several parts, the one of the same order.
function chain(row) {
  const d = details(), out = [];
  while (d.rule[row] && !out.includes(row)) {
    out.push(row);
    const from = d.from[row];
    if (!from) break;
    const source = instructionOf[row] - from;
    let next = -1;
    for (let r = rowOf[source]; r < rowOf[source + 1]; r++) {
      if (!d.rule[r]) continue;
      if (next < 0) next = r;
      if (shapeOf(r).order === shapeOf(row).order) { next = r; break; }
    }
    if (next < 0) break;
    row = next;
  }
  return out;
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
function bytes(n) {
  if (n < 0) return '?';
  let k = 0;
  while (n >= 1024 && k < units.length - 1) { n /= 1024; k++; }
  return n.toFixed(1).replace('.0', '') + ' ' + units[k];
}
const factor = x => x.toFixed(x < 1.1 ? 2 : 1) + '×';
const number = n => n.toLocaleString('en-US');

// ranks gives each entry of a short table the rank of its key.
function ranks(list) {
  const sorted = [...new Set(list)].sort((a, b) => a < b ? -1 : a > b ? 1 : 0);
  const rank = new Map(sorted.map((v, k) => [v, k]));
  return Int32Array.from(list, v => rank.get(v));
}

// nameRanks ranks the instructions by name, with numbers at the end as numbers: add.2 before add.10. Comparing 178,000 strings would
// take most of a second; the few names that are left without their numbers are compared, and numbers mostly rise already.
function nameRanks() {
  const of = new Float64Array(instructions), groups = new Map();
  for (let i = 0; i < instructions; i++) {
    const name = names[i], dot = name.lastIndexOf('.');
    const digits = dot > 0 && name.length - dot < 12 ? name.slice(dot + 1) : '';
    const n = digits ? +digits : NaN;
    const base = n >= 0 ? name.slice(0, dot) : name;
    of[i] = n >= 0 ? n : -1;
    const group = groups.get(base);
    if (group) group.push(i); else groups.set(base, [i]);
  }
  const out = new Int32Array(instructions);
  let rank = 0;
  for (const base of [...groups.keys()].sort()) for (const i of groups.get(base).sort((a, b) => of[a] - of[b])) out[i] = rank++;
  return out;
}

// What the rows can be sorted by: a small number a row. Keys of shapes and operations are ranked in their short tables.
const keys = {
  name: once(() => { const r = nameRanks(); return row => r[instructionOf[row]]; }),
  op: once(() => { const r = ranks(D.ops); return row => r[D.op[instructionOf[row]]]; }),
};
for (const k of ['type', 'data', 'waste', 'factor']) keys[k] = once(() => { const r = ranks(shapes.map(s => s[k])); return row => r[D.shape[row]]; });

// sorted returns all rows in the order of a key, equal ones in the order of the text: a counting sort, for there are few keys.
const sortings = new Map();
function sorted(key, down) {
  const id = key + down;
  if (sortings.has(id)) return sortings.get(id);
  const rank = keys[key](), of = new Int32Array(rows);
  let most = 0;
  for (let row = 0; row < rows; row++) { of[row] = rank(row); if (of[row] > most) most = of[row]; }
  const start = new Int32Array(most + 2);
  for (let row = 0; row < rows; row++) start[(down ? most - of[row] : of[row]) + 1]++;
  for (let k = 0; k <= most; k++) start[k + 1] += start[k];
  const out = new Int32Array(rows);
  for (let row = 0; row < rows; row++) out[start[down ? most - of[row] : of[row]]++] = row;
  if (sortings.size > 6) sortings.clear();
  sortings.set(id, out);
  return out;
}

const lower = once(() => { const text = D.names.toLowerCase(); return text.length === D.names.length ? text : D.names; });
const offsets = once(() => {
  const out = new Int32Array(instructions + 1);
  for (let i = 0; i < instructions; i++) out[i + 1] = out[i] + names[i].length + 1;
  return out;
});

// marks returns which instructions have a word in their name, operation, computation or place, and which shapes.
function marks(word) {
  const has = text => text.toLowerCase().includes(word);
  const op = D.ops.map(has), source = D.sources.map(([name, line]) => has(name) || has(line));
  const comp = D.computations.map(([name]) => has('%' + name));
  const hit = new Uint8Array(instructions);
  const bare = word.replace(/^%/, '').replace(/\{[\d,]*\}$/, '');
  const text = lower(), at = offsets();
  for (let p = bare ? text.indexOf(bare) : -1, i = 0; p >= 0; p = text.indexOf(bare, at[i + 1])) {
    let high = instructions;
    while (i + 1 < high) { const mid = (i + high) >> 1; if (at[mid] <= p) i = mid; else high = mid; }
    hit[i] = 1;
    if (i + 1 >= instructions) break;
  }
  for (let i = 0; i < instructions; i++) if (op[D.op[i]] || source[D.source[i]] || comp[computationOf[i]]) hit[i] = 1;
  return { hit, shape: shapes.map(s => has(s.type + s.layout)) };
}

// What the rows can be cut down to.
const shown = {
  memory: ['arrays in memory', () => true],
  padded: ['with padding', row => shapeOf(row).waste > 0],
  moves: ['relayouts', row => relayoutOf().has(instructionOf[row])],
  ...(compared && {
    changed: ['in another order than before', row => reordered(beforeOf(row), shapeOf(row))],
    new: ['new instructions', row => D.was[row] === 0],
  }),
  all: ['everything, fusions too', () => true],
};

// select returns the rows that fit, in order.
function select({ text = '', show = 'memory', op = '', space = '', key = 'waste', down = true }) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean).map(marks);
  const fits = shown[show][1], everything = show === 'all';
  const opNumber = op === '' ? -1 : D.ops.indexOf(op);
  const spaces = shapes.map(s => space === '' || s.space === space);
  const out = new Int32Array(rows);
  let n = 0;
  next: for (const row of sorted(key, down)) {
    if (!everything && !inMemory(row)) continue;
    const i = instructionOf[row], s = D.shape[row];
    if (opNumber >= 0 && D.op[i] !== opNumber || !spaces[s]) continue;
    for (const w of words) if (!w.hit[i] && !w.shape[s]) continue next;
    if (fits(row)) out[n++] = row;
  }
  return out.subarray(0, n);
}
