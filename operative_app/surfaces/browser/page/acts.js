// What actions need of single nodes: resolve, bring into view, aim, focus, set, read back; and waiting for calm.

const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

function nodeOf(id) {
  const ref = nodes.get(id);
  const node = ref && ref.deref();
  return node && node.isConnected && node.ownerDocument.defaultView ? node : null;
}

// Whether the node is still what the reference says: {status, ...}. A reused node (a recycled row) is another element.
function check(id, name, role) {
  const node = nodeOf(id);
  if (!node) return { status: 'gone' };
  const known = records.get(node);
  if (!known) return { status: 'gone' };
  const nowRole = known.isMenu ? 'menuitem' : explicitOrNative(node) || known.role;
  if (nowRole !== role && known.role !== role) return { status: 'changed', now: nowRole };
  if (known.source !== 'nearby' && known.name === name) {
    const now = nowName(node, known, role);
    if (now !== name) return { status: 'changed', now };
  } else if (known.name !== name) return { status: 'changed', now: known.name };
  const now = strangeRow(node, known.item);
  return now ? { status: 'changed', now } : { status: 'same' };
}

// What the row or card around a node says now, when it is not what it said; "" when it still does, or says nothing.
function strangeRow(node, item) {
  if (!item || !item.firstNode) return '';
  const { firstNode, el } = item;
  const was = fold(item.firstText);
  if (el && el.isConnected && !isWithin(node, el)) return lineOf(node, 80) || 'something in another place';
  if (firstNode.isConnected && (!el || isWithin(firstNode, el))) return fold(firstNode.data) === was ? '' : fold(firstNode.data) || 'nothing';
  if (!el || !el.isConnected) return '';
  const now = fold(textOf(el, 2000));
  return now.includes(was) ? '' : cut(now, 80) || 'nothing';
}

function explicitOrNative(node) {
  const role = explicitRole(node);
  return role && role !== 'presentation' && role !== 'none' && role !== 'generic' ? role : nativeRole(node);
}

function nowName(node, known, role) {
  if (known.isMenu) return ownLine(node);
  if (known.source === 'markup') return markupName(node);
  let name = nameIn(node, role)[0];
  if (!name && known.proxy) name = lineOf(known.proxy);
  return cut(name, 200);
}

// The node that is pressed for an element: its visible label when the element itself cannot be seen.
function pressed(node) {
  const known = records.get(node);
  return known && known.proxy && known.proxy.isConnected ? known.proxy : node;
}

function rectOf(node) {
  let r = node.getBoundingClientRect();
  const parts = node.getClientRects();
  if (parts.length > 1) {  // a link over two lines: its longest part
    r = [...parts].reduce((a, b) => (b.width * b.height > a.width * a.height ? b : a));
  }
  if ((r.width < 1 || r.height < 1) && node.firstElementChild) {
    for (const child of node.querySelectorAll('*')) {
      const b = child.getBoundingClientRect();
      if (b.width >= 1 && b.height >= 1) { r = b; break; }
    }
  }
  return r;
}

const sameRect = (a, b) => a.left === b.left && a.top === b.top && a.width === b.width && a.height === b.height;

function isMoving(node) {
  for (let at = node; at && at.nodeType !== 9; at = parentOf(at)) {
    if (!isElement(at) || !at.getAnimations) continue;
    if (at.getAnimations().some((one) => one.playState === 'running' && Number.isFinite(one.effect && one.effect.getComputedTiming().endTime))) return true;
  }
  return false;
}

const FRAME_MS = 16;
const samples = new WeakMap();  // node -> where it was when it was last aimed at, and when

// Waits until the box rests (two equal boxes a frame apart, no running transition), at most `limit_ms`. A box that was
// sampled before counts as the first of the two.
async function rest(node, limit_ms) {
  const end = performance.now() + limit_ms;
  const known = samples.get(node);
  samples.delete(node);
  let before = known ? known.rect : rectOf(node);
  let wait = known ? Math.max(0, FRAME_MS - (performance.now() - known.at)) : FRAME_MS;
  for (;;) {
    if (wait > 0) await pause(wait);
    wait = FRAME_MS;
    if (!node.isConnected) return false;
    const now = rectOf(node);
    if (sameRect(before, now) && !isMoving(node)) return true;
    if (performance.now() > end) return sameRect(before, now);
    before = now;
  }
}

