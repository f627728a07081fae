// Keeps what is typed in the one place it is meant for: while a guard stands, what arrives there is counted, and keys and
// texts that would land elsewhere are held back, so that not one of them gets into a field that took the focus meanwhile.

let guard = null;

// Whether `node` takes the place of the field: the very same, one the page put in its stead while it was typed into, or
// the next box of a code that is entered one character a box.
function continues(field, node) {
  if (node === field) return true;
  if (!node || !field || node.localName !== field.localName) return false;
  if (!field.isConnected) return looks(node) === guard.looks;
  const isFull = field.localName === 'input' && field.maxLength > 0 && field.value.length >= field.maxLength;
  return isFull && node.maxLength === field.maxLength && typeOf(node) === typeOf(field);
}

const looks = (node) => (isElement(node) ? [node.localName, typeOf(node), attr(node, 'name'), attr(node, 'id'), attr(node, 'placeholder'), attr(node, 'aria-label')].join('|') : '');

function holdBack(event) {
  if (!guard || !event.isTrusted) return;
  const now = focusedNode();
  if (!guard.isHere || !continues(guard.field, now)) {
    event.preventDefault();
    event.stopImmediatePropagation();
    return;
  }
  guard.field = now;
  guard.looks = looks(now);
  if (event.type === 'keydown') { guard.arrived += 1; guard.isKey = true; } else if (event.type === 'keyup') guard.isKey = false;
  else if (event.type === 'input' && !guard.isKey) guard.arrived += 1;
}

const GUARDED = ['keydown', 'keypress', 'beforeinput', 'input', 'keyup'];

// Begins to guard this world; `mayBeHere` tells that the focus is here or in a frame of another process inside, whose
// element is given back as `inner` then (0 when it is here).
function guardBegin(mayBeHere, token) {
  if (guard) guardEnd(guard.token);
  const field = focusedNode();
  let inner = 0;
  if (mayBeHere && field && (field.localName === 'iframe' || field.localName === 'frame')) {
    let doc = null;
    try { doc = field.contentDocument; } catch { doc = null; }
    if (!doc) inner = idOf(field);
  }
  const windows = windowsHere();
  guard = { token, field, looks: field ? looks(field) : '', isHere: mayBeHere && !inner, arrived: 0, isKey: false, windows };
  for (const win of windows) for (const type of GUARDED) win.addEventListener(type, holdBack, true);
  return inner;
}

// How many keys and texts arrived so far, whether the focus is still where it was, and what has it now, in words.
function guardState(token) {
  if (!guard || guard.token !== token) return { arrived: 0, isHere: false, isAway: true, now: '' };
  const now = focusedNode();
  const isAway = guard.isHere && !continues(guard.field, now);
  return { arrived: guard.arrived, isHere: guard.isHere, isAway, now: isAway && now && now !== document.body ? wordsFor(now) : '' };
}

// Ends the guard of that token; another one that began since stays.
function guardEnd(token) {
  if (!guard || guard.token !== token) return;
  for (const win of guard.windows) for (const type of GUARDED) {
    try { win.removeEventListener(type, holdBack, true); } catch { /* the frame went */ }
  }
  guard = null;
}

const wordsFor = (node) => { const known = records.get(node); const role = known ? known.role : explicitOrNative(node) || node.localName; const name = cut(nameOf(node, role)[0], 60); return name ? `${role} “${name}”` : role; };

// The windows of all frames this world can enter.
function windowsHere() {
  const found = [];
  const docs = [document];
  for (let doc = docs.pop(); doc; doc = docs.pop()) {
    found.push(doc.defaultView);
    for (const frame of doc.querySelectorAll('iframe, frame')) {
      try { if (frame.contentDocument && frame.contentDocument.defaultView) docs.push(frame.contentDocument); } catch { /* another process */ }
    }
  }
  return found;
}
