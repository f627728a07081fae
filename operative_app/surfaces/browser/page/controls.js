// The part of the pass that records what can be acted on: which elements, by what name, and what covers them.

class ControlPass extends TextPass {
  // A record for an element that can be acted on, null for all others.
  control(el, d, role, explicit, native, c) {
    const tag = el.localName;
    if (d.hid || !d.vis) return tag === 'input' && (isChoice(el) || typeOf(el) === 'file') ? this.unseen(el, d, c) : null;
    const isNative = native !== '';
    const isPointer = d.style.cursor === 'pointer';
    d.pointer = isPointer;
    const isWidget = isNative || WIDGET_ROLES.has(explicit);
    const isDrag = this.isDraggable(el, d, c);
    const isDrop = isDropTarget(el) && !this.isWholePage(el, d);
    if (isDrag) this.hasDrags = true;
    if (tag === 'label' && !isWidget) { d.labelled = el.control || c.labelled; return null; }
    let kind = isWidget ? role || explicit : '';
    if (!isWidget) {
      if (c.control && c.control.isLeaf && !isDrag) return null;
      const tabIndex = hasAttribute.call(el, 'tabindex') ? el.tabIndex : -2;
      const isClick = hasAttribute.call(el, 'onclick') || hasAttribute.call(el, 'ng-click');
      const isRoot = isPointer && !c.pointer && !d.labelled && tag !== 'body' && tag !== 'html';
      const isMenu = !isClick && !isRoot && tabIndex < 0 && isHoverMenu(el, d);
      if (!isDrag && !isDrop && (explicit === 'listbox' || explicit === 'progressbar' || GROUP_ROLES.has(explicit) && !isClick)) {
        if (!(tabIndex >= 0 && explicit === 'listbox')) return null;
      }
      const isPressed = tabIndex >= 0 || isClick || isRoot || isMenu;
      if (!isPressed && !isDrag && !isDrop) return null;
      if (tag === 'body' || tag === 'svg' && c.pointer) return null;
      kind = isMenu ? 'menuitem' : explicit && explicit !== 'presentation' && explicit !== 'none' && explicit !== 'generic' ? explicit : isPressed ? 'clickable' : isDrag ? (d.style.cursor.endsWith('-resize') ? 'separator' : 'item') : 'dropzone';
      if (kind === 'clickable' && !isClick && isTooWide(el)) { if (!isDrag && !isDrop) return null; kind = isDrag ? 'item' : 'dropzone'; }
      d.isMenu = isMenu;
    }
    if (tag === 'iframe') return null;
    if (c.control && c.control.isLeaf && !isNative && explicit !== 'option' && explicit !== 'treeitem' && explicit !== 'tab' && kind === 'clickable') return null;
    let box = this.box(el, d.f);
    if ((box.w < 2 || box.h < 2) && isChoice(el)) return this.unseen(el, d, c);
    if (box.w < 1 || box.h < 1) box = this.inkBox(el, d.f) || box;
    if (box.w < 1 || box.h < 1) return typeOf(el) === 'file' ? this.unseen(el, d, c) : null;
    if (typeOf(el) === 'file' && (box.w < 2 || box.h < 2)) return this.unseen(el, d, c);
    if (!el.checkVisibility({ contentVisibilityAuto: false })) return null;
    const entry = this.record(el, d, kind, box, null, d.isMenu);
    if (entry && isDrag) entry.rec.states.push('draggable');
    if (entry && isDrop) entry.rec.states.push('drop_target');
    return entry;
  }