const HANDLES = [[0.5, 0.5], [0.5, 0.25], [0.5, 0.75], [0.25, 0.5], [0.75, 0.5], [0.15, 0.2], [0.85, 0.2], [0.15, 0.8], [0.85, 0.8]];

// Scrolls an element into view ("" leaves it where it is) and finds a point where a press reaches it.
// Gives {x, y} in the viewport of this world's top document, or {cover} when every point is covered, or {away}.
// With `limit_ms` 0 the box is only sampled, for the next call to compare with, unless it moves visibly.
async function aim(id, alignment, limit_ms) {
  const element = nodeOf(id);
  if (!element) return { status: 'gone' };
  const node = pressed(element);
  if (alignment) node.scrollIntoView({ block: alignment, inline: 'nearest', behavior: 'instant' });
  if (!limit_ms && !isMoving(node)) samples.set(node, { rect: rectOf(node), at: performance.now() });
  else if (!await rest(node, limit_ms || 2500)) return node.isConnected ? { status: 'moving' } : { status: 'gone' };
  return spot(element, node);
}

const INSIDE = new Set(['http:', 'https:', 'about:', 'javascript:', 'blob:', 'data:', 'file:', 'filesystem:', 'view-source:', '']);

// The scheme of a link that the browser hands to another program ("tel:"), "" for all others.
function outsideScheme(element) {
  const link = closest(element, (at) => (at.localName === 'a' || at.localName === 'area') && hasAttribute.call(at, 'href'));
  const scheme = link ? link.protocol : '';
  return typeof scheme !== 'string' || INSIDE.has(scheme) ? '' : scheme;
}

function spot(element, node) {
  const doc = node.ownerDocument;
  const win = doc.defaultView;
  const r = rectOf(node);
  if (r.width < 1 || r.height < 1) return { status: 'unseen' };
  const view = { left: Math.max(r.left, 0), top: Math.max(r.top, 0), right: Math.min(r.right, win.innerWidth), bottom: Math.min(r.bottom, win.innerHeight) };
  if (view.right - view.left < 1 || view.bottom - view.top < 1) return { status: 'away' };
  const place = placeOf(doc);
  let over = null;
  let isBare = true;  // nothing but what holds it answers at its places: it lets presses through, or is clipped away
  for (const [u, v] of HANDLES) {
    const x = view.left + (view.right - view.left) * u;
    const y = view.top + (view.bottom - view.top) * v;
    const hit = deepElementFromPoint(doc, x, y);
    if (!hit) continue;
    if (!(reaches(hit, node) || reaches(hit, element))) { isBare = isBare && isWithin(node, hit); over = over || { hit, doc, el: node }; continue; }
    const inner = closest(hit, (at) => at === node || at === element || !!nativeRole(at));
    if (inner && inner !== node && inner !== element && !isWithin(node, inner) && !(inner.localName === 'input' && isWithin(inner, node) && node.localName === 'label')) continue;
    const point = { x: place.x + x * place.scale, y: place.y + y * place.scale };
    const outer = outerHit(doc, x, y);
    if (outer && outer.turned) return { status: 'turned' };
    if (outer) { over = over || outer; continue; }
    if (point.x < 0 || point.y < 0 || point.x >= innerWidth || point.y >= innerHeight) { over = over || { away: true }; continue; }
    return { status: 'ok', ...point, width: r.width * place.scale, height: r.height * place.scale, outside: outsideScheme(element), isDisabled: isDisabled(element) };
  }
  if (!over || over.away) return { status: 'away' };
  if (isBare && over.el === node) return { status: 'bare' };
  return { status: 'covered', cover: coverWords(over.hit, over.el) };
}

// What lies over the point in the documents around a frame; null when nothing does.
function outerHit(doc, x, y) {
  for (let at = doc; at !== document;) {
    const owner = at.defaultView.frameElement;
    if (!owner) return null;
    if (isTurned(owner)) return { turned: true };
    const inside = insideOf(owner);
    x = inside.x + x * inside.scale; y = inside.y + y * inside.scale;
    at = owner.ownerDocument;
    const hit = deepElementFromPoint(at, x, y);
    if (hit && hit !== owner) return { hit, el: owner };
    if (!hit) return { away: true };
  }
  return null;
}

