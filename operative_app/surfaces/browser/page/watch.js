// Watching for changes.

const seenRoots = new WeakSet();

// Counts changes of the page, so that settle() can tell when they have calmed.
const changes = { last: 0, counts: new WeakMap() };
const observer = new MutationObserver((list) => {
  for (const change of list) {
    const n = (changes.counts.get(change.target) || 0) + 1;
    changes.counts.set(change.target, n);
    if (n <= 6) changes.last = performance.now();
  }
});

function watch(root) {
  if (seenRoots.has(root)) return;
  seenRoots.add(root);
  observer.observe(root, { childList: true, characterData: true, subtree: true, attributes: true,
    attributeFilter: ['class', 'style', 'hidden', 'disabled', 'open', 'aria-expanded', 'aria-hidden', 'aria-disabled', 'aria-busy', 'src', 'value'] });
}
