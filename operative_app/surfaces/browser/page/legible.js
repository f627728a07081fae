// What the eye can read: text that is faded, tiny, cut away or of the colour of its ground is hidden from people, and
// so it is no text of the page for anybody else.

const FAINT = 0.1;           // what is left of the opacity of text that nobody reads
const LEAST_FONT_PX = 3;
const LEAST_BOX_PX = 6;      // a clipped box smaller than this shows no word
const LEAST_DIFFERENCE = 40; // between ink and ground, over the three channels of 0 to 255
const LEAST_AREA_SHARE = 0.03; // of what a transformed element would take
const FAR_OUT_PX = -500;     // indents and margins beyond this push text out of the page
const CUT_AWAY = /^(?:inset\((?:[5-9]\d(?:\.\d+)?%\)|[^)]*\b\d{3,}(?:\.\d+)?%)|(?:circle|ellipse)\(0(?:px|%)?[ )])/;

let grounds = new WeakMap();  // element -> the colour behind it, null for a picture; for one read only
const forgetGrounds = () => { grounds = new WeakMap(); };

// How much of its opacity an element leaves to what is inside.
function fadeOf(style) {
  const own = style.opacity === '1' ? 1 : parseFloat(style.opacity);
  if (style.filter === 'none') return own;
  const found = /\bopacity\(([\d.]+)\)/.exec(style.filter);
  return found ? own * +found[1] : own;
}

// Whether all text inside is cut away, whatever it looks like itself.
function isCutAway(el, style, overflowX = style.overflowX) {
  const { clipPath, transform } = style;  // each is dear: this is asked for every block of a page
  if (clipPath !== 'none' && CUT_AWAY.test(clipPath)) return true;
  const isClipped = (overflowX === 'hidden' || overflowX === 'clip') && el.localName !== 'body' && el.localName !== 'html';
  if (!isClipped && transform === 'none') return false;
  const box = boundsOf(el);
  const area = (el.offsetWidth || 0) * (el.offsetHeight || 0);
  if (transform !== 'none' && area > 0 && box.width * box.height < LEAST_AREA_SHARE * area) return true;
  return isClipped && style.display !== 'contents' && (box.width < LEAST_BOX_PX || box.height < LEAST_BOX_PX);
}

// Whether a block was pushed out of the page to the left, where nobody can scroll.
function isPushedOut(el, style) {
  if (parseFloat(style.marginLeft) >= FAR_OUT_PX) return false;
  return boundsOf(el).right + el.ownerDocument.defaultView.scrollX <= 0;
}

// Whether the text right inside an element can be told from what lies behind it. What most text needs not be asked comes
// last: each property of a computed style is dear.
function isLegible(el, style, ground) {
  if (parseFloat(style.fontSize) < LEAST_FONT_PX || parseFloat(style.textIndent) < FAR_OUT_PX) return false;
  const ink = rgba(style.webkitTextFillColor);
  if (!ink) return true;
  const isInked = ink[3] >= FAINT;
  if (isInked && ground === null) return true;
  if (isInked) {
    const difference = Math.abs(ink[0] - ground[0]) + Math.abs(ink[1] - ground[1]) + Math.abs(ink[2] - ground[2]);
    if (difference * ink[3] >= LEAST_DIFFERENCE) return true;
  }
  if (style.webkitBackgroundClip === 'text' || style.textShadow !== 'none' || parseFloat(style.webkitTextStrokeWidth) > 0) return true;
  return isInked && hasOtherGround(el);
}

// The colour behind an element as far as its ancestors tell: null for a picture, white when none has one.
function groundOn(el) {
  let ground = grounds.get(el);
  if (ground === undefined) {
    const style = styleOf(el);
    const colour = rgba(style.backgroundColor);
    const parent = parentOf(el);
    if (style.backgroundImage !== 'none') ground = null;
    else if (colour && colour[3] > 0.5) ground = colour;
    else ground = parent && isElement(parent) ? groundOn(parent) : [255, 255, 255, 1];
    grounds.set(el, ground);
  }
  return ground;
}

const PAINTED = new Set(['img', 'video', 'canvas', 'picture', 'svg', 'iframe', 'object', 'embed']);

// Whether something else than ancestors lies behind an element, so that its ground is not what was computed.
function hasOtherGround(el) {
  const r = boundsOf(el);
  const [x, y] = [r.left + r.width / 2, r.top + r.height / 2];
  const win = el.ownerDocument.defaultView;
  if (x >= 0 && y >= 0 && x <= win.innerWidth && y <= win.innerHeight) {
    const stack = el.getRootNode().elementsFromPoint(x, y);
    return stack.length === 0 || stack.some((one) => !isWithin(el, one) && !isWithin(one, el));
  }
  let at = el;
  for (let up = 0; up < 6; up += 1) {  // out of sight nothing can be hit: siblings of what it is in may lie behind it
    const parent = parentOf(at);
    if (!parent || !isElement(parent)) return false;
    let seen = 0;
    for (const one of childrenOf(parent)) {
      if (one === at || (seen += 1) > 40) continue;
      const box = boundsOf(one);
      if (x < box.left || x > box.right || y < box.top || y > box.bottom) continue;
      const style = styleOf(one);
      const colour = rgba(style.backgroundColor);
      if (PAINTED.has(one.localName) || style.backgroundImage !== 'none' || colour && colour[3] > 0.5 || one.querySelector('img, video, canvas')) return true;
    }
    at = parent;
  }
  return false;
}