// Whether a frame is shown rotated, skewed, mirrored, tilted or stretched: then a box says nothing of the places inside.
function isTurned(owner) {
  const box = owner.getBoundingClientRect();
  const [across, down] = [box.width / (owner.offsetWidth || 1), box.height / (owner.offsetHeight || 1)];
  if (Math.abs(across - down) * Math.max(owner.offsetWidth, owner.offsetHeight) > 2) return true;
  for (let at = owner; at; at = parentOf(at)) {
    if (at.nodeType !== 1) continue;
    const { transform, rotate } = styleOf(at);
    if (rotate && rotate !== 'none') return true;
    const m = transform && transform !== 'none' ? transform.slice(transform.indexOf('(') + 1, -1).split(',').map(Number) : [];
    if (m.length === 6 && (m[1] || m[2] || m[0] <= 0 || m[3] <= 0)) return true;
    if (m.length === 16 && ([1, 2, 3, 4, 6, 7, 8, 9, 11].some((place) => m[place]) || m[0] <= 0 || m[5] <= 0)) return true;
  }
  return false;
}

// For a point inside a frame of another process: does this document let it through to the frame element?
function through(id, x, y) {
  const owner = nodeOf(id);
  if (!owner) return { status: 'gone' };
  if (isTurned(owner)) return { status: 'turned' };
  const place = placeOf(owner.ownerDocument);
  const [lx, ly] = [(x - place.x) / place.scale, (y - place.y) / place.scale];
  const hit = deepElementFromPoint(owner.ownerDocument, lx, ly);
  if (hit && hit !== owner) return { status: 'covered', cover: coverWords(hit, owner) };
  if (!hit) return { status: 'away' };
  const outer = outerHit(owner.ownerDocument, lx, ly);
  if (outer && outer.turned) return { status: 'turned' };
  return outer ? (outer.away ? { status: 'away' } : { status: 'covered', cover: coverWords(outer.hit, outer.el) }) : { status: 'ok' };
}

// The place of a frame element's inside in this world's top viewport.
function frameInside(id) {
  const owner = nodeOf(id);
  if (!owner) return null;
  const inside = insideOf(owner);
  const place = placeOf(owner.ownerDocument);
  return { x: place.x + inside.x * place.scale, y: place.y + inside.y * place.scale, scale: inside.scale * place.scale };
}

// What a press at a place of this world's top viewport would meet.
function spotAt(x, y) {
  const size = { width: innerWidth, height: innerHeight };
  if (!(x >= 0 && y >= 0 && x < innerWidth && y < innerHeight)) return { status: 'outside', ...size };
  const hit = hitAt(x, y);
  return { status: 'ok', ...size, outside: hit ? outsideScheme(hit) : '' };
}

// The innermost element at a place, through the frames this world can enter.
function hitAt(x, y) {
  let doc = document;
  for (;;) {
    const hit = deepElementFromPoint(doc, x, y);
    if (!hit || (hit.localName !== 'iframe' && hit.localName !== 'frame')) return hit;
    let inner = null;
    try { inner = hit.contentDocument; } catch { inner = null; }
    if (!inner || !inner.defaultView) return hit;
    const place = insideOf(hit);
    [x, y, doc] = [(x - place.x) / place.scale, (y - place.y) / place.scale, inner];
  }
}

// Where a node stands among others: another value once the page has put it elsewhere.
function standing(id) {
  const node = nodeOf(id);
  if (!node) return '';
  const before = node.previousElementSibling;
  return `${idOf(parentNodeOf(node))} ${before ? idOf(before) : 0}`;
}

// Whether the page has put a node to another place since it stood where `was` says, and it is at that point now.
function hasTakenPlace(id, was, x, y) {
  const node = nodeOf(id);
  return !!node && standing(id) !== was && isWithin(hitAt(x, y), node);
}

