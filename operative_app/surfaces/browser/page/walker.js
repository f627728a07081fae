// The one pass over the composed tree: what can be acted on, visible text, tables, and what surrounds each.

const LANDMARKS = { nav: 'navigation', aside: 'complementary', footer: 'footer', header: 'header', search: 'search' };
const LANDMARK_ROLES = { navigation: 'navigation', complementary: 'complementary', contentinfo: 'footer', banner: 'header', search: 'search' };
const GROUPS = new Set(['fieldset', 'section', 'form', 'article', 'dialog', 'table', 'iframe']);
const GROUP_ROLES = new Set(['group', 'radiogroup', 'region', 'form', 'article', 'dialog', 'alertdialog', 'tabpanel', 'toolbar', 'menu',
  'listbox', 'grid', 'list', 'tree', 'tablist', 'menubar', 'feed', 'figure']);
const SECTIONS = new Set(['section', 'article', 'nav', 'aside', 'li', 'td', 'th', 'form', 'fieldset', 'dialog', 'table', 'ul', 'ol', 'footer', 'main']);
const ITEMS = new Set(['li', 'article']);
const ITEM_ROLES = new Set(['listitem', 'row', 'article', 'option', 'treeitem']);
const TEXT_ROLES = { p: 'paragraph', li: 'listitem', td: 'cell', th: 'cell', label: 'label', legend: 'label', caption: 'label', output: 'status' };

const KEPT = new Set(['body', 'table', 'tbody', 'thead', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'caption']);
const TABLES = 'table, [role=table], [role=grid], [role=treegrid]';
const CONTROLS = 'a[href], button, input, select, textarea, [role=button]';

// What holds for an element and, unless it says otherwise, for all inside it. One is made for each element.
class Place {
  constructor(c, tag, n, ctx, run) {
    this.up = c; this.tag = tag; this.n = n; this.knownPath = ''; this.ground = undefined;
    this.f = c.f; this.ctx = ctx; this.clip = c.clip; this.absClip = c.absClip; this.hid = c.hid;
    this.scroller = c.scroller; this.absScroller = c.absScroller; this.grip = c.grip; this.form = c.form;
    this.pointer = c.pointer; this.control = c.control; this.item = c.item; this.table = c.table; this.cell = c.cell;
    this.buf = c.buf; this.role = c.role; this.level = c.level; this.depth = c.depth + 1; this.style = c.style;
    this.vis = c.vis; this.fade = c.fade; this.mute = c.mute; this.labelled = c.labelled; this.ownItem = null; this.isHeading = false; this.isMenu = false;
    this.isMenuOpen = false; this.ink = undefined; this.run = run; this.runIndex = -1;
  }

  // Tag names with sibling numbers from the frame's root.
  get path() {
    if (!this.knownPath) this.knownPath = this.n ? `${this.up.path}>${this.tag}[${this.n}]` : this.tag;
    return this.knownPath;
  }
}

// The origin of a frame's document; where it has none (sandboxed) its address.
const comesFrom = (win) => (win.origin && win.origin !== 'null' ? win.origin : String(win.location.href).slice(0, 2000));

class Pass extends BoundedPass {
  constructor(options) {
    super();
    this.o = options;
    this.end = performance.now() + options.time_ms;
    this.elements = []; this.texts = []; this.tables = []; this.foreign = []; this.leftOut = new Set();
    this.count = 0; this.frames = 0; this.chars = 0; this.dropped = 0; this.outOfSight = 0; this.isCut = false;
    this.modal = ''; this.modalBox = null; this.scrollers = []; this.hosts = []; this.emptyHosts = []; this.hasDrags = false;
    this.window = null; this.live = null; this.farAbove = 0; this.farBelow = 0; this.hasFarText = false;
    this.docs = []; this.within = [];
    forgetGrounds();
    this.focus = focusedNode();
  }

  frame(doc, f) {
    this.frames += 1;
    f.doc = doc; f.win = doc.defaultView; f.children = 0;
    watch(doc);
    this.docs.push(doc);
    if (f.path) this.within.push([f.path, comesFrom(f.win), f.area]);
    if (!doc.body) return;
    if (!this.window && doc.getElementsByTagName('*').length > this.o.whole_nodes) this.openWindow();
    const ctx = f.ctx;
    f.range = doc.createRange();
    f.scroller = f.path ? this.frameScroller(doc, f) : null;
    const above = {
      scroller: f.scroller, absScroller: f.scroller, grip: false, form: null,
      f, clip: f.clip, absClip: f.clip, hid: false, pointer: false, control: null, item: f.item || null, table: null, cell: null,
      buf: newBuffer(doc.body), role: 'text', level: 0, depth: 0, style: null, vis: true, fade: 1, mute: false, labelled: null,
    };
    this.element(doc.body, above, new Place(above, 'body', 0, ctx, null));
  }

