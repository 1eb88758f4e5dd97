import { Cell } from "./cell.js";
import { h } from "./dom.js";
import { List } from "./list.js";
import { Reach } from "./reach.js";
import { Selection } from "./selection.js";
import { number, t } from "./words.js";

// Who sees a frame go needs as long to see which one took its place; and who moves the pointer is about to touch something.
const surprise = 300, touching = 2000;

/** @typedef {import("./list.js").Frame} Frame */

/** A grid of equal cells over a list that the server keeps: only what is in sight exists. */
export class Sheet extends List {
  /** @param {(id: string) => void} open @param {(total: number, newest: Frame | undefined, more: number) => void} changed @param {(error: Error) => void} failed */
  constructor(open, changed, failed) {
    super();
    this.failed = failed;
    this.open = open;
    this.changed = changed;
    // What Space does.
    /** @type {() => void} */
    this.enlarge = () => {};
    // Who wants to know that more is here.
    /** @type {() => void} */
    this.loaded = () => {};
    // What other keys do; true for one that was meant.
    /** @type {(event: KeyboardEvent) => boolean} */
    this.others = () => false;
    this.selection = new Selection(this);
    /** The place that is looked at; whether anybody chose it, and whether it was chosen since it changed. */
    this.focus = 0;
    this.isAttended = this.isAsked = false;
    // Its frame, as soon as that is here.
    /** @type {Frame | null} */
    this.focused = null;
    // Frames that were looked at, where nobody asked for the next one, and until when.
    /** @type {{frame: Frame, until: number}[]} */
    this.earlier = [];
    this.isHeld = this.isFollowing = this.isPlacing = false;
    /** Touching a frame selects it. */
    this.isChoosing = false;
    this.touched = -Infinity;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.settling = undefined;
    /** @type {Map<number, Cell>} */
    this.cells = new Map();
    /** @type {Cell[]} */
    this.spare = [];
    this.columns = this.height = 1;
    this.width = this.drawn = 0;
    /** @type {number | undefined} */
    this.waiting = undefined;
    this.space = h("div", { class: "space", role: "presentation" });
    this.grid = gridOf(this);
    this.reach = new Reach(this.grid, this.space);
    this.pill = h("button", { class: "pill", type: "button", hidden: true, onclick: (/** @type {MouseEvent} */ event) => this.newest(event.detail === 0) });
    this.element = h("div", { class: "sheet" }, this.pill, this.grid);
    this.observer = new ResizeObserver(() => this.layout());
    this.observer.observe(this.grid);
  }

  close() { super.close(); clearTimeout(this.settling); this.observer.disconnect(); }

  get offset() { return this.reach.offset; }

  get hasFocus() { return this.grid.contains(document.activeElement); }

  /** Nothing moves under the eyes of somebody who looks at a certain frame, or is about to touch one. */
  get isBusy() { return this.isHeld || this.hasFocus || !this.reach.isAtTop || performance.now() - this.touched < touching; }

  /** The first place in sight; better the one that is looked at. */
  get anchor() {
    const { top } = this.reach, row = this.rowTop(this.focus), isSeen = row + this.height > top && row < top + this.grid.clientHeight;
    return this.isAttended && isSeen ? this.focus : Math.ceil(top / this.height) * this.columns;
  }

  get anchors() { return this.isAttended ? [this.focus, this.anchor] : this.reach.isAtTop ? [] : [this.anchor]; }

  /** @param {number} place */
  rowTop(place) { return Math.floor(place / this.columns) * this.height; }

  /** @param {Record<string, string>} filter */
  setFilter(filter) {
    [this.filter, this.focus, this.focused, this.revision, this.hidden] = [filter, 0, null, -1, 0];
    this.isAttended = false;
    // What is on its way belongs to the list before.
    this.windows = new Map(this.windows);
    this.reach.go(0);
    return this.refresh(true);
  }

  /** @param {number} more @param {Frame | undefined} newest @param {import("./list.js").Former | null} former */
  grown(more, newest, former) {
    const { hasFocus } = this;
    if (former) this.become(former);
    if (this.isFollowing || !this.isBusy) this.reveal();
    if (this.isFollowing && this.shown) { this.attend(0, false); this.reach.go(0); }
    this.layout();
    this.arrived();
    if (hasFocus) this.hold();
    this.settle();
    this.changed(this.total, newest, more);
  }

  /** Shows what is hidden once nobody touches the sheet any more. */
  settle() {
    clearTimeout(this.settling);
    if (!this.hidden || this.isHeld || this.hasFocus || !this.reach.isAtTop) return;
    this.settling = setTimeout(() => {
      if (this.isBusy) return this.settle();
      this.reveal();
      this.layout();
    }, touching);
  }