// The element's whole box in this world's top viewport; `alignment` scrolls it into view first ("" leaves it).
function boxOf(id, alignment) {
  const element = nodeOf(id);
  if (!element) return null;
  const node = pressed(element);
  if (alignment) node.scrollIntoView({ block: alignment, inline: 'nearest', behavior: 'instant' });
  const r = rectOf(node);
  const place = placeOf(node.ownerDocument);
  return { x: place.x + r.left * place.scale, y: place.y + r.top * place.scale, width: r.width * place.scale, height: r.height * place.scale };
}

const viewport = () => ({ width: innerWidth, height: innerHeight, scroll_x: scrollX, scroll_y: scrollY });

function reveal(id) {
  const node = nodeOf(id);
  if (!node) return false;
  pressed(node).scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
  return true;
}

// How a field is filled: "keys" (real typing), "value" (native setter), or why not.
function fillWay(id) {
  const node = nodeOf(id);
  if (!node) return { way: 'gone' };
  const field = editableOf(node);
  if (!field) return { way: node.localName === 'select' ? 'select' : 'none' };
  if (isDisabled(field)) return { way: 'disabled' };
  if (field.readOnly) return { way: 'readonly' };
  const type = typeOf(field);
  if (VALUE_TYPES.has(type)) return { way: 'value', type };
  const isRich = field.isContentEditable;
  return { way: 'keys', type, isRich, isLine: field.localName === 'input', maxLength: field.maxLength > 0 ? field.maxLength : 0 };
}

function editableOf(node) {
  if (!node) return null;  // the page took it away meanwhile
  const takes = (el) => (el.localName === 'input' && (TEXT_TYPES.has(typeOf(el)) || VALUE_TYPES.has(typeOf(el)))) || el.localName === 'textarea' || el.isContentEditable;
  if (takes(node)) return node;
  if (node.localName === 'label' && node.control && takes(node.control)) return node.control;
  const inner = [...node.querySelectorAll('input, textarea, [contenteditable]')].filter(takes);
  if (node.shadowRoot) inner.push(...[...node.shadowRoot.querySelectorAll('input, textarea, [contenteditable]')].filter(takes));
  return inner.length === 1 ? inner[0] : null;
}

// Focuses the field and selects all it holds.
function takeHold(id) {
  const field = editableOf(nodeOf(id));
  if (!field) return false;
  field.focus({ preventScroll: true });
  if (focusedNode() !== field) return false;
  selectAll(field);
  return true;
}

function hasHold(id) {
  const field = editableOf(nodeOf(id));
  return !!field && focusedNode() === field;
}

function selectAll(field) {
  if (field.select) { field.select(); return; }
  const selection = field.ownerDocument.getSelection();
  const range = field.ownerDocument.createRange();
  range.selectNodeContents(field);
  selection.removeAllRanges();
  selection.addRange(range);
}

function heldBy(id) {
  const node = nodeOf(id);
  const field = node && editableOf(node);
  if (!field) return null;
  return field.isContentEditable ? richText(field) : field.value;
}

// What a rich editor holds, one line for each block or line break, blanks as they were typed.
function richText(field) {
  const lines = [''];
  let isOpen = false;  // whether the last line has begun
  const turn = () => { if (isOpen) { lines.push(''); isOpen = false; } };
  const put = (text) => { lines[lines.length - 1] += text; isOpen = true; };
  const walk = (node) => {
    for (const kid of flatChildren(node)) {
      if (kid.nodeType === 3) {
        const keeps = /^(pre|break-spaces)/.test(styleOf(node).whiteSpace);
        const text = keeps ? kid.data : kid.data.replace(/[ \t\n]+/g, ' ').replace(/^ $/, isOpen ? ' ' : '');
        text.split('\n').forEach((part, n) => { if (n) { isOpen = true; turn(); } if (part) put(part); });
        continue;
      }
      if (!isElement(kid) || attr(kid, 'contenteditable') === 'false' && !kid.textContent) continue;
      if (kid.localName === 'br') { isOpen = true; turn(); continue; }
      const style = styleOf(kid);
      if (style.display === 'none') continue;
      const isBlock = !style.display.startsWith('inline') && style.display !== 'contents';
      if (isBlock) turn();
      walk(kid);
      if (isBlock) turn();
    }
  };
  walk(field);
  if (!isOpen && lines.length > 1) lines.pop();
  return lines.join('\n').replace(/\u00a0/g, ' ');
}