  // Visits an element; returns the heading it exposes to what follows it, or null.
  // `c` is the place it stands in, `d` its own, still equal to `c` but for path, context and run.
  element(el, c, d) {
    if (this.isCut) return null;
    if (++this.count === this.o.whole_nodes && !this.window) this.openWindow();
    if (this.count > this.o.max_nodes) return this.stop(`only the first ${this.o.max_nodes} parts of the page were looked at`);
    if ((this.count & 255) === 0 && performance.now() > this.end) return this.stop('the page is too large to be read whole in time');
    if (d.depth > this.o.max_depth) { this.leftOut.add('parts nested very deeply were left out'); return null; }
    const tag = el.localName;
    if (SKIPPED.has(tag)) return null;
    if (tag === 'br') { c.buf.parts.push(' '); return null; }
    const f = c.f;
    const style = styleOf(el);
    const display = style.display;
    if (d.run && (display !== 'none' || isField(el))) d.runIndex = d.run.next++;
    if (display === 'none') { this.unseen(el, d); return null; }
    const isInline = display === 'inline' || display === 'contents';
    const isFlow = display.startsWith('inline') || display === 'contents';
    if (this.window && !isFlow && this.isFar(el, f)) return null;
    const position = style.position;
    d.fade = c.fade * fadeOf(style);
    const overflowX = isInline ? 'visible' : style.overflowX;
    d.mute = c.mute || !isInline && isCutAway(el, style, overflowX);
    const hid = c.hid || d.fade < FAINT;
    let clip = position === 'fixed' ? f.clip : position === 'absolute' ? c.absClip : c.clip;
    let absClip = position === 'fixed' ? f.clip : c.absClip;
    let own = null;
    d.scroller = position === 'fixed' ? f.scroller : position === 'absolute' ? c.absScroller : c.scroller;
    if (position === 'fixed') d.absScroller = f.scroller;
    let isGone = hid;
    if (!isInline) {
      if (overflowX !== 'visible' && (tag !== 'body' || isBodyScroller(el, f.win)) && !isField(el)) {
        const box = this.box(el, f);
        const isScroller = /auto|scroll/.test(overflowX + style.overflowY);
        if (!isScroller && (box.w < 2 || box.h < 2)) isGone = true;
        if (isScroller && !isGone) own = this.scrollerOf(el, d, box);
        clip = cross(clip, box);
      }
      if (position === 'absolute' || position === 'fixed') isGone = isGone || isClippedAway(el, style);
      if (position !== 'static') { absClip = clip; d.absScroller = own || d.scroller; }
    }
    const explicit = explicitRole(el);
    const native = nativeRole(el);
    const role = explicit && explicit !== 'presentation' && explicit !== 'none' && explicit !== 'generic' ? explicit : native;
    d.clip = clip; d.absClip = absClip; d.hid = isGone; d.style = style; d.vis = style.visibility === 'visible';
    this.enter(el, d, role, explicit, isFlow);
    const rec = this.control(el, d, role, explicit, native, c);
    if (rec && tag === 'textarea') own = this.scrollerOf(el, d, this.box(el, f));
    if (own) this.openScroller(own, el, d, rec, explicit);
    if (!isFlow) { this.flush(c.buf); d.buf = newBuffer(el); } else if (!isInline) c.buf.parts.push(' ');
    if (rec) d.control = rec;
    if (!isFlow) d.buf.control = d.control;

    let heading = null;
    const first = this.elements.length;
    const shadow = shadowOf(el);
    if (shadow) watch(shadow);
    else if (tag.includes('-') || EMPTY_HOSTS.has(tag) && !el.firstChild) this.maybeClosed(el, d);
    if (tag === 'iframe' || tag === 'frame') this.inner(el, d);
    else if (isField(el) || native === 'textbox' || tag === 'canvas' || tag === 'video' || tag === 'audio') { /* nothing of its own inside */ }
    else heading = this.children(el, d);

    if (!isFlow) { this.flush(d.buf); } else if (!isInline) c.buf.parts.push(' ');
    if (d.ownItem) this.closeItem(d.ownItem, c.item);
    if (d.isHeading) {
      const text = lineOf(el, 100);
      for (let item = d.item; item; item = null) if (text && !item.heading) item.heading = text;
      return text ? { level: d.level, text } : null;
    }
    const controls = this.elements.length - first;
    if (tag === 'dt') return { level: 7, text: lineOf(el, 100) };
    if (SECTIONS.has(tag) || explicit && GROUP_ROLES.has(explicit)) return null;
    if (d.ownItem && (controls > 0 || d.ownItem.first)) return null;
    const isHeader = tag === 'header' || /head|title/i.test(attr(el, 'class'));
    return controls === 0 || (isHeader && controls <= 3) ? heading : null;
  }

