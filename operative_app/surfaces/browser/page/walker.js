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
    this.scroller = c.scroller; this.absScroller = c.absScroller; this.grip = c.grip;
    this.pointer = c.pointer; this.control = c.control; this.item = c.item; this.table = c.table; this.cell = c.cell;
    this.buf = c.buf; this.role = c.role; this.level = c.level; this.depth = c.depth + 1; this.style = c.style;
    this.vis = c.vis; this.labelled = c.labelled; this.ownItem = null; this.isHeading = false; this.isMenu = false;
    this.isMenuOpen = false; this.ink = undefined; this.run = run; this.runIndex = -1;
  }

  // Tag names with sibling numbers from the frame's root.
  get path() {
    if (!this.knownPath) this.knownPath = this.n ? `${this.up.path}>${this.tag}[${this.n}]` : this.tag;
    return this.knownPath;
  }
}

class Pass {
  constructor(options) {
    this.o = options;
    this.end = performance.now() + options.time_ms;
    this.elements = []; this.texts = []; this.tables = []; this.foreign = []; this.leftOut = new Set();
    this.count = 0; this.frames = 0; this.chars = 0; this.dropped = 0; this.outOfSight = 0; this.isCut = false;
    this.modal = ''; this.modalBox = null; this.scrollers = []; this.hosts = []; this.emptyHosts = []; this.hasDrags = false;
    this.window = null; this.live = null; this.farAbove = 0; this.farBelow = 0; this.hasFarText = false;
    this.docs = [];
    this.focus = focusedNode();
  }