function tell(node, names) {
  for (const name of names) node.dispatchEvent(new Event(name, { bubbles: true, composed: true }));
}

function setValue(id, text) {
  const field = editableOf(nodeOf(id));
  field.focus({ preventScroll: true });
  const before = field.value;
  field.value = text;  // the isolated world sees the browser's own setter, whatever the page put over it
  if (text && !field.value) { field.value = before; return { held: '', isRefused: true }; }
  tell(field, ['input', 'change']);
  return { held: field.value, isRefused: false };
}

async function choose(id, wanted) {
  const list = nodeOf(id);
  if (!list || list.localName !== 'select') return { status: list ? 'none' : 'gone' };
  if (isDisabled(list)) return { status: 'disabled' };
  const all = [...list.options];
  const plain = (text) => fold(text).toLowerCase();
  const found = all.find((one) => fold(one.label) === fold(wanted)) || all.find((one) => one.value === wanted)
    || all.find((one) => plain(one.label) === plain(wanted));
  if (!found) return { status: 'missing', choices: all.filter((one) => !one.disabled).map((one) => fold(one.label)).slice(0, 40) };
  if (found.disabled || (found.parentElement && found.parentElement.disabled)) return { status: 'barred' };
  list.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  list.focus({ preventScroll: true });
  found.selected = true;
  tell(list, ['input', 'change']);
  await pause(30);
  return { status: found.selected ? 'ok' : 'undone', label: fold(found.label), shown: shownValue(list) };
}

function focusNode(id) {
  const node = nodeOf(id);
  if (!node) return false;
  const target = editableOf(node) || node;
  target.focus();
  return focusedNode() === target || isWithin(focusedNode(), target);
}

// The file input an element stands for: itself, its label's, or the only one near the button or drop zone.
function fileInputOf(id) {
  const node = nodeOf(id);
  if (!node) return null;
  const isFile = (el) => typeOf(el) === 'file';
  if (isFile(node)) return node;
  if (node.control && isFile(node.control)) return node.control;
  for (let at = node, level = 0; at && level < 6; at = parentOf(at), level += 1) {
    if (at.nodeType === 9) break;
    const scope = at.querySelectorAll ? [...at.querySelectorAll('input[type=file]')] : [];
    if (scope.length === 1) return scope[0];
    if (scope.length > 1) return null;
    if (at.localName === 'body') break;
  }
  return null;
}

function scrollBy_(id, dx, dy) {
  const at = id ? nodeOf(id) : null;
  return id && !at ? null : scrollFrom(at, dx, dy);
}

const scrollAt = (x, y, dx, dy) => scrollFrom(hitAt(x, y), dx, dy);

// Scrolls the innermost container around an element that can go that way; the page's own when none is given.
function scrollFrom(start, dx, dy) {
  let at = start;
  const doc = at ? at.ownerDocument : document;
  const root = doc.scrollingElement || doc.documentElement;
  const tried = [];
  if (!at) {
    tried.push(root);
    if (root.scrollHeight <= root.clientHeight + 1 && root.scrollWidth <= root.clientWidth + 1) tried.unshift(...scrollers(doc));
  }
  for (; at && at.nodeType !== 9; at = parentOf(at)) {
    if (!isElement(at) || at === root || at === doc.body) continue;
    const style = styleOf(at);
    if (/auto|scroll|overlay/.test(style.overflowY) && at.scrollHeight > at.clientHeight + 1 || /auto|scroll|overlay/.test(style.overflowX) && at.scrollWidth > at.clientWidth + 1) tried.push(at);
  }
  if (!tried.includes(root)) tried.push(root);
  for (const box of tried) {
    const [x, y] = [box.scrollLeft, box.scrollTop];
    box.scrollBy({ left: dx, top: dy, behavior: 'instant' });
    if (box.scrollLeft !== x || box.scrollTop !== y) return { moved: true };
  }
  return { moved: false };
}

