// Small parts of the pass: boxes, runs of similar siblings, hints, colours.

const newBuffer = (el) => ({ el, parts: [], first: null, last: null, d: null, isPlain: false, hasControl: false, inside: null, control: null });
const isChoice = (el) => { const type = typeOf(el); return type === 'checkbox' || type === 'radio'; };
const round = (n) => Math.round(n * 100) / 100;
const toBox = (b) => [round(b.x), round(b.y), round(b.w), round(b.h)];

function isTitle(ctx, text) {
  for (let at = ctx; at; at = at.parent) if (at.text === text) return true;
  return false;
}

// Leaves out what has its default value, since most of it has.
function compact(rec) {
  for (const name of ['value', 'description', 'placeholder', 'text', 'input_type', 'href', 'cover', 'frame', 'label_source', 'scroller', 'form', 'sends_to', 'purpose']) if (rec[name] === '') delete rec[name];
  for (const name of ['table', 'row', 'column', 'list_index']) if (rec[name] === -1) delete rec[name];
}

function cross(a, b) {
  const x = Math.max(a.x, b.x); const y = Math.max(a.y, b.y);
  return { x, y, w: Math.max(0, Math.min(a.x + a.w, b.x + b.w) - x), h: Math.max(0, Math.min(a.y + a.h, b.y + b.h) - y) };
}

function chain(ctx, own) {
  const names = [];
  for (let at = ctx; at; at = at.parent) if (at.text && at.text !== own && !names.includes(at.text)) names.push(at.text);
  return names.reverse();
}

// Similar siblings: at least two with the same tag, role and first class (three when there is no class to tell).
// Gives each member its run.
function runsOf(kids) {
  const tags = new Map();
  let elements = 0;
  for (const kid of kids) if (kid.nodeType === 1) { elements += 1; const tag = kid.localName; tags.set(tag, (tags.get(tag) || 0) + 1); }
  if (elements < 2 || tags.size === elements) return null;
  const groups = new Map();
  for (const kid of kids) {
    if (kid.nodeType !== 1) continue;
    const tag = kid.localName;
    if (tags.get(tag) < 2 || RUNLESS.has(tag) || SKIPPED.has(tag)) continue;
    const role = getAttribute.call(kid, 'role') || '';
    const cls = firstWord(getAttribute.call(kid, 'class') || '');
    const key = `${tag}|${role}|${cls}`;
    const group = groups.get(key);
    if (group) group.members.push(kid);
    else groups.set(key, { members: [kid], least: cls || role || tag.includes('-') || RUN_TAGS.has(tag) ? 2 : 3 });
  }
  let runs = null;
  for (const { members, least } of groups.values()) {
    if (members.length < least) continue;
    const run = { next: 0 };
    runs = runs || new Map();
    for (const kid of members) runs.set(kid, run);
  }
  return runs;
}

const RUNLESS = new Set(['br', 'hr', 'p', 'slot']);
const RUN_TAGS = new Set(['li', 'tr', 'article', 'button', 'a']);
const firstWord = (text) => { const clean = text.trim(); const at = clean.search(/\s/); return at < 0 ? clean : clean.slice(0, at); };

// The flat children as an array: quicker to go over than a live list.
function kidsOf(el) {
  if (shadowOf(el) || el.localName === 'slot') return [...flatChildren(el)];
  const kids = [];
  for (let kid = el.localName === 'form' ? firstChildOf(el) : el.firstChild; kid; kid = kid.localName === 'form' ? nextSiblingOf(kid) : kid.nextSibling) kids.push(kid);
  return kids;
}

function hasOwnText(el) {
  for (let kid = el.firstChild; kid; kid = kid.nextSibling) if (kid.nodeType === 3 && kid.data.trim()) return true;
  return false;
}

const headingIn = (el) => { const h = el.querySelector('h1,h2,h3,h4,h5,h6,[role=heading]'); return h ? lineOf(h, 80) : ''; };
const isTooWide = (el) => el.querySelectorAll('a[href],button,input,select,textarea').length > 8;

// An entry that opens a menu of its own while the pointer is over it: it has a text and a hidden list with controls.
function isHoverMenu(el, d) {
  if (el.localName !== 'li' || !ownLine(el) || el.querySelector(':scope > a[href], :scope > button')) return false;
  for (const kid of childrenOf(el)) {
    if (!['ul', 'ol', 'div', 'menu'].includes(kid.localName) || !kid.querySelector('a[href],button,[role=menuitem]')) continue;
    d.isMenuOpen = kid.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    if (!d.isMenuOpen || styleOf(kid).position === 'absolute') return true;
  }
  return false;
}

function ownLine(el) {
  let text = '';
  for (const kid of childNodesOf(el)) {
    if (kid.nodeType === 3) text += kid.data;
    else if (kid.nodeType === 1 && ['span', 'b', 'strong', 'em', 'i'].includes(kid.localName)) text += kid.textContent;
  }
  return cut(fold(text), 100);
}

