// What the page shows: the tables, the chosen value, and the ways between them.

// link is a value's name that opens the value.
function link(row) {
  const name = rowName(row);
  return el('a', { href: '#' + encodeURIComponent(name), class: 'value' }, name);
}
const linkTo = i => rowOf[i] < rowOf[i + 1] ? link(rowOf[i]) : '%' + names[i];

// typed is a shape with its layout set apart; an order that differs from another one's is marked.
function typed(s, other = null) {
  return [s.type, el('i', { class: reordered(other, s) ? 'differs' : '' }, s.layout)];
}

const columns = [
  { title: 'Value', width: 'minmax(7rem,1.2fr)', sort: 'name', cell: rowName },
  { title: 'Operation', width: 'minmax(5.8rem,.6fr)', sort: 'op', cell: row => D.ops[D.op[instructionOf[row]]] },
  { title: 'Shape', width: 'minmax(12rem,2.4fr)', sort: 'type', cell: row => typed(shapeOf(row), beforeOf(row)) },
  ...(compared ? [{ title: 'Before', width: 'minmax(4rem,.7fr)', cell: row => {
    const b = beforeOf(row);
    return b === null ? el('span', { class: 'new' }, 'new') : b.layout !== shapeOf(row).layout ? el('i', {}, b.layout || 'none') : '';
  } }] : []),
  { title: 'Data', width: '4.9rem', num: true, sort: 'data', cell: row => bytes(shapeOf(row).data) },
  { title: 'Padding', width: '5.2rem', num: true, sort: 'waste', cell: row => shapeOf(row).waste > 0 ? bytes(shapeOf(row).waste) : '' },
  { title: 'Factor', width: '4.2rem', num: true, sort: 'factor', cell: row => shapeOf(row).waste > 0 ? factor(shapeOf(row).factor) : '' },
  { title: 'Source', width: 'minmax(4rem,1fr)', cell: row => { const [name, at] = D.sources[D.source[instructionOf[row]]]; return at || name; } },
];

const filter = { key: 'waste', down: true };
const values = new Grid($('grid-values'), {
  label: 'Values', columns, open: row => go(row),
  order: (key, down) => { filter.key = key; filter.down = down; refresh(); },
});

function refresh() {
  const list = select({ ...filter, text: $('search').value, show: $('show').value, op: $('op').value, space: $('space').value });
  values.mark(filter.key, filter.down);
  values.at = 0;
  values.show(list);
  let waste = 0;
  for (const row of list) waste += Math.max(0, shapeOf(row).waste);
  $('status').textContent = `${number(list.length)} of ${number(rows)} values, ${bytes(waste)} of padding`;
}

for (const [key, [title]] of Object.entries(shown)) $('show').append(el('option', { value: key }, title));
for (const op of [...D.ops].sort()) $('op').append(el('option', { value: op }, op));
for (const space of [...new Set(shapes.map(s => s.space))].filter(Boolean).sort()) $('space').append(el('option', { value: space }, space));
$('filter').addEventListener('submit', e => e.preventDefault());
for (const id of ['search', 'show', 'op', 'space']) $(id).addEventListener('input', refresh);

const instructionColumn = (title, at, index) => ({ title, width: 'minmax(9rem,1.2fr)', cell: x => x[at] < 0 ? '' : '%' + names[x[at]] + (index ? x[index] : '') });
const openInstruction = at => x => { if (x[at] >= 0 && rowOf[x[at]] < rowOf[x[at] + 1]) go(rowOf[x[at]]); };

// table makes a grid of a list of rows that are sorted already.
function table(id, label, list, columns, open) {
  if (!$(id)) return;
  const grid = new Grid($(id), { label, columns, open });
  grid.show(list);
  return grid;
}
const moveColumns = [
  { title: 'Value', width: 'minmax(6rem,.8fr)', cell: r => '%' + names[r[0]] },
  { title: 'Type', width: 'minmax(6.5rem,1fr)', cell: r => shapes[r[2]].type },
  { title: 'From', width: 'minmax(5.5rem,.9fr)', cell: r => shapes[r[1]].layout },
  { title: 'To', width: 'minmax(5.5rem,.9fr)', cell: r => shapes[r[2]].layout },
  { title: 'Times', width: '3.6rem', num: true, cell: r => (r[5] ? '' : '≥ ') + number(r[4]) },
  { title: 'In a run', width: '4.9rem', num: true, cell: r => bytes(r[6]) },
  { title: 'Why', width: 'minmax(9rem,2.2fr)', cell: r => r[7] },
];
table('grid-relayouts', 'Relayouts', D.relayouts, moveColumns, openInstruction(0));
if (D.memory) {
  const size = at => ({ title: 'Bytes', width: '6rem', num: true, cell: x => bytes(x[at]) });
  table('grid-residents', 'Held at the peak', D.memory.residents, [{ title: 'Memory', width: '6rem', cell: x => x[0] }, instructionColumn('Value', 1, 2),
    { title: '', width: '5rem', cell: x => x[3] }, size(4), instructionColumn('From', 5), instructionColumn('To', 6)], openInstruction(1));
  table('grid-kept', 'Kept in HBM', D.memory.kept, [instructionColumn('Value', 0, 1), size(2), { title: 'Why', width: '2fr', cell: x => x[3] }], openInstruction(0));
  table('grid-copies', 'Copies between the memories', D.memory.copies, [instructionColumn('Value', 0, 1), size(2), { title: 'When', width: '3fr', cell: x => x[3] }], openInstruction(0));
}

