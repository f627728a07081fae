// Runs in every document before the page's own scripts, in the page's world: what would open a box of the browser itself
// is told instead. Printing would hold the page up until a person closes the preview; a link to another program ("tel:")
// would ask in a box that takes all further input. DOOR is the name of the function that tells; the page never sees it.
(() => {
  const tell = globalThis[DOOR];
  delete globalThis[DOOR];
  if (typeof tell !== 'function') return;
  const ANSWER_MS = 3000;  // nobody listens any more: the person is alone with the page, and gets what they ask for
  const INSIDE = new Set(['http:', 'https:', 'about:', 'javascript:', 'blob:', 'data:', 'file:', 'filesystem:', 'view-source:',
    'chrome:', 'chrome-error:', 'edge:', 'devtools:', 'chrome-extension:']);
  const [set, clear] = [setTimeout, clearTimeout];
  const decided = (kind, detail, native) => {
    let timer = set(() => { timer = 0; native(); }, ANSWER_MS);
    tell(kind, detail).then((answer) => {
      if (timer && answer === 'native') native();
      clear(timer);
      timer = 0;
    }, () => {});
  };

  const print = window.print;
  const told = { print() { decided('print', '', () => print.call(window)); } }.print;
  Object.defineProperty(window, 'print', { value: told, configurable: true, enumerable: true, writable: true });

  const schemeOf = (url) => { try { return new URL(url, document.baseURI).protocol; } catch { return ''; } };
  const leadsOut = (url) => { const scheme = schemeOf(url); return scheme && !INSIDE.has(scheme) ? scheme : ''; };
  const open = window.open;
  const opened = { open(...given) {
    const scheme = given.length && given[0] ? leadsOut(given[0]) : '';
    if (!scheme) return open.apply(window, given);
    decided('outside', scheme, () => open.apply(window, given));
    return null;
  } }.open;
  Object.defineProperty(window, 'open', { value: opened, configurable: true, enumerable: true, writable: true });

  const passed = new Set();
  if (!window.navigation) return;
  window.navigation.addEventListener('navigate', (event) => {
    const url = event.destination.url;
    const scheme = leadsOut(url);
    if (!scheme || passed.delete(url) || !event.cancelable) return;
    event.preventDefault();
    decided('outside', scheme, () => { passed.add(url); location.href = url; });
  });
})();