// Words of the markup for a control that has no name at all; weak evidence, so it goes into the description.
function hintOf(el) {
  const icon = el.querySelector('use');
  const words = [attr(el, 'name'), attr(el, 'id'), attr(el, 'data-testid'), icon ? (attr(icon, 'href') || attr(icon, 'xlink:href')).replace(/^.*#/, '') : ''];
  const image = el.localName === 'img' ? el : el.querySelector('img');
  if (image) words.push((attr(image, 'src').split('/').pop() || '').slice(0, 40));
  const marked = el.querySelector('[class*="icon"],[class*="fa-"]');
  if (marked) words.push(attr(marked, 'class').slice(0, 60));
  return cut(fold(words.filter((word) => word && !word.startsWith('data:')).join(' ')), 80);
}

// The name, also for what is not named by the rules for controls.
function nameIn(el, role) {
  const named = nameOf(el, role);
  if (named[0]) return named;
  if (role === 'canvas') { const text = fold(el.textContent); return [cut(text, 200), text ? 'text' : '']; }
  const isPart = role === 'dropzone' || role === 'item';
  if (!isPart && !GROUP_ROLES.has(role)) return named;
  const text = containerName(el) || headingIn(el) || (isPart ? ownLine(el) || lineOf(el, 60) : '');
  return [text, text ? 'text' : ''];
}

// The last resort for a control without any text: what its icon or markup is called, in plain words.
function markupName(el) {
  const icon = el.querySelector('use');
  const image = el.localName === 'img' ? el : el.querySelector('img');
  const iconWords = [el, ...el.querySelectorAll('[class]')].slice(0, 12).flatMap((one) => attr(one, 'class').split(/\s+/)).filter((word) => ICON_WORD.test(word));
  const plain = (word) => fold(word.replace(/^.*[#/]/, '').replace(/\.\w+$/, '').replace(ICON_PREFIX, '').replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[-_:]+/g, ' ')).toLowerCase();
  const told = [attr(el, 'data-icon'), attr(el, 'data-lucide'), icon ? attr(icon, 'href') || attr(icon, 'xlink:href') : '', ...iconWords,
    attr(el, 'data-action'), attr(el, 'data-testid'), attr(el, 'name'), attr(el, 'id'), image ? attr(image, 'src') : ''];
  for (const word of told) {
    if (!word || word.startsWith('data:')) continue;
    const text = plain(word);
    if (/\p{L}{2}/u.test(text) && !/[a-f\d]*\d[a-f\d]{6,}|^:?r\d|\d{4,}/.test(text) && !['icon', 'icons', 'svg', 'button', 'btn'].includes(text)) return cut(text, 60);
  }
  return '';
}

const ICON_WORD = /^(?:icon|fa|bi|mdi|ti|ri|glyphicon|lucide|codicon|octicon|material|feather|pi)-[a-z][\w-]*$|[\w-]+-icon$/;
const ICON_PREFIX = /^(?:icon|fa|bi|mdi|ti|ri|glyphicon|lucide|codicon|octicon|material|feather|pi)-|-icon$/g;

// The form a field or button belongs to, also by its "form" attribute.
const ownForm = (el) => (isField(el) || el.localName === 'button' ? el.form : null);

// Where a form is sent by the control that submits it, "" for other controls.
function sendsTo(el) {
  const isSubmit = el.localName === 'button' ? el.type === 'submit' : el.localName === 'input' && (el.type === 'submit' || el.type === 'image');
  const form = isSubmit ? el.form : null;
  if (!form || (attr(el, 'formmethod') || attr(form, 'method')).toLowerCase() === 'dialog') return '';
  try { return cut(new URL(attr(el, 'formaction') || attr(form, 'action'), el.ownerDocument.baseURI).href, 500); } catch { return ''; }
}

// What the page says a field is for: the tokens of its "autocomplete" attribute.
function purposeOf(el) {
  const told = isField(el) ? fold(attr(el, 'autocomplete')).toLowerCase() : '';
  return told === 'on' || told === 'off' ? '' : cut(told, 60);
}

function hrefOf(el) {
  const href = el.href;
  return typeof href === 'string' ? cut(href, 2000) : href && href.baseVal ? href.baseVal : '';
}

const colours = new Map();
function rgba(text) {
  let colour = colours.get(text);
  if (colour === undefined) { colour = parseColour(text); colours.set(text, colour); }
  return colour;
}

function parseColour(text) {
  const parts = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(text);
  return parts ? [+parts[1], +parts[2], +parts[3], parts[4] === undefined ? 1 : +parts[4]] : paintedColour(text);
}

// Colours in other notations (oklch, color-mix, …), by painting one pixel.
let pixel = null;
function paintedColour(text) {
  try {
    pixel = pixel || new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    pixel.clearRect(0, 0, 1, 1);
    pixel.fillStyle = text;
    pixel.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pixel.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  } catch { return null; }
}
