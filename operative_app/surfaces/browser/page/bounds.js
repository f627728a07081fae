// The part of the pass that knows its bounds: parts that scroll, roots that are closed, pages too large to be read whole.

class BoundedPass extends ControlPass {
  // What may have a closed shadow root: only the browser can tell, and it is asked once for each.
  maybeClosed(el, d) {
    if (askedHosts.has(el) || d.hid || !d.vis) return;
    const isCustom = el.localName.includes('-');
    if (isCustom && !matches.call(el, ':defined')) return;
    const box = this.box(el, d.f);
    if (box.w <= 10 || box.h <= 10) return;
    if (isCustom) this.hosts.push(el);
    else if (this.emptyHosts.length < this.o.max_empty_hosts && d.style.backgroundImage === 'none' && d.style.borderTopWidth === '0px'
      && /, 0\)$/.test(d.style.backgroundColor) && d.style.pointerEvents !== 'none') this.emptyHosts.push(el);
  }

  // Hosts to ask the browser about, childless ones first; those that stay unasked are said when they show nothing.
  askable() {
    this.hosts.sort((a, b) => (a.firstChild ? 1 : 0) - (b.firstChild ? 1 : 0));
    const asked = [...this.hosts.slice(0, this.o.max_hosts), ...this.emptyHosts];
    for (const el of this.hosts.slice(this.o.max_hosts)) if (!el.firstChild) this.leftOut.add(`closed component here: <${el.localName}>`);
    toAsk = asked;
    return asked.length;
  }

  frameScroller(doc, f) {
    const root = doc.scrollingElement || doc.documentElement;
    if (root.scrollHeight <= root.clientHeight + 1 && root.scrollWidth <= root.clientWidth + 1) return null;
    const own = this.scrollerOf(root, { f }, { x: f.x, y: f.y, w: root.clientWidth * f.scale, h: root.clientHeight * f.scale });
    const name = f.name || fold(doc.title);
    if (own) own.label = name ? `frame “${cut(name, 60)}”` : 'frame';
    return own;
  }

  // A scroll container with what lies out of sight on each side; null when all of it is in sight.
  scrollerOf(el, d, box) {
    const { scrollTop, scrollLeft, scrollHeight, scrollWidth, clientHeight, clientWidth } = el;
    if (scrollHeight <= clientHeight + 1 && scrollWidth <= clientWidth + 1 || box.w < 8 || box.h < 8) return null;
    if (this.scrollers.length >= this.o.max_scrollers) { this.leftOut.add('more parts that scroll were not listed'); return null; }
    const side = (px) => Math.max(0, Math.round(px));
    const isRtl = scrollLeft < 0;
    const own = {
      key: this.o.prefix + idOf(el), label: '', box: toBox(box), frame: d.f.path, above_css_px: side(scrollTop), below_css_px: side(scrollHeight - clientHeight - scrollTop),
      left_css_px: side(isRtl ? scrollWidth - clientWidth + scrollLeft : scrollLeft), right_css_px: side(isRtl ? -scrollLeft : scrollWidth - clientWidth - scrollLeft),
    };
    scrollerNodes.push(new WeakRef(el));
    this.scrollers.push(own);
    return own;
  }

  openScroller(own, el, d, entry, explicit) {
    if (d.hid || !d.vis) { this.scrollers.splice(this.scrollers.indexOf(own), 1); return; }
    const kind = entry ? entry.rec.role : explicit || { ul: 'list', ol: 'list', table: 'table', nav: 'navigation', main: 'main', aside: 'complementary', pre: 'text' }[el.localName] || 'area';
    const name = el.localName === 'body' ? 'page' : (entry && entry.name) || containerName(el) || headingIn(el) || lineOf(el, 40);
    own.label = name ? `${kind} “${cut(name, 60)}”` : kind;
    if (entry) entry.rec.states.push('scrollable');
    d.scroller = own;
    if (d.style.position !== 'static') d.absScroller = own;
  }

  // From here on only what lies within some heights of the view is entered; of the rest, tables are read all the same.
  openWindow() {
    const { width, height } = this.o;
    this.window = { left: -2 * width, right: 3 * width, top: -this.o.heights_above * height, bottom: (1 + this.o.heights_below) * height };
    this.live = new Set();
    for (let i = 0; i < 8; i += 1) {
      for (let j = 0; j < 6; j += 1) {
        const hit = deepElementFromPoint(document, innerWidth * (i + 0.5) / 8, innerHeight * (j + 0.5) / 6);
        for (let at = hit; at && !this.live.has(at); at = parentOf(at)) this.live.add(at);
      }
    }
  }

  // Whether a block lies far from the view with all it holds; what is not entered is counted.
  isFar(el, f) {
    if (this.live.has(el) || KEPT.has(el.localName)) return false;
    const r = boundsOf(el);
    if (r.width === 0 || r.height === 0) return false;
    const top = f.y + r.top * f.scale; const left = f.x + r.left * f.scale;
    const isBelow = top > this.window.bottom;
    if (!isBelow && top + r.height * f.scale >= this.window.top && left <= this.window.right && left + r.width * f.scale >= this.window.left) return false;
    if (el.querySelector(TABLES)) return false;
    const controls = el.querySelectorAll(CONTROLS).length + (matches.call(el, CONTROLS) ? 1 : 0);
    if (isBelow) this.farBelow += controls; else this.farAbove += controls;
    this.hasFarText = true;
    return true;
  }
}
