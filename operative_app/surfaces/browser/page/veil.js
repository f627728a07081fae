// What must not be pictured: where password fields are, and which texts stand where, for the side that knows what is
// secret to say which of them are. The page is told nothing.

const onceSecret = new WeakSet();   // fields that were password fields once stay hidden, also while a page shows them

const onceGuarded = new WeakSet();  // the same for fields that the page says are for a one-time code or a card's number
const GUARDED_PURPOSE = /(?:^|\s)(?:one-time-code|cc-number|cc-csc)(?:\s|$)/i;

function isPasswordField(el) {
  if (el.localName !== 'input') return false;
  if (typeOf(el) === 'password') { onceSecret.add(el); return true; }
  return onceSecret.has(el);
}

function isGuardedField(el) {
  if (el.localName !== 'input') return false;
  if (GUARDED_PURPOSE.test(attr(el, 'autocomplete'))) { onceGuarded.add(el); return true; }
  return onceGuarded.has(el);
}

function isSecretField(el) {
  return isPasswordField(el) || isGuardedField(el);
}

const VEIL_CHARS = 400000;

// {hidden: boxes of password fields, texts: [text, box] in document order, frames: [id, box] of those of other processes,
// isCut, width: of the view}. The boxes are in this world's top viewport; texts and frames only when texts are wanted, and
// unless `isWhole` only those in sight.
function veil(wantsTexts, isWhole) {
  const out = { hidden: [], texts: [], frames: [], isCut: false, width: innerWidth };
  let chars = 0;
  const inView = (b) => isWhole || b[0] < innerWidth && b[1] < innerHeight && b[0] + b[2] > 0 && b[1] + b[3] > 0;
  const placed = (r, place) => [place.x + r.left * place.scale, place.y + r.top * place.scale, r.width * place.scale, r.height * place.scale];
  const add = (text, r, place) => {
    if (!text.trim() || r.width < 1 || r.height < 1) return;
    const box = placed(r, place);
    if (!inView(box)) return;
    chars += text.length;
    if (chars > VEIL_CHARS) out.isCut = true; else out.texts.push([text, box]);
  };
  const field = (el, place) => {
    const r = el.getBoundingClientRect();
    if (isSecretField(el)) { if (r.width >= 1 && r.height >= 1) out.hidden.push(placed(r, place)); }
    else if (wantsTexts) add(shownValue(el) || attr(el, 'placeholder'), r, place);
  };
  const here = windowsHere();
  const frame = (el, place) => {
    let view = null;
    try { view = el.contentDocument && el.contentDocument.defaultView; } catch { /* another process */ }
    const box = placed(el.getBoundingClientRect(), place);
    if (!view && inView(box)) out.frames.push([idOf(el), box]);
    if (view && !here.includes(view)) here.push(view);  // of a shadow root
  };
  const walk = (root, place, range) => {
    const doc = root.ownerDocument || root;
    const walker = doc.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.nodeType === 3) {
        if (!node.data.trim()) continue;
        const parent = node.parentElement;
        if (parent && SKIPPED.has(parent.localName)) continue;
        range.selectNodeContents(node);
        add(node.data, range.getBoundingClientRect(), place);
        continue;
      }
      if (isField(node)) field(node, place);
      if (node.localName === 'iframe' || node.localName === 'frame') frame(node, place);
      const shadow = shadowOf(node);
      if (shadow) walk(shadow, place, range);
    }
  };
  for (const win of here) {
    const doc = win.document;
    const place = placeOf(doc);
    if (wantsTexts) { if (doc.documentElement) walk(doc, place, doc.createRange()); continue; }
    for (const root of [doc, ...shadowsIn(doc)]) for (const el of root.querySelectorAll('input')) if (isSecretField(el)) field(el, place);
  }
  return out;
}

// The shadow roots of a document that are known, since they were looked into once.
const shadowRefs = [];
function noteShadow(root) { shadowRefs.push(new WeakRef(root)); }
function shadowsIn(doc) {
  const found = [];
  for (let at = shadowRefs.length; at--;) {
    const root = shadowRefs[at].deref();
    if (!root) shadowRefs.splice(at, 1); else if (root.isConnected && root.ownerDocument === doc) found.push(root);
  }
  return found;
}

// Where a text for the field would go: told by the browser's own record of the document, which no page can change.
function fieldPlace(id) {
  const node = nodeOf(id);
  const field = node && editableOf(node);
  if (!node) return null;
  const at = field || node;
  const way = field ? fillWay(id).way : 'none';
  return { origin: at.ownerDocument.defaultView.origin, isPassword: !!field && typeOf(field) === 'password' && isPasswordField(field), takesText: way === 'keys', label: wordsFor(at) };
}

// The id of what has the focus here, and whether that is a frame of another process.
function focusPlace() {
  const field = focusedNode();
  if (!field || field === document.body) return null;
  let isFrame = field.localName === 'iframe' || field.localName === 'frame';
  if (isFrame) { try { isFrame = !field.contentDocument; } catch { /* of another process */ } }
  return { id: idOf(field), isFrame };
}