// The chosen value.

const most = 12; // operands, users and links of a chain that are shown at once
function listOf(items, make) {
  const list = el('ul', {}, ...items.slice(0, most).map(make));
  if (items.length > most) {
    list.append(el('li', {}, el('button', { type: 'button', class: 'more', onclick: () => list.replaceChildren(...items.slice(0, 1000).map(make)) },
      `and ${number(items.length - most)} more`)));
  }
  return list;
}

// line is an instruction as text; that of before reads what new copies read.
function line(row, s, sign) {
  const i = instructionOf[row], other = sign === '-' ? shapeOf(row) : beforeOf(row), d = details();
  const isNew = o => rowOf[o] < rowOf[o + 1] && D.was[rowOf[o]] === 0 && d.counts[o] === 1;
  const was = o => { while (sign === '-' && isNew(o)) [o] = d.operandsOf(o); return o; };
  const operands = d.operandsOf(i).slice(0, 6).map(o => '%' + names[was(o)]).join(', ') + (d.counts[i] > 6 ? ', …' : '');
  return el('div', { class: sign === '-' ? 'old' : sign ? 'fresh' : '' }, (sign ? sign + ' ' : '') + '%' + names[i] + ' = ', ...typed(s, other), ` ${D.ops[D.op[i]]}(${operands})`);
}

function show(row) {
  const d = details(), i = instructionOf[row], s = shapeOf(row), b = beforeOf(row), c = computationOf[i];
  const facts = el('dl');
  const fact = (name, ...what) => facts.append(el('dt', {}, name), el('dd', {}, ...what));
  const [, , runs, exact] = D.computations[c];
  fact('Operation', D.ops[D.op[i]], ' in ', computationName(c), runs > 1 || !exact && runs ? `, ${exact ? '' : 'at least '}${number(runs)} times a run` : '');
  if (d.caller.has(c)) fact('Called by', linkTo(d.caller.get(c)));
  fact('Shape', el('code', {}, ...typed(s, b)));
  if (s.data >= 0 && s.space) {
    fact('Size', bytes(s.padded), s.waste > 0 ? `: ${bytes(s.data)} of data and ${bytes(s.waste)} of padding, ${factor(s.factor)}` : ', all of it data');
    if (s.waste > 0 && s.why) fact('Padded', s.why);
    if (inMemory(row)) {
      const why = keptOf().get(rowName(row).slice(1));
      fact('Memory', s.space, why ? `: ${why}` : '');
    } else fact('Memory', 'none of its own: it passes on what others hold, or lies inside of a fusion');
  }
  for (const [order, n] of s.orders) fact('As ' + order, `it would take ${bytes(n)}`);
  const [name, at] = D.sources[D.source[i]];
  if (name) fact('op_name', name);
  if (at) fact('Line', at);

  const parts = [el('h2', { tabindex: -1, id: 'chosen' }, rowName(row)), facts];
  const section = (title, ...what) => parts.push(el('h3', {}, title), ...what);
  const move = relayoutOf().get(i);
  if (move) section('What it costs', el('p', {}, `It writes ${bytes(move[3])}${move[4] > 1 ? `, ${number(move[4])} times, ${bytes(move[6])} in a run` : ''}: ${move[7]}.`));
  if (compared) {
    section('Before and after', el('pre', {}, ...(b === null ? [line(row, s, '+')] : b.layout === s.layout ? [line(row, s, '')] : [line(row, b, '-'), line(row, s, '+')])));
  }
  const why = chain(row);
  if (why.length) section('Why this layout', el('ol', { class: 'chain' }, ...why.map(reason)));
  const operands = d.operandsOf(i), users = d.usersOf(i), callees = d.callees.get(i) ?? [];
  const item = k => el('li', {}, linkTo(k), ' ', el('code', {}, ...(rowOf[k + 1] - rowOf[k] === 1 ? typed(shapeOf(rowOf[k])) : ['a tuple'])));
  if (operands.length) section(`Reads ${number(operands.length)}`, listOf(operands, item));
  section(users.length ? `Read by ${number(users.length)}` : 'Read by none here', users.length ? listOf(users, item) : '');
  if (callees.length) section('Calls', listOf(callees, k => el('li', {}, computationName(computationOf[k]), ': ', linkTo(k))));
  const svg = pictures()[D.shape[row]];
  if (svg) {
    const drawing = document.importNode(new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement, true);
    section('In memory', el('div', { class: 'tiles', tabindex: 0, role: 'group', 'aria-label': 'Tiles' }, drawing));
  }
  $('detail').replaceChildren(...parts);
  $('detail').scrollTop = 0;
}

