// What the page's own tree does not tell by itself: closed shadow roots, drop targets, what scrolls, what is selected.

const EMPTY_HOSTS = new Set(['div', 'span', 'section', 'article', 'aside', 'main', 'header', 'footer', 'nav', 'p', 'blockquote',
  'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const DRAG_CLASS = /(?:^|\s)(?:ui-draggable|ui-sortable-handle|drag-handle|draggable)(?:\s|$)/;
const DROP_CLASS = /(?:^|\s)(?:ui-droppable|dropzone|drop-zone|drop-area|drop-target|droppable)(?:\s|$)/;

const askedHosts = new WeakSet();   // hosts the browser was asked about
const dropNodes = new WeakSet();    // nodes with listeners for drops
const scrollerNodes = [];           // what scrolled at the last look
let toAsk = [];

// Hosts that may have a closed shadow root, for the browser to look at.
function hostsToAsk() {
  const hosts = toAsk;
  toAsk = [];
  return hosts;
}

// The browser has told of these: they are not asked about again. What it had no time for is.
function hostsAsked(hosts) {
  for (const el of hosts) askedHosts.add(el);
}

function adoptRoot(root) {
  if (!root || root.nodeType !== 11 || !root.host) return false;
  closedRoots.set(root.host, root);
  hasClosedRoots = true;
  return true;
}

function adoptDrop(node) {
  if (!node || node.nodeType !== 1) return false;
  dropNodes.add(node);
  return true;
}

function isDropTarget(el) {
  if (dropNodes.has(el)) return true;
  const effect = getAttribute.call(el, 'aria-dropeffect');
  if (effect && effect !== 'none') return true;
  return hasAttribute.call(el, 'ondrop') || hasAttribute.call(el, 'ondragover') || hasAttribute.call(el, 'dropzone') || DROP_CLASS.test(attr(el, 'class'));
}

// `body` scrolls by itself only where the root element does not pass its overflow on to the window.
function isBodyScroller(body, win) {
  const root = body.ownerDocument.documentElement;
  return body.ownerDocument.scrollingElement !== body && win.getComputedStyle(root).overflowX !== 'visible';
}

// The text that is selected: in the field with the focus, else in the document with the focus or in the top one.
function shownSelection() {
  const at = focusedNode();
  if (at && isField(at)) {
    if (isSecretField(at)) return '';
    try {
      if (at.selectionEnd > at.selectionStart) return at.value.slice(at.selectionStart, at.selectionEnd);
    } catch { /* a field that keeps its selection to itself */ }
  }
  for (const doc of new Set([at ? at.ownerDocument : document, document])) {
    const selection = doc.getSelection();
    if (selection && !selection.isCollapsed) return fold(String(selection));
  }
  return '';
}
