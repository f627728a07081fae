// The part of the pass that gathers visible text: blocks of lines in reading order, and what of them can be seen at all.

class TextPass {
  text(node, d, parent) {
    const data = node.data;
    if (!data || (data.length < 40 && !data.trim())) { if (d.buf.parts.length) d.buf.parts.push(' '); return; }
    if (d.hid || d.mute || !d.vis || parent.localName === 'slot' && !d.vis) return;
    if (!this.isInk(parent, d)) return;
    const buf = d.buf;
    if (!d.control) buf.isPlain = true;
    else if (d.control === buf.control) buf.inside = d.control;
    else if (d.control.rec.role === 'link' || !d.control.isLeaf) buf.hasControl = true;
    else return;  // the words on a button inside a line of text are the button's, not the text's
    if (!buf.first) { buf.first = node; buf.d = d; }
    buf.last = node;
    buf.parts.push(data);
  }

  flush(buf) {
    const { parts, first, last, d, isPlain, inside, hasControl } = buf;
    if (!parts.length) return;
    buf.parts = []; buf.first = buf.last = buf.d = null; buf.isPlain = buf.hasControl = false; buf.inside = null;
    if (!first) return;
    const text = fold(parts.join(''));
    if (!text) return;
    if (inside && !isPlain && d.role !== 'heading' && text === inside.name) return;
    if (!isPlain && !inside && hasControl && !['heading', 'cell', 'listitem', 'alert', 'status'].includes(d.role)) return;
    const box = this.textBox(first, last, buf.el, d.f);
    if (box.w < 1 || box.h < 1) return;
    if (box.x + box.w + d.f.win.scrollX * d.f.scale <= d.f.x || box.y + box.h + d.f.win.scrollY * d.f.scale <= d.f.y) return;
    if (this.chars > this.o.max_chars) { this.leftOut.add('text further down was left out'); return; }
    for (let item = d.item; item; item = null) {
      if (!item.first && (isPlain || !item.link) && d.role !== 'heading' && d.role !== 'label') { item.first = cut(text, 80); item.firstNode = first; item.firstText = first.data; }
    }
    const out = cut(text, 1500);
    this.chars += out.length;
    const rec = { text: out, role: d.role, level: d.level, box: toBox(box), frame: d.f.path };
    if (isRestless(first)) rec.is_restless = true;
    if (d.scroller) rec.scroller = d.scroller.key;
    if (d.form) rec.form = d.form.key;
    this.texts.push({ rec, el: buf.el, ctx: d.item && d.item.first === cut(text, 80) ? d.item.node.parent : d.ctx });
  }

  textBox(first, last, el, f) {
    // Out of view the box of the block is exact enough, and half as dear.
    const whole = this.box(el, f);
    if (el.localName !== 'body' && (whole.y > this.o.height || whole.y + whole.h < 0) && whole.w > 0) return whole;
    const range = f.range;
    try {
      range.setStart(first, 0); range.setEnd(last, last.data.length);
      const r = range.getBoundingClientRect();
      if (!range.collapsed || first === last) return { x: f.x + r.left * f.scale, y: f.y + r.top * f.scale, w: r.width * f.scale, h: r.height * f.scale };
    } catch { /* the two ends lie in different trees */ }
    return whole;
  }

  isInk(el, d) {
    if (d.ink === undefined) d.ink = isLegible(el, d.style, this.groundOf(d));
    return d.ink;
  }

  // As `groundOn`, from the styles that are known already.
  groundOf(d) {
    if (d.ground === undefined) {
      const colour = d.style ? rgba(d.style.backgroundColor) : null;
      if (d.style && d.style.backgroundImage !== 'none') d.ground = null;
      else d.ground = colour && colour[3] > 0.5 ? colour : d.up && d.up.style ? this.groundOf(d.up) : [255, 255, 255, 1];
    }
    return d.ground;
  }
}
