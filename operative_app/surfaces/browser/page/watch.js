// Watching for changes.

const seenRoots = new WeakSet();

// Counts changes of the page, so that settle() can tell when they have calmed.
const changes = { last: 0, counts: new WeakMap() };
const observer = new MutationObserver((list) => {
  const now = performance.now();
  for (const change of list) {
    noteRestless(change.target, now);
    const n = (changes.counts.get(change.target) || 0) + 1;
    changes.counts.set(change.target, n);
    if (n <= 6) changes.last = performance.now();
  }
});

function watch(root) {
  if (seenRoots.has(root)) return;
  seenRoots.add(root);
  if (root.defaultView) for (const type of TOUCHES) root.defaultView.addEventListener(type, touch, { capture: true, passive: true });
  observer.observe(root, { childList: true, characterData: true, subtree: true, attributes: true,
    attributeFilter: ['class', 'style', 'hidden', 'disabled', 'open', 'aria-expanded', 'aria-hidden', 'aria-disabled', 'aria-busy', 'src', 'value'] });
}

// Places that change by themselves: clocks, counters, carousels. What changes there proves nothing about an act.
// A place is restless after four changes at even intervals (or eight at any) with nobody touching the page, and for as
// long as it goes on like that.
const TOUCHES = ['pointerdown', 'pointermove', 'keydown', 'beforeinput', 'input', 'change', 'wheel'];
const GAP_MS = 200;
const RESTLESS_SIZE = 40;
const RESTLESS_DEPTH = 6;
const series = new WeakMap();
let touches = 0;
let hasRestless = false;

function touch() { touches += 1; }

function noteRestless(node, now) {
  const el = node.nodeType === 1 ? node : node.parentElement;
  if (!el) return;
  const one = series.get(el);
  if (!one) { series.set(el, { touches, n: 1, at: now, gaps: [], isRestless: false }); return; }
  const gap = now - one.at;
  if (gap < GAP_MS) return;
  one.at = now;
  if (one.touches !== touches && !one.isRestless) { one.touches = touches; one.n = 1; one.gaps = []; return; }
  one.n += 1;
  one.gaps.push(gap);
  if (one.gaps.length > 3) one.gaps.shift();
  if ((one.gaps.length === 3 && Math.max(...one.gaps) <= 1.5 * Math.min(...one.gaps)) || one.n >= 8) one.isRestless = hasRestless = true;
}

function isRestless(node) {
  if (!hasRestless) return false;
  let el = node.nodeType === 1 ? node : node.parentElement;
  const now = performance.now();
  for (let depth = 0; el && depth < RESTLESS_DEPTH; depth += 1, el = el.parentElement) {
    const one = series.get(el);
    if (!one || !one.isRestless) continue;
    if (now - one.at > Math.max(1500, 3 * Math.max(...one.gaps))) { series.delete(el); continue; }
    return el.getElementsByTagName('*').length <= RESTLESS_SIZE;
  }
  return false;
}