// reason is one link of a chain.
function reason(row) {
  const d = details(), [text, priority, mandatory] = d.rules[d.rule[row] - 1];
  const from = d.from[row] ? [' (', linkTo(instructionOf[row] - d.from[row]), ')'] : [];
  const strength = (mandatory ? '; mandatory' : '') + (priority ? `${mandatory ? ',' : ';'} priority ${priority}` : '');
  return el('li', {}, link(row), ' ', el('code', {}, ...typed(shapeOf(row))), el('p', {}, 'because: ', text, ...from, strength),
    ...(d.beatOf.get(row) ?? []).map(b => el('p', { class: 'soft' }, `it replaced ${b.order}: ${b.rule}`, ...(b.from >= 0 ? [' (', linkTo(b.from), ')'] : []))));
}

// go opens a value; the address of the page keeps which, so that the browser's way back works.
function go(row) {
  const hash = '#' + encodeURIComponent(rowName(row));
  if (location.hash === hash) route(); else location.hash = hash;
}

let place = null; // where the focus was before a value was opened
function route() {
  let name = '';
  try { name = decodeURIComponent(location.hash.slice(1)); } catch { return; }
  if (!name.startsWith('%')) return;
  const row = rowNamed(name);
  if (row < 0) return;
  if (!$('detail').contains(document.activeElement)) place = document.activeElement;
  show(row);
  $('chosen').focus({ preventScroll: true });
  if ($('detail').getBoundingClientRect().top > innerHeight - 100) $('tables').scrollIntoView();
}
addEventListener('hashchange', route);

const tabs = [...document.querySelectorAll('[role=tab]')];
function choose(tab) {
  for (const t of tabs) {
    t.setAttribute('aria-selected', t === tab);
    t.tabIndex = t === tab ? 0 : -1;
    $(t.getAttribute('aria-controls')).hidden = t !== tab;
  }
}
for (const [k, tab] of tabs.entries()) {
  tab.addEventListener('click', () => choose(tab));
  tab.addEventListener('keydown', e => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!step) return;
    const next = tabs[(k + step + tabs.length) % tabs.length];
    choose(next);
    next.focus();
  });
}

document.addEventListener('click', e => {
  const from = e.target.closest('[data-query],[data-value]');
  if (!from) return;
  e.preventDefault();
  if (from.dataset.value) {
    const row = rowNamed(from.dataset.value);
    if (row >= 0) go(row);
    return;
  }
  choose($('tab-values'));
  $('search').value = from.dataset.query;
  $('show').value = from.dataset.show;
  $('op').value = $('space').value = '';
  refresh();
  $('tables').scrollIntoView();
  $('grid-values').focus({ preventScroll: true });
});

document.addEventListener('keydown', e => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);
  if (e.ctrlKey || e.altKey || e.metaKey) return;
  if (e.key === '/' && !typing) { choose($('tab-values')); $('search').focus(); $('search').select(); }
  else if (e.key === 'Escape' && $('detail').contains(e.target)) (place?.isConnected && place !== document.body ? place : $('grid-values')).focus();
  else if (e.key === 'Escape' && e.target === $('search')) { $('search').value = ''; refresh(); $('grid-values').focus(); }
  else if (e.key === 'ArrowDown' && e.target === $('search')) $('grid-values').focus();
  else if (e.key === 'Backspace' && !typing && $('detail').contains(e.target)) history.back();
  else return;
  e.preventDefault();
});

refresh();
route();
(window.requestIdleCallback ?? setTimeout)(() => keys.name()); // what takes longest, before it is asked for
if (!$('chosen') && values.items.length) setTimeout(() => { if (!$('chosen')) show(values.items[0]); }); // the worst one