  children(el, d) {
    const kids = kidsOf(el);
    const style = d.style;
    if (el.localName === 'details' && !el.open) {
      for (const kid of kids) if (kid.localName === 'summary') { this.element(kid, d, new Place(d, 'summary', 1, d.ctx, null)); break; }
      return null;
    }
    if (style.contentVisibility === 'hidden') return null;
    const runs = kids.length > 1 ? runsOf(kids) : null;
    const counts = new Map();
    const heads = [];
    let exposed = null;
    const base = d.ctx;
    let ctx = base;
    for (const kid of kids) {
      if (kid.nodeType === 3) { this.text(kid, d, el); continue; }
      if (kid.nodeType !== 1) continue;
      const tag = kid.localName;
      const n = (counts.get(tag) || 0) + 1;
      counts.set(tag, n);
      if (SKIPPED.has(tag)) continue;
      const heading = this.element(kid, d, new Place(d, tag, n, ctx, (runs && runs.get(kid)) || null));
      if (heading) {
        while (heads.length && heads[heads.length - 1].level >= heading.level) heads.pop();
        heads.push(heading);
        exposed = exposed || heading;
        ctx = base;
        for (const head of heads) ctx = { parent: ctx, text: head.text };
      }
    }
    return exposed;
  }

  // Context, items, text roles and tables that begin with this element.
  enter(el, d, role, explicit, isFlow) {
    const tag = el.localName;
    const headingLevel = tag.length === 2 && /^h[1-6]$/.test(tag) && (!explicit || explicit === 'heading') ? +tag[1] : explicit === 'heading' ? +attr(el, 'aria-level') || 2 : 0;
    if (headingLevel) { d.role = 'heading'; d.level = headingLevel; d.isHeading = true; }
    else if (explicit === 'status' || explicit === 'alert' || explicit === 'log') { d.role = explicit === 'alert' ? 'alert' : 'status'; d.level = 0; }
    else if (d.role !== 'alert' && d.role !== 'status' && d.role !== 'heading' && TEXT_ROLES[tag]) d.role = TEXT_ROLES[tag];
    else if (d.role !== 'alert' && d.role !== 'status' && ['cell', 'gridcell', 'rowheader', 'columnheader'].includes(explicit)) d.role = 'cell';
    const isDialog = tag === 'dialog' || explicit === 'dialog' || explicit === 'alertdialog';
    const push = (text) => { if (text) d.ctx = { parent: d.ctx, text }; };
    if (isDialog || (tag === 'form' || explicit === 'form') && !(d.form && d.form.isDialog)) d.form = { key: this.o.prefix + idOf(el), isDialog };
    if (isDialog && d.vis && !d.hid) {
      const name = containerName(el) || headingIn(el) || lineOf(el, 60) || 'dialog';
      if (d.role === 'text') d.role = 'dialog';
      push(name);
      if (this.isModal(el, d, explicit)) { this.modal = name; this.modalBox = toBox(this.box(el, d.f)); }
    } else if (LANDMARKS[tag] && (tag !== 'header' && tag !== 'footer' || !closest(parentOf(el), (at) => ['article', 'section', 'main', 'li'].includes(at.localName)))) {
      push(containerName(el) || LANDMARKS[tag]);
    } else if (LANDMARK_ROLES[explicit]) push(containerName(el) || LANDMARK_ROLES[explicit]);
    else if (GROUPS.has(tag) || GROUP_ROLES.has(explicit)) push(containerName(el));
    if (tag === 'table' || explicit === 'table' || explicit === 'grid' || explicit === 'treegrid') this.table(el, d);
    const cell = d.table && d.table.cells.get(el);
    if (cell) {
      d.cell = cell;
      const table = d.table.out;
      if (cell.row >= 0) {
        const row = table.rows[cell.row];
        if (cell.column > 0) push(row[0]);
        push(table.headers[cell.column] || '');
      }
    }
    const inTable = d.table && (tag === 'tr' || explicit === 'row' || d.cell);
    const isItem = !inTable && (ITEMS.has(tag) || ITEM_ROLES.has(explicit));
    const isCard = !isItem && !inTable && (!isFlow || tag.includes('-')) && d.runIndex >= 0 && tag !== 'tbody' && tag !== 'thead' && !d.isHeading && tag !== 'p' && tag !== 'form'
      && !isField(el) && tag !== 'button' && tag !== 'a' && tag !== 'label' && tag !== 'iframe';
    if (isItem || isCard) this.openItem(el, d, d.runIndex);
    else if (inTable && d.table.rowItems.has(el)) this.openItem(el, d, d.table.rowItems.get(el));
    else if (!isFlow && !inTable && !d.isHeading && tag !== 'label' && tag !== 'button' && tag !== 'a' && hasOwnText(el)) this.openItem(el, d, -1);
  }