// The largest scrolling areas of a page that does not scroll itself.
function scrollers(doc) {
  const found = [];
  for (const el of doc.body ? doc.body.querySelectorAll('*') : []) {
    if (el.scrollHeight <= el.clientHeight + 1 || el.clientHeight < 80) continue;
    if (/auto|scroll|overlay/.test(styleOf(el).overflowY)) found.push(el);
  }
  return found.sort((a, b) => b.clientWidth * b.clientHeight - a.clientWidth * a.clientHeight).slice(0, 3);
}

// The text selected in the field that has the focus, or on the page, in the frames this world can enter.
function selectedText() {
  const field = focusedNode();
  if (field && (field.localName === 'textarea' || field.localName === 'input') && !isSecretField(field)) {
    try {
      const text = field.value.slice(field.selectionStart, field.selectionEnd);
      if (text) return text;
    } catch { /* a kind of input without a selection */ }
  }
  const docs = [document];
  for (let doc = docs.pop(); doc; doc = docs.pop()) {
    const text = String(doc.getSelection() || '');
    if (text) return text;
    for (const frame of doc.querySelectorAll('iframe, frame')) {
      try { if (frame.contentDocument && frame.contentDocument.defaultView) docs.push(frame.contentDocument); } catch { /* another process */ }
    }
  }
  return '';
}

function readText(id) {
  const node = id ? nodeOf(id) : document.body;
  if (!node) return null;
  if (id && isField(node)) return BUTTON_TYPES.has(typeOf(node)) ? nameOf(node, 'button')[0] : shownValue(node);
  forgetGrounds();
  return textOf(node, 200000);
}

function lookAt(id) {
  const node = nodeOf(id);
  if (!node) return null;
  const shown = pressed(node);
  const r = rectOf(shown);
  const isVisible = r.width >= 1 && r.height >= 1 && shown.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  return { isVisible, isEnabled: !isDisabled(node) };
}

function attributeOf(id, name) {
  const node = nodeOf(id);
  if (node && isSecretField(node) && name.toLowerCase() === 'value') return '';
  return node ? getAttribute.call(node, name) : null;
}

function scrollTo_(y) { window.scrollTo({ top: y, behavior: 'instant' }); }

const isPageVisible = () => [document.visibilityState === 'visible', document.hasFocus()];

function beginWatch() { changes.counts = new WeakMap(); watch(document); }

// Resolves when nothing has changed for `quiet_ms` (counted from the last change or `since_ms` ago), or after `limit_ms`.
async function calm(quiet_ms, limit_ms, since_ms) {
  beginWatch();
  const start = performance.now();
  const end = start + limit_ms;
  let mayIdle = document.visibilityState === 'visible';
  for (;;) {
    const now = performance.now();
    const from = Math.max(changes.last, start - since_ms);
    const wait = from + quiet_ms - now;
    const isAnimating = document.getAnimations().some((one) => one.playState === 'running' && one.effect && one.effect.target
      && Number.isFinite(one.effect.getComputedTiming().endTime) && one.effect.getComputedTiming().endTime < 3000);
    if ((wait <= 0 && !isAnimating) || now >= end) return { isCalm: now < end, isLoading: document.readyState !== 'complete' };
    if (mayIdle && !isAnimating && now - from >= QUIET_BEFORE_IDLE_MS && wait > 5) {
      mayIdle = false;
      const last = changes.last;
      const idle = await idleFor();
      if (changes.last !== last) mayIdle = true;
      else if (idle >= LEAST_IDLE_MS && document.readyState === 'complete') return { isCalm: true, isLoading: false };
      continue;
    }
    const next = mayIdle && wait > 0 ? Math.max(from + QUIET_BEFORE_IDLE_MS - now, 5) : wait > 0 ? wait : 25;
    await pause(Math.max(5, Math.min(next, end - now)));
  }
}

const QUIET_BEFORE_IDLE_MS = 25;
const LEAST_IDLE_MS = 45;

// For how long the browser has nothing to do for this page, at most 50 ms: it knows the timers that are due, and this
// promises that none is. 0 when it is busy. The time-out lies beyond those 50 ms, because it is a timer itself.
function idleFor() {
  return new Promise((resolve) => { requestIdleCallback((one) => resolve(one.didTimeout ? 0 : one.timeRemaining()), { timeout: 60 }); });
}
