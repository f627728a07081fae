// What a person does in a page with their own hands, told to the browser's surface (see following.py). Runs in an
// isolated world of its own in every frame. HEAR is its binding; with IS_TAUGHT it tells what was done to which
// control, else only that a button or a key was pressed. What is in a password field never leaves the page.

const hear = globalThis[HEAR];
const tell = (what) => { try { hear(JSON.stringify({ ...what, at: performance.timeOrigin + performance.now() })); } catch { /* left */ } };
const heardAt = (event) => performance.timeOrigin + event.timeStamp;
const ONE_LINE = new Set([...TEXT_TYPES, ...VALUE_TYPES]);
const PRESSES = new Set(['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox',
  'menuitemradio', 'option', 'treeitem', 'combobox', 'slider', 'gridcell', 'file', 'color']);
let dirty = null;
let enteredAt = 0;

const isTyped = (el) => el.localName === 'textarea' || (el.localName === 'input' && ONE_LINE.has(typeOf(el))) || el.isContentEditable;
const hostOf = (el) => closest(el, (one) => isElement(one) && one.isContentEditable && isEditingHost(one)) || el;
const controlOf = (el) => closest(el, (one) => isElement(one)
  && (isField(one) || one.localName === 'button' || one.localName === 'summary' || PRESSES.has(explicitRole(one) || nativeRole(one))));

function described(el) {
  const role = explicitRole(el) || nativeRole(el) || 'clickable';
  const [name] = nameOf(el, role);
  return { role, name: cut(name || lineOf(el, 60), 100) };
}

function flush() {
  const el = dirty;
  dirty = null;
  if (!el) return;
  const secret = isSecretField(el);
  const value = el.isContentEditable ? el.innerText.replace(/\n$/, '') : el.value;
  tell({ kind: 'fill', ...described(el), text: secret ? '' : value, hidden: secret });
}

function onInput(event) {
  const target = event.composedPath()[0];
  if (!event.isTrusted || !isElement(target)) return;
  const el = target.isContentEditable ? hostOf(target) : target;
  if (!isTyped(el)) return;
  if (dirty && dirty !== el) flush();
  dirty = el;
}

function onChange(event) {
  const el = event.composedPath()[0];
  if (!event.isTrusted || !isElement(el)) return;
  if (el.localName === 'select') tell({ kind: 'choose', ...described(el), text: shownValue(el) });
  else if (el === dirty) flush();
}

function onClick(event) {
  const target = event.composedPath()[0];
  if (!event.isTrusted || !isElement(target)) return;
  if (event.detail === 0 && event.timeStamp - enteredAt < 200) return;  // the form's button, pressed by Enter in a field
  const label = closest(target, (one) => isElement(one) && one.localName === 'label');
  const control = controlOf(target);
  if (label && label.control && (!control || !isWithin(control, label))) return;  // its control tells its own click
  flush();
  const el = control || target;
  if (el.localName === 'select' || el.localName === 'option' || isTyped(el)) return;  // what is chosen or typed is told
  tell({ kind: 'click', ...described(el) });
}

function onKey(event) {
  if (!event.isTrusted || event.repeat || event.isComposing) return;
  const el = event.composedPath()[0];
  const inField = isElement(el) && el.localName === 'input' && isTyped(el);
  if (event.key === 'Enter' && inField) {
    flush();
    enteredAt = event.timeStamp;
    tell({ kind: 'press', ...described(el), text: 'Enter' });
  } else if (event.key === 'Escape') {
    flush();
    tell({ kind: 'press', role: '', name: '', text: 'Escape' });
  }
}

function onTouch(event) {
  if (event.isTrusted && !event.repeat) tell({ kind: event.type === 'keydown' ? 'typed' : 'clicked', from: heardAt(event) });
}

if (IS_TAUGHT) {
  addEventListener('input', onInput, true);
  addEventListener('change', onChange, true);
  addEventListener('focusout', flush, true);
  addEventListener('click', onClick, true);
  addEventListener('keydown', onKey, true);
  addEventListener('pagehide', flush, true);
  globalThis.flushTaught = flush;
  globalThis.endTaught = () => {
    flush();
    for (const [name, call] of [['input', onInput], ['change', onChange], ['focusout', flush], ['click', onClick], ['keydown', onKey], ['pagehide', flush]]) {
      removeEventListener(name, call, true);
    }
  };
} else {
  addEventListener('pointerdown', onTouch, true);
  addEventListener('keydown', onTouch, true);
}