  // What is looked at, and what is in sight, is found in another list.
  /** @param {import("./list.js").Former} former */
  become(former) {
    const { anchor } = this, { top } = this.reach, down = this.rowTop(anchor) - top, places = this.places(), cells = [...this.cells.values()];
    const stays = !this.reach.isAtTop || (this.isAttended && this.hasFocus) ? this.moved(anchor, former, places) : 0;
    if (this.isAttended) this.attend(places.get(this.focused?.id ?? "") ?? this.moved(this.focus, former, places), false);
    this.selection.anchor = this.age(this.focus);
    this.cells = new Map();
    for (const cell of cells) {
      const place = places.get(cell.frame?.id ?? "");
      if (place === undefined || this.cells.has(place)) this.spare.push(cell); else this.cells.set(place, cell);
    }
    this.measure();
    this.reach.go(this.rowTop(stays) - (stays ? down : 0));
  }

  /** Shows the newest, too; further down, what is in sight stays there. */
  reveal() {
    const more = this.hidden, { top } = this.reach, first = Math.floor(top / this.height) * this.columns;
    if (!more) return;
    this.hidden = 0;
    if (this.isAttended) this.focus += more;
    this.cells = new Map([...this.cells].map(([place, cell]) => [place + more, cell]));
    this.measure();
    if (top >= 1) this.reach.go(top + this.rowTop(first + more) - this.rowTop(first));
  }

  // Goes to the newest.
  /** @param {boolean} isByKey */
  newest(isByKey) {
    this.reveal();
    if (isByKey) this.attend(0);
    this.reach.go(0);
    this.layout();
    if (isByKey) this.hold();
  }

  // That one is looked at.
  /** @param {number} place @param {boolean} [isAsked] somebody wanted it */
  attend(place, isAsked = true) {
    const frame = this.frame(place), now = performance.now(), before = this.focused ?? this.earlier.at(-1)?.frame;
    if (isAsked) this.earlier = [];
    else if (before && frame?.id !== this.focused?.id) this.earlier = [...this.earlier.filter(({ until }) => until + surprise > now), { frame: before, until: now }];
    [this.focus, this.focused] = [place, frame];
    this.isAsked = isAsked;
    this.isAttended = true;
  }

  // The frame that was looked at by somebody who pressed a key then.
  /** @param {number} [time] @returns {Frame | null} */
  meant(time = performance.now()) { return this.earlier.find(({ until }) => until + surprise > time)?.frame ?? this.focused; }

  /** Gives the Tab key's place back to the frame that is looked at, when it was drawn anew. */
  hold() {
    const cell = this.shown ? this.cells.get(this.focus) ?? this.add(this.focus) : null, element = cell ? cell.element : this.grid;
    if (cell && !this.isAttended) this.attend(this.focus);
    if (element === document.activeElement) return;
    this.isPlacing = true;
    element.focus({ preventScroll: true });
    this.isPlacing = false;
    this.draw();
  }

  layout() { this.measure(); this.draw(); }

  measure() {
    const { columns, height, anchor } = this, width = this.grid.clientWidth, wanted = parseInt(getComputedStyle(this.grid).getPropertyValue("--cell")) || 150;
    this.columns = Math.max(width < 600 ? 3 : 2, Math.floor(width / wanted));
    this.width = width / this.columns;
    this.height = Math.max(1, Math.round(this.width * 0.95));
    const isOther = (columns !== this.columns || height !== this.height) && !this.reach.isAtTop;
    this.reach.resize(Math.ceil(this.shown / this.columns) * this.height);
    if (isOther) this.reach.go(this.rowTop(anchor));
    this.pill.hidden = !this.hidden;
    if (this.hidden) this.pill.textContent = t("above", { n: number(this.hidden) });
    // Every cell is put where it belongs now.
    this.drawn = NaN;
  }

  later() { this.waiting ??= requestAnimationFrame(() => { this.waiting = undefined; this.draw(); }); }

  draw() {
    const { top } = this.reach, tall = this.grid.clientHeight || 1, { hasFocus } = this;
    const first = Math.max(0, Math.floor((top - tall / 2) / this.height)) * this.columns;
    const last = Math.min(this.shown, Math.ceil((top + tall * 1.5) / this.height) * this.columns);
    for (const [place, cell] of this.cells) {
      const isKept = place === this.focus && hasFocus && place < this.shown;
      if ((place < first || place >= last) && !isKept) { this.spare.push(cell); this.cells.delete(place); }
    }
    if (this.drawn !== this.offset) for (const [place, cell] of this.cells) cell.put(place, this.shown, this);
    this.drawn = this.offset;
    for (let place = first; place < last; place += 1) if (this.cells.has(place)) this.frame(place); else this.add(place);
    for (const cell of this.spare.splice(0)) cell.element.remove();
    const seen = Math.min(last - 1, Math.ceil(top / this.height) * this.columns), reached = this.cells.has(this.focus) ? this.focus : seen;
    for (const [place, cell] of this.cells) cell.point(place === reached, this.isAttended && place === this.focus);
  }