  frame(doc, f) {
    this.frames += 1;
    f.doc = doc; f.win = doc.defaultView; f.children = 0;
    watch(doc);
    this.docs.push(doc);
    if (!doc.body) return;
    if (!this.window && doc.getElementsByTagName('*').length > this.o.whole_nodes) this.openWindow();
    const ctx = f.ctx;
    f.range = doc.createRange();
    f.scroller = f.path ? this.frameScroller(doc, f) : null;
    const above = {
      scroller: f.scroller, absScroller: f.scroller, grip: false,
      f, clip: f.clip, absClip: f.clip, hid: false, pointer: false, control: null, item: f.item || null, table: null, cell: null,
      buf: newBuffer(doc.body), role: 'text', level: 0, depth: 0, style: null, vis: true, labelled: null,
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
    const style = f.win.getComputedStyle(el);
    const display = style.display;
    if (d.run && (display !== 'none' || isField(el))) d.runIndex = d.run.next++;
    if (display === 'none') { this.unseen(el, d); return null; }
    const isInline = display === 'inline' || display === 'contents';
    const isFlow = display.startsWith('inline') || display === 'contents';
    if (this.window && !isFlow && this.isFar(el, f)) return null;
    const position = style.position;
    const hid = c.hid || style.opacity === '0';
    let clip = position === 'fixed' ? f.clip : position === 'absolute' ? c.absClip : c.clip;
    let absClip = position === 'fixed' ? f.clip : c.absClip;
    let own = null;
    d.scroller = position === 'fixed' ? f.scroller : position === 'absolute' ? c.absScroller : c.scroller;
    if (position === 'fixed') d.absScroller = f.scroller;
    let isGone = hid;
    if (!isInline) {
      const overflowX = style.overflowX;
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

  // --- large pages ---------------------------------------------------------------------------------------------------

  // From here on only what lies within some heights of the view is entered; of the rest, tables are read all the same.
  openWindow() {
    const { width, height } = this.o;
    this.window = { left: -2 * width, right: 3 * width, top: -this.o.heights_above * height, bottom: (1 + this.o.heights_below) * height };
    this.live = new Set();
    for (let i = 0; i < 8; i += 1) {
      for (let j = 0; j < 6; j += 1) {
        const hit = deepElementFromPoint(document, innerWidth * (i + 0.5) / 8, innerHeight * (j + 0.5) / 6);
        for (let at = hit; at && !this.live.has(at); at = parentOf(at)) this.live.add(at);
      }
    }
  }

  // Whether a block lies far from the view with all it holds; what is not entered is counted.
  isFar(el, f) {
    if (this.live.has(el) || KEPT.has(el.localName)) return false;
    const r = el.getBoundingClientRect();
    if (r.width === 0 || r.height === 0) return false;
    const top = f.y + r.top * f.scale; const left = f.x + r.left * f.scale;
    const isBelow = top > this.window.bottom;
    if (!isBelow && top + r.height * f.scale >= this.window.top && left <= this.window.right && left + r.width * f.scale >= this.window.left) return false;
    if (el.querySelector(TABLES)) return false;
    const controls = el.querySelectorAll(CONTROLS).length + (matches.call(el, CONTROLS) ? 1 : 0);
    if (isBelow) this.farBelow += controls; else this.farAbove += controls;
    this.hasFarText = true;
    return true;
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

  // A record for an element that can be acted on, null for all others.
  control(el, d, role, explicit, native, c) {
    const tag = el.localName;
    if (d.hid || !d.vis) return tag === 'input' && (isChoice(el) || typeOf(el) === 'file') ? this.unseen(el, d, c) : null;
    const isNative = native !== '';
    const isPointer = d.style.cursor === 'pointer';
    d.pointer = isPointer;
    const isWidget = isNative || WIDGET_ROLES.has(explicit);
    const isDrag = this.isDraggable(el, d, c);
    const isDrop = isDropTarget(el) && !this.isWholePage(el, d);
    if (isDrag) this.hasDrags = true;
    if (tag === 'label' && !isWidget) { d.labelled = el.control || c.labelled; return null; }
    let kind = isWidget ? role || explicit : '';
    if (!isWidget) {
      if (c.control && c.control.isLeaf && !isDrag) return null;
      const tabIndex = hasAttribute.call(el, 'tabindex') ? el.tabIndex : -2;
      const isClick = hasAttribute.call(el, 'onclick') || hasAttribute.call(el, 'ng-click');
      const isRoot = isPointer && !c.pointer && !d.labelled && tag !== 'body' && tag !== 'html';
      const isMenu = !isClick && !isRoot && tabIndex < 0 && isHoverMenu(el, d);
      if (!isDrag && !isDrop && (explicit === 'listbox' || explicit === 'progressbar' || GROUP_ROLES.has(explicit) && !isClick)) {
        if (!(tabIndex >= 0 && explicit === 'listbox')) return null;
      }
      const isPressed = tabIndex >= 0 || isClick || isRoot || isMenu;
      if (!isPressed && !isDrag && !isDrop) return null;
      if (tag === 'body' || tag === 'svg' && c.pointer) return null;
      kind = isMenu ? 'menuitem' : explicit && explicit !== 'presentation' && explicit !== 'none' && explicit !== 'generic' ? explicit : isPressed ? 'clickable' : isDrag ? (d.style.cursor.endsWith('-resize') ? 'separator' : 'item') : 'dropzone';
      if (kind === 'clickable' && !isClick && isTooWide(el)) { if (!isDrag && !isDrop) return null; kind = isDrag ? 'item' : 'dropzone'; }
      d.isMenu = isMenu;
    }
    if (tag === 'iframe') return null;
    if (c.control && c.control.isLeaf && !isNative && explicit !== 'option' && explicit !== 'treeitem' && explicit !== 'tab' && kind === 'clickable') return null;
    let box = this.box(el, d.f);
    if ((box.w < 2 || box.h < 2) && isChoice(el)) return this.unseen(el, d, c);
    if (box.w < 1 || box.h < 1) box = this.inkBox(el, d.f) || box;
    if (box.w < 1 || box.h < 1) return typeOf(el) === 'file' ? this.unseen(el, d, c) : null;
    if (typeOf(el) === 'file' && (box.w < 2 || box.h < 2)) return this.unseen(el, d, c);
    if (!el.checkVisibility({ contentVisibilityAuto: false })) return null;
    const entry = this.record(el, d, kind, box, null, d.isMenu);
    if (entry && isDrag) entry.rec.states.push('draggable');
    if (entry && isDrop) entry.rec.states.push('drop_target');
    return entry;
  }

  // Check boxes, radio buttons and file inputs whose own box cannot be seen: their visible label stands for them.
  unseen(el, d, above) {
    const c = above || d;
    const isFile = typeOf(el) === 'file';
    if (!isChoice(el) && !isFile) return null;
    const label = [...(el.labels || [])].find((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }));
    let proxy = label || null;
    if (!proxy && (c.hid || !c.vis)) return null;
    if (!proxy) {
      const next = el.nextElementSibling;
      if (isChoice(el) && next && !nativeRole(next) && next.checkVisibility({ visibilityProperty: true, opacityProperty: true })) proxy = next;
      const parent = parentOf(el);
      if (!proxy && isFile && parent && isElement(parent)) proxy = parent.querySelector('button, [role=button]');
      if (!proxy && isChoice(el) && parent && isElement(parent) && nativeRole(parent) === '' && c.style && c.style.cursor === 'pointer') proxy = parent;
    }
    let box = proxy ? this.box(proxy, c.f) : { x: 0, y: 0, w: 0, h: 0 };
    if (box.w < 4 && isChoice(el) && this.isPressable(el, c.f)) { proxy = null; box = this.box(el, c.f); }  // transparent, over what it shows
    if (!isFile && (box.w < 1 || box.h < 1)) return null;
    return this.record(el, d, nativeRole(el), box, isFile && proxy && proxy.localName !== 'label' ? null : proxy, false, isFile && (!proxy || proxy.localName !== 'label'));
  }

  isPressable(el, f) {
    const r = el.getBoundingClientRect();
    return r.width >= 8 && r.height >= 8 && deepElementFromPoint(f.doc, r.left + r.width / 2, r.top + r.height / 2) === el;
  }

  record(el, d, role, box, proxy, isMenu, isBehind = false) {
    const shown = cross(d.clip, box);
    const view = cross({ x: 0, y: 0, w: this.o.width, h: this.o.height }, shown);
    const isOff = view.w < 1 || view.h < 1;
    // What is out of sight never takes the room of what is in sight.
    if (this.elements.length >= this.o.max_elements || isOff && this.outOfSight >= this.o.max_offscreen) { this.dropped += 1; return null; }
    if (isOff) this.outOfSight += 1;
    const f = d.f;
    const id = idOf(el);
    let [name, source] = isMenu ? [ownLine(el), 'text'] : nameIn(el, role);
    if (!name && proxy) { name = lineOf(proxy); source = name ? 'text' : ''; }
    if (!name && isBehind) { const near = parentOf(el) && isElement(parentOf(el)) ? parentOf(el).querySelector('button, [role=button]') : null; name = near ? lineOf(near) : ''; source = name ? 'nearby' : ''; }
    name = cut(name, 200);
    const states = statesOf(el, role);
    if (isMenu) states.push('popup', d.isMenuOpen ? 'expanded' : 'collapsed');
    if (el === this.focus) states.push('focused');
    if (isOff) states.push('offscreen');
    const tag = el.localName;
    const item = d.item;
    const rec = {
      key: this.o.prefix + id, role, name, label_source: source, value: cut(valueOf(el, role), 2000), description: '',
      placeholder: fold(attr(el, 'placeholder')), text: isField(el) ? '' : source === 'accessible' && CONTENT_NAMED.has(role) && !hasAttribute.call(el, 'aria-label') && !hasAttribute.call(el, 'aria-labelledby') ? name : lineOf(el), tag, input_type: typeOf(el), states,
      box: toBox(box), frame: f.path, path: d.path, table: -1, row: -1, column: -1, list_index: -1,
      href: tag === 'a' || tag === 'area' ? hrefOf(el) : '', cover: f.cover || '', scroller: d.scroller ? d.scroller.key : '',
    };
    const told = referredText(el, 'aria-describedby') || (source !== 'title' ? fold(attr(el, 'title')) : '') || fold(attr(el, 'aria-description'));
    const hint = fold(attr(el, 'aria-label'));
    rec.description = cut([told, hint && hint !== name ? hint : '', name ? '' : hintOf(el)].filter(Boolean).join(' · '), 200);
    if (tag === 'select') {
      const all = [...el.options];
      if (all.length > 300) this.leftOut.add(`only the first 300 of ${all.length} choices of “${name}” are listed`);
      rec.options = all.slice(0, 300).map((one) => ({ label: fold(one.label), value: one.value, is_selected: one.selected, is_disabled: one.disabled || !!(one.parentElement && one.parentElement.disabled) }));
    } else if (el.list) {
      rec.options = [...el.list.options].slice(0, 100).map((one) => ({ label: fold(one.label || one.value), value: one.value }));
    }
    if (d.cell && d.table) { rec.table = d.table.index; rec.row = d.cell.row; rec.column = d.cell.column; }
    if (rec.row >= 0) rec.list_index = rec.row;
    else {
      for (let at = item; at; at = at.outer) if (at.index >= 0) { rec.list_index = at.index; break; }
      if (rec.list_index < 0 && d.runIndex >= 0) rec.list_index = d.runIndex;
    }
    if (item && !item.link && name) item.link = name;
    if (isRestless(el)) rec.is_restless = true;
    if (isBehind) rec.mark = -1;  // only what opens it can be seen
    const entry = { rec, el, proxy, f, ctx: d.ctx, view: isOff ? null : view, isLeaf: !['clickable', 'item', 'dropzone', 'row', 'gridcell', 'article', 'listitem', 'menuitem', 'treeitem', 'cell', 'textbox'].includes(role), name };
    this.elements.push(entry);
    records.set(el, { role, name, source, path: d.path, proxy, item, isMenu });
    entry.item = item;
    return entry;
  }

  text(node, d, parent) {
    const data = node.data;
    if (!data || (data.length < 40 && !data.trim())) { if (d.buf.parts.length) d.buf.parts.push(' '); return; }
    if (d.hid || !d.vis || parent.localName === 'slot' && !d.vis) return;
    if (!this.isInk(parent, d)) return;
    const buf = d.buf;
    if (!d.control) buf.isPlain = true;
    else if (d.control === buf.control) buf.inside = d.control;
    else if (d.control.rec.role === 'link' || !d.control.isLeaf) buf.hasControl = true;
    else return;  // the words on a button inside a line of text are the button's, not the text's
    if (!buf.first) { buf.first = node; buf.d = d; }
    buf.last = node;
    buf.parts.push(data);
  }

  flush(buf) {
    const { parts, first, last, d, isPlain, inside, hasControl } = buf;
    if (!parts.length) return;
    buf.parts = []; buf.first = buf.last = buf.d = null; buf.isPlain = buf.hasControl = false; buf.inside = null;
    if (!first) return;
    const text = fold(parts.join(''));
    if (!text) return;
    if (inside && !isPlain && d.role !== 'heading' && text === inside.name) return;
    if (!isPlain && !inside && hasControl && !['heading', 'cell', 'listitem', 'alert', 'status'].includes(d.role)) return;
    const box = this.textBox(first, last, buf.el, d.f);
    if (box.w < 1 || box.h < 1) return;
    if (box.x + box.w + d.f.win.scrollX * d.f.scale <= d.f.x || box.y + box.h + d.f.win.scrollY * d.f.scale <= d.f.y) return;
    if (this.chars > this.o.max_chars) { this.leftOut.add('text further down was left out'); return; }
    for (let item = d.item; item; item = null) {
      if (!item.first && (isPlain || !item.link) && d.role !== 'heading' && d.role !== 'label') { item.first = cut(text, 80); item.firstNode = first; item.firstText = first.data; }
    }
    const out = cut(text, 1500);
    this.chars += out.length;
    const rec = { text: out, role: d.role, level: d.level, box: toBox(box), frame: d.f.path };
    if (isRestless(first)) rec.is_restless = true;
    if (d.scroller) rec.scroller = d.scroller.key;
    this.texts.push({ rec, el: buf.el, ctx: d.item && d.item.first === cut(text, 80) ? d.item.node.parent : d.ctx });
  }

  textBox(first, last, el, f) {
    // Out of view the box of the block is exact enough, and half as dear.
    const whole = this.box(el, f);
    if (el.localName !== 'body' && (whole.y > this.o.height || whole.y + whole.h < 0) && whole.w > 0) return whole;
    const range = f.range;
    try {
      range.setStart(first, 0); range.setEnd(last, last.data.length);
      const r = range.getBoundingClientRect();
      if (!range.collapsed || first === last) return { x: f.x + r.left * f.scale, y: f.y + r.top * f.scale, w: r.width * f.scale, h: r.height * f.scale };
    } catch { /* the two ends lie in different trees */ }
    return whole;
  }

  // Ink that cannot be told from the ground, or letters of a pixel, hide text from people.
  isInk(el, d) {
    if (d.ink === undefined) d.ink = this.testInk(el, d);
    return d.ink;
  }

  testInk(el, d) {
    const style = d.style;
    if (parseFloat(style.fontSize) < 3) return false;
    const ink = rgba(style.color);
    if (!ink) return true;
    const ground = ink[3] === 0 ? ink : this.groundOf(d);
    if (Math.abs(ink[0] - ground[0]) + Math.abs(ink[1] - ground[1]) + Math.abs(ink[2] - ground[2]) >= 12) return true;
    if (style.webkitBackgroundClip === 'text' || style.textShadow !== 'none') return true;
    if (ink[3] === 0) return false;
    for (let at = d; at.style; at = at.up) {
      if (at.style.backgroundImage !== 'none') return true;
      const colour = rgba(at.style.backgroundColor);
      if (colour && colour[3] === 1) break;
    }
    return !this.isBare(el, d.f);
  }

  // The colour behind an element as far as its ancestors tell; white when none has one.
  groundOf(d) {
    if (d.ground === undefined) {
      const colour = d.style ? rgba(d.style.backgroundColor) : null;
      d.ground = colour && colour[3] > 0.5 ? colour : d.up && d.up.style ? this.groundOf(d.up) : [255, 255, 255, 1];
    }
    return d.ground;
  }

  // Nothing but ancestors lies behind the element, so its ground is what was computed.
  isBare(el, f) {
    const r = el.getBoundingClientRect();
    const [x, y] = [r.left + r.width / 2, r.top + r.height / 2];
    if (x < 0 || y < 0 || x > f.win.innerWidth || y > f.win.innerHeight) return false;
    const stack = el.getRootNode().elementsFromPoint(x, y);
    return stack.length > 0 && stack.every((one) => isWithin(el, one) || isWithin(one, el));
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
      this.frame(doc, { ...place, clip, path, ctx: d.ctx, item: d.item, cover, name: containerName(el) });
    } else {
      this.foreign.push({ key: this.o.prefix + idOf(el), path, ...place, clip, cover, name: containerName(el), ctx: d.ctx, elements: this.elements.length, texts: this.texts.length, tables: this.tables.length });
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

  // What may have a closed shadow root: only the browser can tell, and it is asked once for each.
  maybeClosed(el, d) {
    if (askedHosts.has(el) || d.hid || !d.vis) return;
    const isCustom = el.localName.includes('-');
    if (isCustom && !matches.call(el, ':defined')) return;
    const box = this.box(el, d.f);
    if (box.w <= 10 || box.h <= 10) return;
    if (isCustom) this.hosts.push(el);
    else if (this.emptyHosts.length < this.o.max_empty_hosts && d.style.backgroundImage === 'none' && d.style.borderTopWidth === '0px'
      && /, 0\)$/.test(d.style.backgroundColor) && d.style.pointerEvents !== 'none') this.emptyHosts.push(el);
  }

  // --- what scrolls, what can be dragged -----------------------------------------------------------------------------

  frameScroller(doc, f) {
    const root = doc.scrollingElement || doc.documentElement;
    if (root.scrollHeight <= root.clientHeight + 1 && root.scrollWidth <= root.clientWidth + 1) return null;
    const own = this.scrollerOf(root, { f }, { x: f.x, y: f.y, w: root.clientWidth * f.scale, h: root.clientHeight * f.scale });
    const name = f.name || fold(doc.title);
    if (own) own.label = name ? `frame “${cut(name, 60)}”` : 'frame';
    return own;
  }

  // A scroll container with what lies out of sight on each side; null when all of it is in sight.
  scrollerOf(el, d, box) {
    const { scrollTop, scrollLeft, scrollHeight, scrollWidth, clientHeight, clientWidth } = el;
    if (scrollHeight <= clientHeight + 1 && scrollWidth <= clientWidth + 1 || box.w < 8 || box.h < 8) return null;
    if (this.scrollers.length >= this.o.max_scrollers) { this.leftOut.add('more parts that scroll were not listed'); return null; }
    const side = (px) => Math.max(0, Math.round(px));
    const isRtl = scrollLeft < 0;
    const own = {
      key: this.o.prefix + idOf(el), label: '', box: toBox(box), frame: d.f.path, above_css_px: side(scrollTop), below_css_px: side(scrollHeight - clientHeight - scrollTop),
      left_css_px: side(isRtl ? scrollWidth - clientWidth + scrollLeft : scrollLeft), right_css_px: side(isRtl ? -scrollLeft : scrollWidth - clientWidth - scrollLeft),
    };
    scrollerNodes.push(new WeakRef(el));
    this.scrollers.push(own);
    return own;
  }

  openScroller(own, el, d, entry, explicit) {
    if (d.hid || !d.vis) { this.scrollers.splice(this.scrollers.indexOf(own), 1); return; }
    const kind = entry ? entry.rec.role : explicit || { ul: 'list', ol: 'list', table: 'table', nav: 'navigation', main: 'main', aside: 'complementary', pre: 'text' }[el.localName] || 'area';
    const name = el.localName === 'body' ? 'page' : (entry && entry.name) || containerName(el) || headingIn(el) || lineOf(el, 40);
    own.label = name ? `${kind} “${cut(name, 60)}”` : kind;
    if (entry) entry.rec.states.push('scrollable');
    d.scroller = own;
    if (d.style.position !== 'static') d.absScroller = own;
  }

  isDraggable(el, d, c) {
    const { cursor } = d.style;
    const isGrip = cursor === 'grab' || cursor === 'move' || cursor === '-webkit-grab' || cursor.endsWith('-resize');
    d.grip = isGrip;
    if (isGrip && !c.grip && el.localName !== 'body' && !isField(el)) return true;
    const own = getAttribute.call(el, 'draggable');
    if (own !== null && own !== 'false' && el.draggable === true) return true;
    return hasAttribute.call(el, 'aria-grabbed') || DRAG_CLASS.test(attr(el, 'class'));
  }

  // A drop target around everything is where a framework listens, not where things are dropped.
  isWholePage(el, d) {
    if (el.localName === 'body') return true;
    const box = this.box(el, d.f);
    return box.w * box.h >= 0.9 * this.o.width * this.o.height && el.querySelectorAll('a[href],button,input,select,textarea,[draggable=true]').length > 0;
  }

  box(el, f) {
    const r = el.getBoundingClientRect();
    return { x: f.x + r.left * f.scale, y: f.y + r.top * f.scale, w: r.width * f.scale, h: r.height * f.scale };
  }

  // An inline control whose content floats or is positioned has no box of its own: take that of its content.
  inkBox(el, f) {
    let all = null;
    for (const child of el.querySelectorAll('*')) {
      const b = this.box(child, f);
      if (b.w < 1 || b.h < 1) continue;
      if (!all) all = b;
      else { const x = Math.min(all.x, b.x); const y = Math.min(all.y, b.y); all = { x, y, w: Math.max(all.x + all.w, b.x + b.w) - x, h: Math.max(all.y + all.h, b.y + b.h) - y }; }
    }
    return all;
  }

  // Hosts to ask the browser about, childless ones first; those that stay unasked are said when they show nothing.
  askable() {
    this.hosts.sort((a, b) => (a.firstChild ? 1 : 0) - (b.firstChild ? 1 : 0));
    const asked = [...this.hosts.slice(0, this.o.max_hosts), ...this.emptyHosts];
    for (const el of this.hosts.slice(this.o.max_hosts)) if (!el.firstChild) this.leftOut.add(`closed component here: <${el.localName}>`);
    toAsk = asked;
    return asked.length;
  }

  stop(sentence) { this.isCut = true; this.leftOut.add(sentence); return null; }

  covers() {
    for (const entry of this.elements) {
      if (!entry.view || entry.rec.cover || entry.rec.mark === -1) continue;
      if (performance.now() > this.end) { this.leftOut.add('not every control was tested for being covered'); return; }
      const target = entry.proxy || entry.el;
      const { view, f } = entry;
      const points = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.2], [0.5, 0.8]];
      let over = null;
      for (const [u, v] of points) {
        const hit = deepElementFromPoint(f.doc, (view.x + view.w * u - f.x) / f.scale, (view.y + view.h * v - f.y) / f.scale);
        if (hit && (reaches(hit, target) || reaches(hit, entry.el))) { over = null; break; }
        if (hit && !over) over = hit;
      }
      if (over && !isWithin(entry.el, over)) entry.rec.cover = coverWords(over, entry.el);
    }
  }

  // Fields without any label take the nearest text: left on the same line, above, or (choices) to the right.
  nearby() {
    for (const entry of this.elements) {
      const { rec, el } = entry;
      const isOwn = rec.label_source === 'placeholder' || rec.label_source === 'title' || !rec.name;
      if (!isOwn || !(isField(el) || el.isContentEditable || ['combobox', 'slider', 'spinbutton', 'switch', 'checkbox', 'textbox', 'listbox'].includes(rec.role)) || typeOf(el) === 'file') continue;
      if (rec.label_source === 'placeholder' || rec.label_source === 'title') continue;
      const [x, y, w, h] = rec.box; const isBox = isChoice(el) || rec.role === 'switch' || rec.role === 'checkbox';
      let best = null; let bestScore = Infinity;
      for (const { rec: t } of this.texts) {
        if (t.frame !== rec.frame || t.text.length > 120) continue;
        const [tx, ty, tw, th] = t.box;
        const overlap = Math.min(y + h, ty + th) - Math.max(y, ty);
        const gapLeft = x - (tx + tw);
        const gapRight = tx - (x + w);
        const gapAbove = y - (ty + th);
        let score = Infinity;
        if (overlap > 0.4 * Math.min(h, th)) {
          if (gapRight >= -1 && gapRight < (isBox ? 60 : 12)) score = gapRight + (isBox ? 0 : 150);
          if (gapLeft >= -1 && gapLeft < 260) score = Math.min(score, gapLeft + (isBox ? 100 : 0));
        } else if (gapAbove >= -2 && gapAbove < 32 && Math.abs(tx - x) < 60) score = gapAbove + 40;
        if (score < bestScore) { bestScore = score; best = t; }
      }
      if (best) {
        rec.name = cut(best.text.replace(/[\s:*]+$/, ''), 120); rec.label_source = 'nearby';
        const known = records.get(el);
        if (known) { known.name = rec.name; known.source = 'nearby'; }
      }
    }
  }

  // What has no name by any other way is called by its markup, and said to be.
  byMarkup() {
    for (const { rec, el } of this.elements) {
      if (rec.name || rec.text || rec.placeholder) continue;
      rec.name = markupName(el);
      if (!rec.name) continue;
      rec.label_source = 'markup';
      const known = records.get(el);
      if (known) { known.name = rec.name; known.source = 'markup'; }
    }
  }

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
      modal: this.modal, modal_box: this.modalBox, scrollers: this.scrollers, selection: cut(shownSelection(), 500), has_drags: this.hasDrags, hosts: this.askable(), focus: focus ? focus.rec.key : '', left_out: [...this.leftOut],
      url: location.href, title: document.title, is_loading: document.readyState !== 'complete', nodes: this.count,
      scroll: { x_css_px: scrollX, y_css_px: scrollY, width_css_px: root ? root.scrollWidth : 0, height_css_px: root ? root.scrollHeight : 0 },
      width: innerWidth, height: innerHeight, ratio: devicePixelRatio,
    };
  }
}

function observePage(options) {
  scrollerNodes.length = 0;
  for (const [id, ref] of nodes) if (!ref.deref()) nodes.delete(id);
  options.width = options.width || innerWidth; options.height = options.height || innerHeight;
  const pass = new Pass(options);
  const clip = options.clip || { x: -1e7, y: -1e7, w: 2e7, h: 2e7 };
  let ctx = null;
  for (const text of options.context || []) ctx = { parent: ctx, text };
  pass.frame(document, { x: options.x || 0, y: options.y || 0, scale: options.scale || 1, clip, path: options.path || '', ctx, item: null, cover: options.cover || '', name: options.name || '' });
  const result = pass.result();
  result.token = remember(pass);
  return JSON.stringify(result);
}
