// Tables as grids of texts.

const MAX_ROWS = 500;

function isCellShown(cell) {
  if (!cell.getClientRects().length) return false;
  const style = styleOf(cell);
  return style.visibility === 'visible' && fadeOf(style) >= FAINT && isLegible(cell, style, groundOn(cell));
}

// A grid of texts, merged cells repeated; null for tables that only lay out a page.
function readTable(el) {
  const isNative = el.localName === 'table';
  const rowsOf = isNative ? [...el.rows] : [...el.querySelectorAll('[role=row]')].filter((row) => closest(parentOf(row), (at) => ['table', 'grid', 'treegrid'].includes(explicitRole(at)) || at.localName === 'table') === el);
  const cellsOf = (row) => (isNative ? [...row.cells] : [...row.querySelectorAll('[role=cell],[role=gridcell],[role=columnheader],[role=rowheader],td,th')]);
  const isHead = (cell) => cell.localName === 'th' || ['columnheader', 'rowheader'].includes(explicitRole(cell));
  const visible = rowsOf.filter((row) => row.getClientRects().length > 0);
  if (!visible.length) return null;
  const hasHeads = visible.some((row) => cellsOf(row).some(isHead));
  if (!hasHeads && (visible.length < 2 || cellsOf(visible[0]).length < 2 || el.querySelector('table'))) return null;
  const grid = []; const cells = new Map(); const headRows = []; const trs = [];
  const pending = [];
  let isCut = false;
  const bodyOf = [];
  visible.forEach((row, r) => {
    if (bodyOf.length >= MAX_ROWS) { isCut = true; return; }
    const own = cellsOf(row);
    const line = []; let column = 0;
    const place = () => { while (pending[column] && pending[column].left > 0) { line[column] = pending[column].text; pending[column].left -= 1; column += 1; } };
    const isHeadRow = own.length > 0 && (isNative && parentOf(row).localName === 'thead' || own.every(isHead) && own.length > 1 && bodyOf.length === 0
      || own.every((cell) => explicitRole(cell) === 'columnheader'));
    for (const cell of own) {
      place();
      const text = isPlain(cell) ? cut(isCellShown(cell) ? fold(cell.textContent) : '', 300) : fold(textOf(cell, 300));
      const across = Math.min(cell.colSpan || +attr(cell, 'aria-colspan') || 1, 100);
      const down = cell.rowSpan === 0 ? visible.length - r : cell.rowSpan || +attr(cell, 'aria-rowspan') || 1;
      cells.set(cell, { row: isHeadRow ? -1 : bodyOf.length, column });
      for (let i = 0; i < across; i += 1) { line[column] = text; pending[column] = { text, left: down - 1 }; column += 1; }
    }
    place();
    const full = Array.from(line, (text) => text || '');
    if (isHeadRow) headRows.push(full);
    else { bodyOf.push(full); trs.push(row); }
    grid.push(full);
  });
  const width = Math.max(0, ...grid.map((line) => line.length));
  const headers = [];
  for (let i = 0; i < width; i += 1) headers.push(headRows.length ? [...new Set(headRows.map((line) => line[i] || '').filter(Boolean))].join(' ') : '');
  return { headers: headers.some(Boolean) ? headers : [], rows: bodyOf, cells, trs, isCut };
}