  /** @param {number} place */
  add(place) {
    const cell = this.spare.pop() ?? new Cell((one, event) => this.click(one.place, event), (one) => this.isPlacing || this.attend(one.place)), frame = this.frame(place);
    this.cells.set(place, cell);
    cell.put(place, this.shown, this);
    cell.show(frame);
    cell.select(this.selection.has(frame, this.age(place)));
    if (!cell.element.isConnected) this.space.append(cell.element);
    return cell;
  }

  showSelection() { for (const [place, cell] of this.cells) cell.select(this.selection.has(this.frame(place), this.age(place))); }

  // Shows at once what was said of frames here.
  /** @param {Frame[]} frames @param {Partial<Frame>} words */
  redraw(frames, words) {
    const ids = new Set(frames.map((frame) => frame.id));
    for (const rows of this.windows.values()) for (const row of rows) if (row && ids.has(row.id)) Object.assign(row, words);
    for (const cell of this.cells.values()) if (cell.frame && ids.has(cell.frame.id)) cell.show(Object.assign(cell.frame, words));
    this.loaded();
  }

  /** @param {Frame} frame @param {number} place */
  renewed(frame, place) {
    this.selection.renew(frame);
    if (this.focused?.id === frame.id) this.focused = frame;
    const cell = this.cells.get(place);
    if (cell) this.fill(place, cell);
    if (place === -this.hidden) this.changed(this.total, frame, 0);
  }

  arrived() {
    this.forget(Math.floor(this.reach.top / this.height) * this.columns);
    const row = this.known(this.focus);
    if (this.isAttended && row) { if (row.id === this.focused?.id) this.focused = row; else this.attend(this.focus, this.isAsked && !this.focused); }
    for (const [place, cell] of this.cells) this.fill(place, cell);
    this.loaded();
  }

  /** @param {number} place @param {Cell} cell */
  fill(place, cell) {
    const frame = this.known(place);
    if (!frame || frame === cell.frame) return;
    cell.show(frame);
    cell.select(this.selection.has(frame, this.age(place)));
  }

  /** @param {number} place @param {MouseEvent} event */
  click(place, event) {
    if (event.shiftKey && this.selection.isEmpty) this.selection.anchor = this.age(this.focus);
    this.attend(place);
    this.draw();
    if (event.shiftKey) return void this.selection.range(place);
    if (event.ctrlKey || event.metaKey || this.isChoosing) return this.selection.toggle(place);
    this.choose();
  }

  choose() { if (this.focused) this.open(this.focused.id); }

  /** @param {KeyboardEvent} event */
  key(event) {
    const page = Math.max(1, Math.floor(this.grid.clientHeight / this.height)) * this.columns;
    /** @type {Record<string, number>} */
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.columns, ArrowUp: -this.columns, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (this.others(event)) return event.preventDefault();
    if (event.ctrlKey && event.key === " ") { event.preventDefault(); return this.selection.toggle(this.focus); }
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === " ") { event.preventDefault(); return this.enlarge(); }
    if (event.key === "Enter") { event.preventDefault(); return this.choose(); }
    if (!(event.key in steps) || !this.shown) return;
    event.preventDefault();
    const from = this.age(this.focus);
    this.move(steps[event.key]);
    if (event.shiftKey) { if (this.selection.isEmpty) this.selection.anchor = from; this.selection.range(this.focus); }
    this.hold();
  }

  // Another frame is looked at, and in sight.
  /** @param {number} step */
  move(step) {
    if (this.focus + step < 0 && this.hidden) {
      const more = this.hidden;
      this.reveal();
      if (!this.isAttended) this.focus = more;
    }
    this.attend(Math.max(0, Math.min(this.shown - 1, this.focus + step)));
    const row = this.rowTop(this.focus), { top } = this.reach, { clientHeight } = this.grid;
    if (row < top) this.reach.go(row);
    if (row + this.height > top + clientHeight) this.reach.go(row + this.height - clientHeight);
    this.draw();
  }
}

/** @param {Sheet} sheet */
function gridOf(sheet) {
  const touch = () => { sheet.touched = performance.now(); };
  return h("div", {
    class: "grid", role: "listbox", "aria-multiselectable": "true", "aria-label": t("list"), tabindex: "-1", onpointermove: touch, onpointerdown: touch,
    onkeydown: (/** @type {KeyboardEvent} */ event) => sheet.key(event), onscroll: () => { sheet.reach.scrolled(); sheet.later(); },
  }, sheet.space);
}