  openItem(el, d, index) {
    const node = { parent: d.ctx, text: '' };
    d.ownItem = { el, node, index, outer: d.item, heading: '', first: '', firstNode: null, link: '', inner: 0, index0: index };
    if (d.item) d.item.inner += 1;
    d.item = d.ownItem;
    d.ctx = node;
  }

  closeItem(item, outer) {
    const title = item.heading || item.first || item.link;
    if (title) item.node.text = title;
    if (outer && outer.inner === 1 && !outer.heading && !outer.first) {
      outer.first = item.heading || item.first; outer.firstNode = item.firstNode; outer.firstText = item.firstText; outer.link = outer.link || item.link;
    }
  }

  table(el, d) {
    const explicit = explicitRole(el);
    if (el.localName === 'table' && (explicit === 'presentation' || explicit === 'none')) return;
    if (this.tables.length >= this.o.max_tables) { this.leftOut.add('more tables were not read'); return; }
    const grid = readTable(el);
    if (!grid) return;
    const out = {
      caption: containerName(el), headers: grid.headers, rows: grid.rows, frame: d.f.path,
      boxes: grid.trs.map((tr) => toBox(this.box(tr, d.f))),
    };
    if (grid.isCut) this.leftOut.add(`only the first ${grid.rows.length} rows of a table were read`);
    d.table = { index: this.tables.length + this.o.table_offset, cells: grid.cells, out, rowItems: new Map(grid.trs.map((tr, i) => [tr, i])) };
    d.cell = null;
    this.tables.push({ rec: out, ctx: d.ctx });
  }

  isModal(el, d, explicit) {
    if (el.localName === 'dialog' && matches.call(el, ':modal')) return true;
    if (attr(el, 'aria-modal') === 'true' || explicit === 'alertdialog') return this.box(el, d.f).w > 1;
    if (el.localName === 'dialog') return false;
    return d.style.position === 'fixed' || !!closest(el, (at) => styleOf(at).position === 'fixed');
  }

  inner(el, d) {
    const f = d.f;
    const path = f.path ? `${f.path}.${f.children++}` : `${f.children++}`;
    if (this.frames >= this.o.max_frames) { this.leftOut.add('more frames were not looked at'); return; }
    const inside = insideOf(el);
    if (d.hid || !d.vis || inside.width < 2 || inside.height < 2) return;
    const place = { x: f.x + inside.x * f.scale, y: f.y + inside.y * f.scale, scale: f.scale * inside.scale };
    const area = { x: place.x, y: place.y, w: inside.width * f.scale, h: inside.height * f.scale };
    const clip = cross(d.clip, area);
    const cover = f.cover || this.frameCover(el, area, clip, f);
    let doc = null;
    try { doc = el.contentDocument; } catch { doc = null; }
    if (doc && doc.defaultView) {
      this.frame(doc, { ...place, clip, area, path, ctx: d.ctx, item: d.item, cover, name: containerName(el) });
    } else {
      this.foreign.push({ key: this.o.prefix + idOf(el), path, ...place, clip, area, cover, name: containerName(el), ctx: d.ctx, elements: this.elements.length, texts: this.texts.length, tables: this.tables.length });
    }
  }

