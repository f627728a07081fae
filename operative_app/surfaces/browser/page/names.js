// Roles, names, values and states of single elements. One scope with walker.js and acts.js (see script.py);
// everything runs in an isolated world, so that the page can neither see nor change it.

const fold = (text) => text.replace(/[\s\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/g, ' ').trim();
const cut = (text, limit) => (text.length <= limit ? text : text.slice(0, limit - 1).trimEnd() + '…');
// The fields of a form hide those properties of the form that have the same names ("children", "id", "parentNode").
// Read through the prototype nothing is hidden.
const plainly = (type, name) => { const { get } = Object.getOwnPropertyDescriptor(type.prototype, name); return (node) => get.call(node); };
const parentNodeOf = plainly(Node, 'parentNode');
const firstChildOf = plainly(Node, 'firstChild');
const nextSiblingOf = plainly(Node, 'nextSibling');
const childNodesOf = plainly(Node, 'childNodes');
const childrenOf = plainly(Element, 'children');
const { getAttribute, hasAttribute, matches } = Element.prototype;
const attr = (el, name) => getAttribute.call(el, name) || '';

// A computed style of which each property is asked for once: the browser works each one out anew, and one read of a page
// needs the same ones several times. What is dear and what most elements are asked for stands here.
class Style {
  #display; #position; #visibility; #opacity; #filter; #cursor; #overflowX; #clipPath; #transform; #contentVisibility; #colour; #image;
  constructor(real) { this.real = real; }
  get display() { return this.#display ??= this.real.display; }
  get position() { return this.#position ??= this.real.position; }
  get visibility() { return this.#visibility ??= this.real.visibility; }
  get opacity() { return this.#opacity ??= this.real.opacity; }
  get filter() { return this.#filter ??= this.real.filter; }
  get cursor() { return this.#cursor ??= this.real.cursor; }
  get overflowX() { return this.#overflowX ??= this.real.overflowX; }
  get clipPath() { return this.#clipPath ??= this.real.clipPath; }
  get transform() { return this.#transform ??= this.real.transform; }
  get contentVisibility() { return this.#contentVisibility ??= this.real.contentVisibility; }
  get backgroundColor() { return this.#colour ??= this.real.backgroundColor; }
  get backgroundImage() { return this.#image ??= this.real.backgroundImage; }
}
// All others are asked for as they are.
Object.setPrototypeOf(Style.prototype, new Proxy({}, { get: (_, name, style) => style.real[name] }));

// While a page is read, which no script of it can interrupt, nothing about it changes: styles and boxes are kept.
let kept = null;
function readingOnce(read) {
  kept = { styles: new Map(), rects: new Map() };
  try { return read(); } finally { kept = null; }
}

function styleOf(el) {
  if (!kept) return el.ownerDocument.defaultView.getComputedStyle(el);
  let style = kept.styles.get(el);
  if (!style) kept.styles.set(el, style = new Style(el.ownerDocument.defaultView.getComputedStyle(el)));
  return style;
}

function boundsOf(el) {
  if (!kept) return el.getBoundingClientRect();
  let rect = kept.rects.get(el);
  if (!rect) kept.rects.set(el, rect = el.getBoundingClientRect());
  return rect;
}
const isElement = (node) => node.nodeType === 1;

const SKIPPED = new Set(['script', 'style', 'template', 'noscript', 'head', 'meta', 'link', 'title', 'base', 'param', 'source',
  'track', 'defs', 'path', 'circle', 'rect', 'line', 'polyline', 'polygon', 'ellipse', 'use', 'lineargradient', 'datalist',
  'optgroup', 'option', 'col', 'colgroup', 'wbr', 'object', 'embed']);
const TEXT_TYPES = new Set(['text', 'search', 'email', 'tel', 'url', 'password', 'number', '']);
const VALUE_TYPES = new Set(['date', 'time', 'month', 'week', 'datetime-local', 'color', 'range']);
const BUTTON_TYPES = new Set(['button', 'submit', 'reset', 'image']);
const WIDGET_ROLES = new Set(['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox',
  'menuitemradio', 'option', 'treeitem', 'combobox', 'textbox', 'searchbox', 'slider', 'spinbutton']);
const CONTENT_NAMED = new Set(['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox',
  'menuitemradio', 'option', 'treeitem', 'clickable', 'gridcell', 'columnheader', 'row', 'cell', 'tooltip']);
const KNOWN_ROLES = new Set([...WIDGET_ROLES, 'listbox', 'grid', 'gridcell', 'row', 'columnheader', 'rowheader', 'cell', 'table',
  'treegrid', 'tree', 'dialog', 'alertdialog', 'alert', 'status', 'log', 'navigation', 'main', 'banner', 'contentinfo',
  'complementary', 'search', 'form', 'region', 'group', 'radiogroup', 'list', 'listitem', 'article', 'heading', 'img', 'image',
  'tablist', 'tabpanel', 'menu', 'menubar', 'toolbar', 'presentation', 'none', 'progressbar', 'meter', 'feed', 'figure',
  'tooltip', 'separator', 'paragraph', 'application', 'document', 'generic', 'note', 'term', 'definition', 'rowgroup']);

function parentOf(node) {
  if (node.assignedSlot) return node.assignedSlot;
  const parent = parentNodeOf(node);
  return parent && parent.nodeType === 11 ? parent.host || null : parent;
}

// Closed shadow roots that the browser has handed over from outside the page (see closed.py), by their hosts.
const closedRoots = new WeakMap();
let hasClosedRoots = false;
const shadowOf = (el) => el.shadowRoot || (hasClosedRoots && closedRoots.get(el)) || null;

function flatChildren(el) {
  const root = shadowOf(el);
  if (root) return root.childNodes;
  if (el.localName === 'slot') {
    const assigned = el.assignedNodes();
    if (assigned.length) return assigned;
  }
  return childNodesOf(el);
}

function isWithin(node, ancestor) {
  for (let at = node; at; at = parentOf(at)) if (at === ancestor) return true;
  return false;
}

function closest(node, test) {
  for (let at = node; at && at.nodeType !== 9; at = parentOf(at)) if (isElement(at) && test(at)) return at;
  return null;
}

const typeOf = (el) => (el.localName === 'input' ? (el.type || 'text').toLowerCase() : '');
const isEditingHost = (el) => el.isContentEditable && !(parentOf(el) && parentOf(el).isContentEditable);

function explicitRole(el) {
  const text = getAttribute.call(el, 'role');
  if (!text) return '';
  for (const role of text.toLowerCase().split(/\s+/)) if (KNOWN_ROLES.has(role)) return role;
  return '';
}

function nativeRole(el) {
  switch (el.localName) {
    case 'a': case 'area': return hasAttribute.call(el, 'href') ? 'link' : '';
    case 'button': case 'summary': return 'button';
    case 'select': return el.multiple || el.size > 1 ? 'listbox' : 'combobox';
    case 'textarea': return 'textbox';
    case 'canvas': return 'canvas';
    case 'input': {
      const type = typeOf(el);
      if (type === 'hidden') return '';
      if (BUTTON_TYPES.has(type)) return 'button';
      if (type === 'checkbox' || type === 'radio' || type === 'color' || type === 'file') return type;
      if (type === 'range') return 'slider';
      if (type === 'number') return 'spinbutton';
      if (hasAttribute.call(el, 'list')) return 'combobox';
      return type === 'search' ? 'searchbox' : 'textbox';
    }
    default: return hasAttribute.call(el, 'contenteditable') && el.localName !== 'body' && isEditingHost(el) ? 'textbox' : '';
  }
}

const isField = (el) => ['input', 'select', 'textarea'].includes(el.localName);

// --- texts -----------------------------------------------------------------------------------------------------------

// Text as a person sees it: hidden parts left out, shadow roots and slots followed; blocks on lines of their own.
function textOf(node, limit = 400, withFields = true) {
  const parts = [];
  let length = 0;
  const walk = (at, depth, above) => {
    if (length > limit || depth > 60) return;
    if (at.nodeType === 3) { parts.push(at.data.replace(/\s+/g, ' ')); length += at.data.trim().length; return; }
    if (!isElement(at) || SKIPPED.has(at.localName)) return;
    if (at.localName === 'br') { parts.push('\n'); return; }
    const style = styleOf(at);
    const fade = above * fadeOf(style);
    if (style.display === 'none' || fade < FAINT || isClippedAway(at, style)) return;
    if (depth > 0 && style.display !== 'inline' && (isCutAway(at, style) || isPushedOut(at, style))) return;
    if (isField(at)) { if (withFields) parts.push(' ' + shownValue(at) + ' '); return; }
    if (at.localName === 'img') { return; }
    if (at.localName === 'iframe') {
      let inner = null;
      try { inner = at.clientWidth < 2 || at.clientHeight < 2 ? null : at.contentDocument; } catch { inner = null; }
      if (inner && inner.body) { parts.push('\n'); walk(inner.body, depth + 1, fade); parts.push('\n'); }
      return;
    }
    if (at.localName === 'details' && !at.open) {
      const summary = [...at.children].find((child) => child.localName === 'summary');
      if (summary) walk(summary, depth + 1, fade);
      return;
    }
    const isBlock = !style.display.startsWith('inline') && style.display !== 'contents';
    const isLoose = !isBlock && style.display !== 'inline' && style.display !== 'contents';
    parts.push(isBlock ? (style.display === 'table-cell' ? '\t' : '\n') : isLoose ? ' ' : '');
    if (style.contentVisibility === 'hidden') return;
    let isShown = style.visibility === 'visible' ? undefined : false;
    for (const child of flatChildren(at)) {
      if (child.nodeType === 3) {
        if (!child.data.trim()) { parts.push(' '); continue; }
        if (isShown === undefined) isShown = isLegible(at, style, groundOn(at));
        if (!isShown) continue;
      }
      walk(child, depth + 1, fade);
    }
    parts.push(isBlock ? (style.display === 'table-cell' ? '\t' : '\n') : isLoose ? ' ' : '');
  };
  walk(node, 0, 1);
  const text = parts.join('').replace(/[ \t]*\n\s*/g, '\n').replace(/[ \t]+/g, ' ').trim();
  return cut(text, limit);
}

const isPlain = (node) => node.nodeType === 1 && node.childElementCount === 0 && !shadowOf(node) && node.localName !== 'slot' && !isField(node);
const lineOf = (node, limit = 200, withFields = false) => cut(fold(isPlain(node) ? node.textContent : textOf(node, limit * 2, withFields)), limit);

// Pushed out to the left or above, or squeezed into a box of a pixel: the ways of hiding text from the eye alone.
function isClippedAway(el, style) {
  if (style.overflowX === 'visible' && style.position !== 'absolute' && style.position !== 'fixed') return false;
  const box = boundsOf(el);
  if (style.overflowX !== 'visible' && (box.width < 2 || box.height < 2)) return style.display !== 'contents';
  if (style.position !== 'absolute' && style.position !== 'fixed') return false;
  if (style.clipPath === 'inset(50%)' || style.clipPath === 'inset(100%)' || /^rect\(0px,? 0px,? 0px,? 0px\)|^rect\(1px,? 1px,? 1px,? 1px\)/.test(style.clip)) return true;
  const win = el.ownerDocument.defaultView;
  return box.width > 0 && (box.right + win.scrollX <= 0 || box.bottom + win.scrollY <= 0);
}

// The text an assistive technology would read for an element, as far as the accname rules are sensible here.
function spoken(node, depth = 0, seen = new Set()) {
  if (node.nodeType === 3) return node.data;
  if (!isElement(node) || SKIPPED.has(node.localName) || depth > 25 || seen.has(node)) return '';
  seen.add(node);
  if (depth > 0) {
    if (attr(node, 'aria-hidden') === 'true') return '';
    const label = fold(attr(node, 'aria-label'));
    if (label) return ' ' + label + ' ';
  }
  const style = styleOf(node);
  if (style.display === 'none') return '';
  if (depth > 0 && (fadeOf(style) < FAINT || parseFloat(style.fontSize) < LEAST_FONT_PX)) return '';
  const tag = node.localName;
  if (tag === 'img' || tag === 'area') return ' ' + attr(node, 'alt') + ' ';
  if (tag === 'svg') {
    const title = node.querySelector(':scope > title, text');
    return title ? ' ' + title.textContent + ' ' : '';
  }
  if (tag === 'br') return ' ';
  if (depth > 0 && isField(node)) return ' ' + shownValue(node) + ' ';
  let text = '';
  const isHidden = style.visibility !== 'visible';
  for (const child of flatChildren(node)) {
    if (isHidden && child.nodeType === 3) continue;
    text += spoken(child, depth + 1, seen);
    if (text.length > 600) break;
  }
  return style.display === 'inline' || style.display === 'contents' ? text : ' ' + text + ' ';
}

function byIds(el, ids) {
  const root = el.getRootNode();
  return ids.split(/\s+/).map((id) => (id && root.getElementById ? root.getElementById(id) : null)).filter(Boolean);
}

function referredText(el, name) {
  const ids = getAttribute.call(el, name);
  if (!ids) return '';
  return fold(byIds(el, ids).map((node) => {
    if (node === el) return attr(el, 'aria-label') || spoken(el);
    const label = fold(attr(node, 'aria-label'));
    if (label) return label;
    if (isField(node)) return shownValue(node);
    return styleOf(node).display === 'none' ? node.textContent : spoken(node);
  }).join(' '));
}

function labelText(el) {
  const labels = el.labels ? [...el.labels] : [];
  if (!labels.length && !el.labels) {
    const around = closest(el, (at) => at.localName === 'label');
    if (around) labels.push(around);
  }
  return fold(labels.map((label) => {
    let text = '';
    const walk = (at) => {
      if (at === el) return;
      if (at.nodeType === 3) { text += at.data; return; }
      if (!isElement(at) || SKIPPED.has(at.localName) || isField(at) || at.localName === 'button') return;
      const style = styleOf(at);
      if (style.display === 'none' || attr(at, 'aria-hidden') === 'true') return;
      const gap = style.display === 'inline' || style.display === 'contents' ? '' : ' ';
      text += gap;
      if (at.localName === 'img') text += attr(at, 'alt');
      for (const child of flatChildren(at)) walk(child);
      text += gap;
    };
    walk(label);
    return text;
  }).join(' '));
}

// What the eye reads wins over an invisible label that says something else.
function reconcile(label, seen) {
  const letters = (seen.match(/[\p{L}\p{N}]/gu) || []).length;
  if (letters < 3) return label;
  const plain = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
  const [said, shown] = [plain(label), plain(seen)];
  if (said.includes(shown)) return label;
  if (shown.includes(said)) return said.length >= 3 ? label : seen;
  return seen;
}

// Name and where it came from: [name, source].
function nameOf(el, role) {
  const referred = referredText(el, 'aria-labelledby');
  if (referred) return [referred, 'accessible'];
  const label = fold(attr(el, 'aria-label'));
  const isPopup = role === 'combobox' || (hasAttribute.call(el, 'aria-haspopup') && attr(el, 'aria-haspopup') !== 'false');
  if (label) {
    if (isField(el) || isPopup || !CONTENT_NAMED.has(role)) {
      const shown = isField(el) ? labelText(el) : '';
      return [shown ? reconcile(label, shown) : label, 'accessible'];
    }
    return [reconcile(label, lineOf(el)), 'accessible'];
  }
  const tag = el.localName;
  if (isField(el) || (el.labels && el.labels.length)) {
    const text = labelText(el);
    if (text) return [text, 'accessible'];
  }
  if (tag === 'input') {
    const type = typeOf(el);
    if (type === 'image' && attr(el, 'alt')) return [fold(attr(el, 'alt')), 'accessible'];
    if (BUTTON_TYPES.has(type)) {
      const text = fold(el.value || '') || { submit: 'Submit', reset: 'Reset' }[type] || '';
      if (text) return [text, 'accessible'];
    }
  }
  if (tag === 'area' && attr(el, 'alt')) return [fold(attr(el, 'alt')), 'accessible'];
  if (!isField(el) && (CONTENT_NAMED.has(role) || tag === 'button' || tag === 'summary')) {
    const text = fold(isPlain(el) ? el.textContent : spoken(el));
    if (text) return [text, 'accessible'];
    const seen = lineOf(el);
    if (seen) return [seen, 'text'];
    const unseen = cut(fold(el.textContent), 200);  // words in place of a picture that shows them
    if (unseen && styleOf(el).display !== 'none' && !el.querySelector('style, script')) return [unseen, 'markup'];
  }
  if (role === 'combobox' && !isField(el)) {
    const around = labelText(el);
    if (around) return [around, 'accessible'];
  }
  const title = fold(attr(el, 'title') || attr(el, 'data-tooltip') || attr(el, 'data-original-title') || attr(el, 'data-title'));
  if (title && !isField(el)) return [title, 'title'];
  const placeholder = fold(attr(el, 'placeholder') || attr(el, 'aria-placeholder') || attr(el, 'data-placeholder'));
  if (placeholder) return [placeholder, 'placeholder'];
  if (title) return [title, 'title'];
  return ['', ''];
}

// Name of a container (landmark, group, dialog): never from all of its content.
function containerName(el) {
  const name = referredText(el, 'aria-labelledby') || fold(attr(el, 'aria-label'));
  if (name) return cut(name, 100);
  if (el.localName === 'fieldset') {
    const legend = [...el.children].find((child) => child.localName === 'legend');
    return legend ? lineOf(legend, 100) : '';
  }
  if (el.localName === 'table') return el.caption ? lineOf(el.caption, 100) : '';
  return el.localName === 'iframe' ? fold(attr(el, 'title')) : '';
}

// --- values and states -----------------------------------------------------------------------------------------------

function shownValue(el) {
  switch (el.localName) {
    case 'select': return fold([...el.selectedOptions].map((option) => option.label).join(', '));
    case 'textarea': return el.value;
    case 'input': {
      const type = typeOf(el);
      if (isGuardedField(el) && !isPasswordField(el)) return el.value ? '•••' : '';
      if (isSecretField(el) || type === 'checkbox' || type === 'radio' || type === 'image') return '';
      if (type === 'file') return [...(el.files || [])].map((file) => file.name).join(', ');
      return BUTTON_TYPES.has(type) ? fold(el.value) : el.value;
    }
    default: return '';
  }
}

function valueOf(el, role) {
  if (isField(el)) return BUTTON_TYPES.has(typeOf(el)) ? '' : shownValue(el);
  if (el.isContentEditable) return textOf(el, 5000);
  if (role === 'slider' || role === 'spinbutton' || role === 'progressbar' || role === 'meter') {
    return attr(el, 'aria-valuetext') || attr(el, 'aria-valuenow');
  }
  if (role === 'combobox' || attr(el, 'aria-haspopup') === 'listbox') return lineOf(el, 200, true);
  return '';
}

function isDisabled(el) {
  if (matches.call(el, ':disabled')) return true;
  for (let at = el; at; at = at.getRootNode().host) if (at.closest('[aria-disabled=true], [inert]')) return true;
  return false;
}

function statesOf(el, role) {
  const states = [];
  const hasAria = el.getAttributeNames().some((name) => name.startsWith('aria-'));
  const add = (condition, state) => { if (condition) states.push(state); };
  const aria = (name) => (hasAria ? getAttribute.call(el, 'aria-' + name) : null);
  const type = typeOf(el);
  const takesText = (el.localName === 'input' && (TEXT_TYPES.has(type) || VALUE_TYPES.has(type)))
    || el.localName === 'textarea' || el.isContentEditable;
  add(isDisabled(el), 'disabled');
  add(el.readOnly === true && takesText && !VALUE_TYPES.has(type) || el.readOnly === true && type !== 'range' && type !== 'color' && VALUE_TYPES.has(type)
    || aria('readonly') === 'true', 'readonly');
  add(takesText, 'editable');
  add(el.required === true || aria('required') === 'true', 'required');
  add((aria('invalid') || 'false') !== 'false' || (isField(el) && matches.call(el, ':user-invalid')), 'invalid');
  if (type === 'checkbox' || type === 'radio') {
    states.push(el.indeterminate && type === 'checkbox' ? 'mixed' : el.checked ? 'checked' : 'unchecked');
  } else if (aria('checked') !== null) {
    states.push({ true: 'checked', mixed: 'mixed' }[aria('checked')] || 'unchecked');
  }
  add(aria('selected') === 'true' || (aria('current') || 'false') !== 'false', 'selected');
  add(aria('pressed') === 'true', 'pressed');
  if (el.localName === 'summary' && parentOf(el) && parentOf(el).localName === 'details') {
    states.push(parentOf(el).open ? 'expanded' : 'collapsed');
  } else if (aria('expanded') !== null) {
    states.push(aria('expanded') === 'true' ? 'expanded' : 'collapsed');
  }
  add(aria('busy') === 'true', 'busy');
  add(isPasswordField(el), 'password');
  add(isGuardedField(el) && !isPasswordField(el), 'secret');
  add(el.localName === 'textarea' || aria('multiline') === 'true' || (el.isContentEditable && aria('multiline') !== 'false' && role === 'textbox'), 'multiline');
  add(el.multiple === true && el.localName === 'select' || aria('multiselectable') === 'true', 'multiselect');
  add((aria('haspopup') || 'false') !== 'false', 'popup');
  return states;
}

function focusedNode() {
  let at = document.activeElement;
  for (;;) {
    if (!at) return null;
    const root = shadowOf(at);
    if (root && root.activeElement) { at = root.activeElement; continue; }
    if (at.localName === 'iframe' || at.localName === 'frame') {
      let inner = null;
      try { inner = at.contentDocument; } catch { inner = null; }
      if (inner && inner.activeElement && inner.activeElement !== inner.body) { at = inner.activeElement; continue; }
    }
    return at;
  }
}

// --- identity and geometry -------------------------------------------------------------------------------------------

const ids = new WeakMap();      // node -> number
const nodes = new Map();        // number -> WeakRef of node
const records = new WeakMap();  // node -> what the last observation said of it
let lastId = 0;

function idOf(node) {
  let id = ids.get(node);
  if (!id) { id = ++lastId; ids.set(node, id); nodes.set(id, new WeakRef(node)); }
  return id;
}

// Where a document's viewport lies in the coordinates of this world's top document: {x, y, scale}.
function placeOf(doc) {
  let [x, y, scale] = [0, 0, 1];
  for (let at = doc; at !== document;) {
    const owner = at.defaultView && at.defaultView.frameElement;
    if (!owner) break;
    const inner = insideOf(owner);
    x = inner.x + x * inner.scale; y = inner.y + y * inner.scale; scale *= inner.scale;
    at = owner.ownerDocument;
  }
  return { x, y, scale };
}

// The content box of a frame element in its own document's viewport; `scale` also covers CSS zoom and transforms.
function insideOf(owner) {
  const box = owner.getBoundingClientRect();
  const style = styleOf(owner);
  const scale = owner.offsetWidth ? box.width / owner.offsetWidth : 1;
  return {
    x: box.left + (owner.clientLeft + (parseFloat(style.paddingLeft) || 0)) * scale,
    y: box.top + (owner.clientTop + (parseFloat(style.paddingTop) || 0)) * scale,
    width: owner.clientWidth * scale, height: owner.clientHeight * scale, scale,
  };
}

function deepElementFromPoint(doc, x, y) {
  let at = doc.elementFromPoint(x, y);
  for (let root = at && shadowOf(at); root; root = shadowOf(at)) {
    const inner = root.elementFromPoint(x, y);
    if (!inner || inner === at) break;
    at = inner;
  }
  return at;
}

// Whether a press on `hit` reaches `el`: it is part of it, or part of its label.
function reaches(hit, el) {
  if (!hit) return false;
  if (isWithin(hit, el)) return true;
  const label = closest(hit, (at) => at.localName === 'label');
  return !!label && (label.control === el || isWithin(el, label) && !label.control);
}

// Words for what lies over an element: the outermost part of the page that holds `hit` but not `el`.
function coverWords(hit, el) {
  if (!hit) return 'something outside the page';
  let top = hit;
  for (let at = hit; at && at.nodeType !== 9; at = parentOf(at)) {
    if (!isElement(at) || isWithin(el, at)) break;
    top = at;
  }
  const role = explicitRole(top) || { dialog: 'dialog', header: 'header', footer: 'footer', nav: 'navigation' }[top.localName]
    || nativeRole(top) || 'layer';
  const name = containerName(top) || cut(lineOf(top, 80), 80) || cut(lineOf(hit, 80), 80) || attr(top, 'id') || attr(top, 'class');
  return name ? `${role} “${cut(fold(name), 80)}”` : role;
}