  // Check boxes, radio buttons and file inputs whose own box cannot be seen: their visible label stands for them.
  unseen(el, d, above) {
    const c = above || d;
    const isFile = typeOf(el) === 'file';
    if (!isChoice(el) && !isFile) return null;
    const label = [...(el.labels || [])].find((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }));
    let proxy = label || null;
    if (!proxy && (c.hid || !c.vis)) return null;
    if (!proxy) {
      const next = el.nextElementSibling;
      if (isChoice(el) && next && !nativeRole(next) && next.checkVisibility({ visibilityProperty: true, opacityProperty: true })) proxy = next;
      const parent = parentOf(el);
      if (!proxy && isFile && parent && isElement(parent)) proxy = parent.querySelector('button, [role=button]');
      if (!proxy && isChoice(el) && parent && isElement(parent) && nativeRole(parent) === '' && c.style && c.style.cursor === 'pointer') proxy = parent;
    }
    let box = proxy ? this.box(proxy, c.f) : { x: 0, y: 0, w: 0, h: 0 };
    if (box.w < 4 && isChoice(el) && this.isPressable(el, c.f)) { proxy = null; box = this.box(el, c.f); }  // transparent, over what it shows
    if (!isFile && (box.w < 1 || box.h < 1)) return null;
    return this.record(el, d, nativeRole(el), box, isFile && proxy && proxy.localName !== 'label' ? null : proxy, false, isFile && (!proxy || proxy.localName !== 'label'));
  }

  isPressable(el, f) {
    const r = el.getBoundingClientRect();
    return r.width >= 8 && r.height >= 8 && deepElementFromPoint(f.doc, r.left + r.width / 2, r.top + r.height / 2) === el;
  }

  record(el, d, role, box, proxy, isMenu, isBehind = false) {
    const shown = cross(d.clip, box);
    const view = cross({ x: 0, y: 0, w: this.o.width, h: this.o.height }, shown);
    const isOff = view.w < 1 || view.h < 1;
    // What is out of sight never takes the room of what is in sight.
    if (this.elements.length >= this.o.max_elements || isOff && this.outOfSight >= this.o.max_offscreen) { this.dropped += 1; return null; }
    if (isOff) this.outOfSight += 1;
    const f = d.f;
    const id = idOf(el);
    let [name, source] = isMenu ? [ownLine(el), 'text'] : nameIn(el, role);
    if (!name && proxy) { name = lineOf(proxy); source = name ? 'text' : ''; }
    if (!name && isBehind) { const near = parentOf(el) && isElement(parentOf(el)) ? parentOf(el).querySelector('button, [role=button]') : null; name = near ? lineOf(near) : ''; source = name ? 'nearby' : ''; }
    name = cut(name, 200);
    const states = statesOf(el, role);
    if (isMenu) states.push('popup', d.isMenuOpen ? 'expanded' : 'collapsed');
    if (el === this.focus) states.push('focused');
    if (isOff) states.push('offscreen');
    const tag = el.localName;
    const item = d.item;
    const rec = {
      key: this.o.prefix + id, role, name, label_source: source, value: cut(valueOf(el, role), 2000), description: '',
      placeholder: fold(attr(el, 'placeholder')), text: isField(el) ? '' : source === 'accessible' && CONTENT_NAMED.has(role) && !hasAttribute.call(el, 'aria-label') && !hasAttribute.call(el, 'aria-labelledby') ? name : lineOf(el), tag, input_type: typeOf(el), states,
      box: toBox(box), frame: f.path, path: d.path, table: -1, row: -1, column: -1, list_index: -1,
      href: tag === 'a' || tag === 'area' ? hrefOf(el) : '', cover: f.cover || '', scroller: d.scroller ? d.scroller.key : '',
      form: d.form ? d.form.key : ownForm(el) ? this.o.prefix + idOf(ownForm(el)) : '', sends_to: sendsTo(el), purpose: purposeOf(el),
    };
    const told = referredText(el, 'aria-describedby') || (source !== 'title' ? fold(attr(el, 'title')) : '') || fold(attr(el, 'aria-description'));
    const hint = fold(attr(el, 'aria-label'));
    rec.description = cut([told, hint && hint !== name ? hint : '', name ? '' : hintOf(el)].filter(Boolean).join(' · '), 200);
    if (tag === 'select') {
      const all = [...el.options];
      if (all.length > 300) this.leftOut.add(`only the first 300 of ${all.length} choices of “${name}” are listed`);
      rec.options = all.slice(0, 300).map((one) => ({ label: fold(one.label), value: one.value, is_selected: one.selected, is_disabled: one.disabled || !!(one.parentElement && one.parentElement.disabled) }));
    } else if (el.list) {
      rec.options = [...el.list.options].slice(0, 100).map((one) => ({ label: fold(one.label || one.value), value: one.value }));
    }
    if (d.cell && d.table) { rec.table = d.table.index; rec.row = d.cell.row; rec.column = d.cell.column; }
    if (rec.row >= 0) rec.list_index = rec.row;
    else {
      for (let at = item; at; at = at.outer) if (at.index >= 0) { rec.list_index = at.index; break; }
      if (rec.list_index < 0 && d.runIndex >= 0) rec.list_index = d.runIndex;
    }
    if (item && !item.link && name) item.link = name;
    if (isRestless(el)) rec.is_restless = true;
    if (isBehind) rec.mark = -1;  // only what opens it can be seen
    const entry = { rec, el, proxy, f, ctx: d.ctx, view: isOff ? null : view, isLeaf: !['clickable', 'item', 'dropzone', 'row', 'gridcell', 'article', 'listitem', 'menuitem', 'treeitem', 'cell', 'textbox'].includes(role), name };
    this.elements.push(entry);
    records.set(el, { role, name, source, path: d.path, proxy, item, isMenu });
    entry.item = item;
    return entry;
  }

  isDraggable(el, d, c) {
    const { cursor } = d.style;
    const isGrip = cursor === 'grab' || cursor === 'move' || cursor === '-webkit-grab' || cursor.endsWith('-resize');
    d.grip = isGrip;
    if (isGrip && !c.grip && el.localName !== 'body' && !isField(el)) return true;
    const own = getAttribute.call(el, 'draggable');
    if (own !== null && own !== 'false' && el.draggable === true) return true;
    return hasAttribute.call(el, 'aria-grabbed') || DRAG_CLASS.test(attr(el, 'class'));
  }

  // A drop target around everything is where a framework listens, not where things are dropped.
  isWholePage(el, d) {
    if (el.localName === 'body') return true;
    const box = this.box(el, d.f);
    return box.w * box.h >= 0.9 * this.o.width * this.o.height && el.querySelectorAll('a[href],button,input,select,textarea,[draggable=true]').length > 0;
  }

  // Fields without any label take the nearest text: left on the same line, above, or (choices) to the right.
  nearby() {
    for (const entry of this.elements) {
      const { rec, el } = entry;
      const isOwn = rec.label_source === 'placeholder' || rec.label_source === 'title' || !rec.name;
      if (!isOwn || !(isField(el) || el.isContentEditable || ['combobox', 'slider', 'spinbutton', 'switch', 'checkbox', 'textbox', 'listbox'].includes(rec.role)) || typeOf(el) === 'file') continue;
      if (rec.label_source === 'placeholder' || rec.label_source === 'title') continue;
      const [x, y, w, h] = rec.box; const isBox = isChoice(el) || rec.role === 'switch' || rec.role === 'checkbox';
      let best = null; let bestScore = Infinity;
      for (const { rec: t } of this.texts) {
        if (t.frame !== rec.frame || t.text.length > 120) continue;
        const [tx, ty, tw, th] = t.box;
        const overlap = Math.min(y + h, ty + th) - Math.max(y, ty);
        const gapLeft = x - (tx + tw);
        const gapRight = tx - (x + w);
        const gapAbove = y - (ty + th);
        let score = Infinity;
        if (overlap > 0.4 * Math.min(h, th)) {
          if (gapRight >= -1 && gapRight < (isBox ? 60 : 12)) score = gapRight + (isBox ? 0 : 150);
          if (gapLeft >= -1 && gapLeft < 260) score = Math.min(score, gapLeft + (isBox ? 100 : 0));
        } else if (gapAbove >= -2 && gapAbove < 32 && Math.abs(tx - x) < 60) score = gapAbove + 40;
        if (score < bestScore) { bestScore = score; best = t; }
      }
      if (best) {
        rec.name = cut(best.text.replace(/[\s:*]+$/, ''), 120); rec.label_source = 'nearby';
        const known = records.get(el);
        if (known) { known.name = rec.name; known.source = 'nearby'; }
      }
    }
  }

  // What has no name by any other way is called by its markup, and said to be.
  byMarkup() {
    for (const { rec, el } of this.elements) {
      if (rec.name || rec.text || rec.placeholder) continue;
      rec.name = markupName(el);
      if (!rec.name) continue;
      rec.label_source = 'markup';
      const known = records.get(el);
      if (known) { known.name = rec.name; known.source = 'markup'; }
    }
  }

  covers() {
    for (const entry of this.elements) {
      if (!entry.view || entry.rec.cover || entry.rec.mark === -1) continue;
      if (performance.now() > this.end) { this.leftOut.add('not every control was tested for being covered'); return; }
      const target = entry.proxy || entry.el;
      const { view, f } = entry;
      const points = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.2], [0.5, 0.8]];
      let over = null;
      for (const [u, v] of points) {
        const hit = deepElementFromPoint(f.doc, (view.x + view.w * u - f.x) / f.scale, (view.y + view.h * v - f.y) / f.scale);
        if (hit && (reaches(hit, target) || reaches(hit, entry.el))) { over = null; break; }
        if (hit && !over) over = hit;
      }
      if (over && !isWithin(entry.el, over)) entry.rec.cover = coverWords(over, entry.el);
    }
  }

  // An inline control whose content floats or is positioned has no box of its own: take that of its content.
  inkBox(el, f) {
    let all = null;
    for (const child of el.querySelectorAll('*')) {
      const b = this.box(child, f);
      if (b.w < 1 || b.h < 1) continue;
      if (!all) all = b;
      else { const x = Math.min(all.x, b.x); const y = Math.min(all.y, b.y); all = { x, y, w: Math.max(all.x + all.w, b.x + b.w) - x, h: Math.max(all.y + all.h, b.y + b.h) - y }; }
    }
    return all;
  }
}
