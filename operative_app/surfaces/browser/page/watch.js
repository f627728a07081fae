// Watching for changes.

const seenRoots = new WeakSet();

// Counts changes of the page, so that settle() can tell when they have calmed.
const changes = { last: 0, counts: new WeakMap() };
const SHOWN = new Set(['class', 'style', 'hidden', 'disabled', 'open', 'aria-expanded', 'aria-hidden', 'aria-disabled', 'aria-busy', 'src', 'value']);
let version = 0;  // goes up with everything that may change what an observation tells
const observer = new MutationObserver((list) => {
  const now = performance.now();
  version += 1;
  for (const change of list) {
    if (change.type === 'attributes' && !SHOWN.has(change.attributeName)) continue;
    noteRestless(change.target, now);
    const n = (changes.counts.get(change.target) || 0) + 1;
    changes.counts.set(change.target, n);
    if (n <= 6) changes.last = performance.now();
  }
});

function watch(root) {
  if (seenRoots.has(root)) return;
  seenRoots.add(root);
  const view = root.defaultView;
  if (!view && root.host) noteShadow(root);
  if (view) {
    for (const type of TOUCHES) view.addEventListener(type, touch, { capture: true, passive: true });
    for (const type of STIRS) view.addEventListener(type, stir, { capture: true, passive: true });
    for (const type of ['selectionchange', 'load']) root.addEventListener(type, stir, { capture: true, passive: true });
  }
  observer.observe(root, { childList: true, characterData: true, subtree: true, attributes: true });
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

function touch() { touches += 1; version += 1; }

// What changes a page without a change of its tree.
const STIRS = ['scroll', 'resize', 'load', 'error', 'focusin', 'focusout', 'toggle', 'beforetoggle', 'reset', 'invalid', 'pointerover', 'pointerup',
  'transitionrun', 'transitionend', 'animationstart', 'animationend', 'hashchange', 'popstate', 'fullscreenchange', 'slotchange', 'readystatechange'];
function stir() { version += 1; }

// --- whether anything has changed since the last look ------------------------------------------------------------------

let lastEntries = [];
let lastTexts = [];
let lastDocs = [];
let mayGlance = false;

// Remembers what was looked at. Frames of other processes and what goes on by itself are never taken for unchanged.
function remember(pass) {
  lastEntries = pass.elements.map((entry) => entry.el);
  lastTexts = pass.texts.map((entry) => entry.el);
  lastDocs = pass.docs;
  mayGlance = !pass.foreign.length && !pass.isCut && !hasRestless;
  return glance();
}

// A text that stays the same as long as an observation would tell the same; "" when only an observation can tell. What no
// event and no mutation reports is looked at itself: values set by scripts, rules of style sheets, places, opacity.
function glance() {
  if (!mayGlance || document.visibilityState !== 'visible') return '';
  if (observer.takeRecords().length) version += 1;
  if (document.getAnimations().some((one) => one.playState === 'running')) return '';
  const focus = focusedNode();
  const seen = [version, location.href, document.title, document.readyState, scrollX, scrollY, innerWidth, innerHeight, devicePixelRatio,
    focus ? idOf(focus) : 0, shownSelection()];
  for (const ref of scrollerNodes) { const el = ref.deref(); if (el) seen.push(el.scrollTop, el.scrollLeft, el.scrollHeight, el.scrollWidth); }
  for (const doc of lastDocs) {
    seen.push(doc.defaultView ? doc.readyState : 'gone');
    for (const sheet of [...doc.styleSheets, ...doc.adoptedStyleSheets]) {
      let rules = 0;
      try { rules = sheet.cssRules.length; } catch { /* a sheet of another site: the page cannot change its rules either */ }
      seen.push(rules, sheet.disabled);
    }
  }
  let places = 0;
  for (const el of lastEntries) {
    const r = el.getBoundingClientRect();
    places = (places * 31 + r.left * 3 + r.top * 5 + r.width * 7 + r.height * 11 + (el.checkVisibility(SEEN) ? 1 : 0)) % 1e9;
    if (isField(el)) seen.push(el.value, el.checked, el.indeterminate, el.selectedIndex, el.disabled, el.files ? el.files.length : 0);
  }
  for (const el of lastTexts) {
    const r = el.getBoundingClientRect();
    places = (places * 31 + r.left * 3 + r.top * 5 + r.width * 7 + r.height * 11 + (el.checkVisibility(SEEN) ? 1 : 0)) % 1e9;
  }
  seen.push(places);
  return JSON.stringify(seen);
}

const SEEN = { opacityProperty: true, visibilityProperty: true };

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
