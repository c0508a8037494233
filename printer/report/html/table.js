// A table of any length: only the rows in sight are in the document.

function el(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes)) {
    if (k === 'class') e.className = v;
    else if (k.startsWith('on')) e.addEventListener(k.slice(2), v);
    else if (v !== null) e.setAttribute(k, v);
  }
  e.append(...children.filter(c => c !== null && c !== undefined));
  return e;
}

const rowHeight = 27;
const tallest = 12e6; // pixels; browsers draw nothing beyond some 16 million

// Grid shows items in root. Columns have a title, a width for CSS, cell(item) for the text or the parts of a cell, and may be
// num and sort (a key). open(item) is called for a click or Enter; order(key, down) when a heading is pressed.
class Grid {
  constructor(root, { label, columns, open, order }) {
    Object.assign(this, { root, columns, open, items: [], at: 0, lines: [] });
    root.setAttribute('role', 'grid');
    root.setAttribute('aria-label', label);
    root.setAttribute('aria-colcount', columns.length);
    root.tabIndex = 0;
    root.style.setProperty('--columns', columns.map(c => c.width).join(' '));
    this.head = el('div', { role: 'row', class: 'head', 'aria-rowindex': 1 }, ...columns.map(c =>
      el('div', { role: 'columnheader', class: c.num ? 'num' : '' }, c.sort
        ? el('button', { type: 'button', onclick: () => order(c.sort, this.sortedBy === c.sort ? !this.down : !!c.num) }, c.title)
        : c.title)));
    this.body = el('div', { role: 'presentation', class: 'body', tabindex: -1, onscroll: () => this.draw() });
    this.space = el('div', { role: 'presentation', class: 'space' });
    this.body.append(this.space);
    root.replaceChildren(this.head, this.body);
    root.addEventListener('keydown', e => this.key(e));
    new ResizeObserver(() => this.draw()).observe(this.body);
  }

  // show replaces the items.
  show(items) {
    this.items = items;
    this.at = Math.min(this.at, Math.max(items.length - 1, 0));
    this.root.setAttribute('aria-rowcount', items.length + 1);
    this.height = Math.min(items.length * rowHeight, tallest);
    this.space.style.height = this.height + 'px';
    this.body.scrollTop = 0;
    this.draw(true);
  }

  // mark shows by which key the items are sorted.
  mark(key, down) {
    this.sortedBy = key;
    this.down = down;
    this.columns.forEach((c, k) => {
      if (c.sort) this.head.children[k].setAttribute('aria-sort', c.sort !== key ? 'none' : down ? 'descending' : 'ascending');
    });
  }

  // stretch is how many pixels of rows one pixel of the scroll bar stands for.
  stretch() {
    const view = this.body.clientHeight;
    return this.height > view ? (this.items.length * rowHeight - view) / (this.height - view) : 1;
  }

  draw(fresh) {
    const view = this.body.clientHeight, top = this.body.scrollTop * this.stretch();
    const from = Math.max(0, Math.floor(top / rowHeight) - 2);
    const to = Math.min(this.items.length, Math.ceil((top + view) / rowHeight) + 2);
    while (this.lines.length < to - from) {
      const line = el('div', { role: 'row', class: 'row' }, ...this.columns.map(c => el('div', { role: 'gridcell', class: c.num ? 'num' : '' })));
      line.addEventListener('click', () => { this.move(line.index); this.root.focus({ preventScroll: true }); this.open?.(this.items[line.index]); });
      this.lines.push(line);
      this.space.append(line);
    }
    const used = new Set();
    for (let k = from; k < to; k++) {
      const line = this.lines[k % this.lines.length];
      used.add(line);
      line.style.transform = `translateY(${k * rowHeight - top + this.body.scrollTop}px)`;
      if (line.index !== k || fresh) this.fill(line, k);
      line.hidden = false;
      const chosen = k === this.at;
      line.setAttribute('aria-selected', chosen);
      if (chosen) this.root.setAttribute('aria-activedescendant', line.id);
    }
    for (const line of this.lines) if (!used.has(line)) { line.hidden = true; line.index = -1; }
    if (this.items.length === 0) this.root.removeAttribute('aria-activedescendant');
  }

  fill(line, k) {
    line.index = k;
    line.id = this.root.id + '-' + k;
    line.setAttribute('aria-rowindex', k + 2);
    this.columns.forEach((c, n) => {
      const cell = c.cell(this.items[k]);
      line.children[n].replaceChildren(...[].concat(cell));
      line.children[n].title = line.children[n].textContent;
    });
  }

  move(k) {
    if (this.items.length === 0) return;
    this.at = Math.max(0, Math.min(this.items.length - 1, k));
    const y = this.at * rowHeight, view = this.body.clientHeight, top = this.body.scrollTop * this.stretch();
    if (y < top) this.body.scrollTop = y / this.stretch();
    else if (y + rowHeight > top + view) this.body.scrollTop = (y + rowHeight - view) / this.stretch();
    this.draw();
  }

  key(e) {
    if (e.target !== this.root && e.target !== this.body || e.ctrlKey || e.altKey || e.metaKey) return;
    const page = Math.max(1, Math.floor(this.body.clientHeight / rowHeight) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (e.key in steps) this.move(this.at + steps[e.key]);
    else if (e.key === 'Enter' && this.items.length) this.open?.(this.items[this.at]);
    else return;
    e.preventDefault();
  }
}