  frameCover(el, area, clip, f) {
    const view = cross(clip, { x: 0, y: 0, w: this.o.width, h: this.o.height });
    if (view.w < 4 || view.h < 4) return '';
    let over = null; let hits = 0;
    for (const [u, v] of [[0.5, 0.5], [0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9]]) {
      const hit = deepElementFromPoint(f.doc, (view.x + view.w * u - f.x) / f.scale, (view.y + view.h * v - f.y) / f.scale);
      if (hit && hit !== el) { over = hit; hits += 1; }
    }
    return hits >= 3 ? coverWords(over, el) : '';
  }

  box(el, f) {
    const r = boundsOf(el);
    return { x: f.x + r.left * f.scale, y: f.y + r.top * f.scale, w: r.width * f.scale, h: r.height * f.scale };
  }

  stop(sentence) { this.isCut = true; this.leftOut.add(sentence); return null; }

  result() {
    this.nearby();
    this.byMarkup();
    this.covers();
    if (this.hasFarText) this.leftOut.add('of this large page only what is near the view was looked at, and its tables');
    if (this.farAbove) this.leftOut.add(`about ${this.farAbove} more controls further up were not listed`);
    if (this.farBelow) this.leftOut.add(`about ${this.farBelow} more controls further down were not listed`);
    if (this.dropped) this.leftOut.add(`${this.dropped} more controls were not listed`);
    const contexts = [[]]; const known = new Map();
    const told = (ctx, own) => {
      if (!ctx) return 0;
      let byOwn = known.get(ctx);
      if (!byOwn) known.set(ctx, byOwn = new Map());
      let at = byOwn.get(own);
      if (at === undefined) { at = contexts.push(chain(ctx, own)) - 1; byOwn.set(own, at); }
      return at;
    };
    for (const entry of this.elements) { compact(entry.rec); entry.rec.context = told(entry.ctx, entry.rec.name || ''); }
    const focus = this.elements.find((entry) => entry.el === this.focus);
    const root = document.scrollingElement || document.documentElement;
    return {
      elements: this.elements.map((entry) => entry.rec),
      texts: this.texts.map(({ rec, ctx }) => { rec.context = told(ctx, isTitle(ctx, rec.text) ? rec.text : ''); return rec; }),
      tables: this.tables.map(({ rec, ctx }) => { rec.context = told(ctx, isTitle(ctx, rec.caption) ? rec.caption : ''); return rec; }),
      contexts,
      foreign: this.foreign.map((one) => ({ ...one, ctx: chain(one.ctx, '') })),
      modal: this.modal, modal_box: this.modalBox, scrollers: this.scrollers, frames: this.within, selection: cut(shownSelection(), 500), has_drags: this.hasDrags, hosts: this.askable(), focus: focus ? focus.rec.key : '', left_out: [...this.leftOut],
      url: location.href, title: document.title, is_loading: document.readyState !== 'complete', nodes: this.count,
      scroll: { x_css_px: scrollX, y_css_px: scrollY, width_css_px: root ? root.scrollWidth : 0, height_css_px: root ? root.scrollHeight : 0 },
      width: innerWidth, height: innerHeight, ratio: devicePixelRatio,
    };
  }
}

const FRAME_LIMIT_MS = 500;

// Resolves when two frames have been handed to the compositor, or did not come in time. A picture that was asked for just
// before is of the second at the latest (its request comes by way of another process), and the pass no longer holds it up.
function framesPainted() {
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    const timer = setTimeout(resolve, FRAME_LIMIT_MS);
    channel.port1.onmessage = () => { clearTimeout(timer); channel.port1.close(); resolve(); };
    requestAnimationFrame(() => requestAnimationFrame(() => channel.port2.postMessage(null)));
  });
}

async function observePage(options) {
  if (options.after_frame && document.visibilityState === 'visible') await framesPainted();
  return readingOnce(() => read(options));
}

function read(options) {
  scrollerNodes.length = 0;
  for (const [id, ref] of nodes) if (!ref.deref()) nodes.delete(id);
  options.width = options.width || innerWidth; options.height = options.height || innerHeight;
  const pass = new Pass(options);
  const clip = options.clip || { x: -1e7, y: -1e7, w: 2e7, h: 2e7 };
  let ctx = null;
  for (const text of options.context || []) ctx = { parent: ctx, text };
  pass.frame(document, { x: options.x || 0, y: options.y || 0, scale: options.scale || 1, clip, area: options.area || null, path: options.path || '', ctx, item: null, cover: options.cover || '', name: options.name || '' });
  const result = pass.result();
  result.token = remember(pass);
  return JSON.stringify(result);
}
