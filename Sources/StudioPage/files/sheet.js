import { get } from "./api.js";
import { foreign, h } from "./dom.js";
import { said, signs } from "./marks.js";
import { thumbnail } from "./pictures.js";
import { Selection } from "./selection.js";
import { mark, t, when } from "./words.js";

// The first answer is for the first screen; what is further down is asked for in larger parts.
const part = 200, first = 100, mostWindows = 25;

/** A grid of equal cells over a list that the server keeps: only what is in sight exists. */
export class Sheet {
  /** @param {(id: string) => void} open @param {(total: number, newest: any) => void} changed @param {(error: Error) => void} failed */
  constructor(open, changed, failed) {
    Object.assign(this, { open, changed, failed, filter: {}, total: 0, revision: -1, isStale: false, focus: 0, isHeld: false, isFollowing: false });
    /** What Space does, and who wants to know that more is here. @type {() => void} */
    this.enlarge = () => {};
    this.loaded = () => {};
    /** What other keys do; true for one that was meant. @type {(event: KeyboardEvent) => boolean} */
    this.others = () => false;
    this.selection = new Selection(this);
    /** Touching a frame selects it. */
    this.isChoosing = false;
    /** What is here, by age: the oldest file is the first of the first window. @type {Map<number, any[]>} */
    this.windows = new Map();
    /** Windows that were asked for. @type {Set<number>} */
    this.asked = new Set();
    /** @type {Map<number, HTMLElement>} */
    this.cells = new Map();
    this.space = h("div", { class: "space", role: "presentation" });
    this.grid = h("div", { class: "grid", role: "listbox", "aria-multiselectable": "true", "aria-label": t("list"), tabindex: "-1", onkeydown: (event) => this.key(event), onscroll: () => this.later() }, this.space);
    this.observer = new ResizeObserver(() => this.layout());
    this.observer.observe(this.grid);
  }

  close() { this.observer.disconnect(); this.abort?.abort(); }

  /** @param {Record<string, string>} filter */
  setFilter(filter) {
    this.filter = filter;
    this.focus = 0;
    this.grid.scrollTop = 0;
    return this.refresh(true);
  }

  /** New files only come on top, so that all others keep their age; by state or text they may come and go anywhere. */
  get isGrowing() { return !this.filter.ending && !this.filter.q; }

  /** Asks whether the list changed; what is shown stays until the new is there. */
  async refresh(always = false) {
    this.abort?.abort();
    const abort = (this.abort = new AbortController());
    try {
      const answer = await get("frames", { ...this.filter, brief: 1, at: 0, limit: first }, abort.signal);
      // Numbers of the list begin anew with the page's server: the same one may mean another list.
      if (!always && !this.isStale && (answer.revision === this.revision || this.has(answer))) { this.revision = answer.revision; return; }
      const more = this.revision < 0 || always ? 0 : answer.total - this.total;
      this.isStale = false;
      this.windows = new Map();
      this.asked = new Set();
      [this.total, this.revision] = [answer.total, answer.revision];
      this.put(answer);
      this.grown(answer.frames[0], more);
    } catch (error) {
      if (error.name !== "AbortError") this.failed(error);
    }
  }

  /** Whether that part of the list is the one that is here. @param {any} answer */
  has(answer) {
    return this.isGrowing && answer.total === this.total && answer.frames.every((frame, place) => this.known(answer.at + place)?.id === frame.id);
  }

  /** Takes over a part of the list. @param {any} answer */
  put(answer) {
    answer.frames.forEach((frame, place) => this.keep(answer.total - 1 - answer.at - place, frame));
  }

  /** @param {number} age how many are older @param {any} frame */
  keep(age, frame) {
    const index = Math.floor(age / part), rows = this.windows.get(index) ?? [];
    rows[age % part] = frame;
    this.windows.set(index, rows);
  }

  /** There are more now. @param {any} newest @param {number} more */
  grown(newest, more) {
    // The frame that is looked at stays where it is.
    if (this.isFollowing) {
      this.focus = 0;
      this.grid.scrollTop = 0;
    } else if (more > 0 && this.isHeld && this.grid.scrollTop === 0) this.focus += more;
    else if (more > 0 && this.grid.scrollTop > 0) { this.focus += more; this.grid.scrollTop += Math.floor(more / this.columns) * this.height; }
    this.changed(this.total, newest, more);
    this.layout();
  }

  /** Shows files that changed, where they are here, and new ones on top; false when the list has to be read for them. @param {any[]} frames */
  patch(frames) {
    const changed = new Map(frames.map((frame) => [frame.id, frame])), isNewest = changed.has(this.known(0)?.id);
    for (const [index, rows] of this.windows) {
      rows.forEach((row, age) => {
        if (!changed.has(row.id)) return;
        rows[age] = changed.get(row.id);
        changed.delete(row.id);
        this.selection.renew(rows[age]);
        const place = this.total - 1 - index * part - age, cell = this.cells.get(place);
        if (cell) this.fill(place, cell);
      });
    }
    if (isNewest) this.changed(this.total, this.known(0), 0);
    if (!this.isGrowing || this.revision < 0) return false;
    const newest = this.known(0), kinds = this.filter.kind ? this.filter.kind.split(",") : null;
    // A file that was here before is older than the newest, or among those that were just shown.
    const order = (frame) => `${frame.since} ${frame.path}`;
    const fresh = [...changed.values()].filter((frame) => (!kinds || kinds.includes(frame.kind)) && (!newest || frame.since >= newest.since));
    fresh.sort((one, other) => (order(one) < order(other) ? -1 : 1));
    for (const frame of fresh) this.keep(this.total++, frame);
    if (fresh.length) this.grown(fresh[fresh.length - 1], fresh.length);
    return true;
  }

  layout() {
    const width = this.grid.clientWidth, wanted = parseInt(getComputedStyle(this.grid).getPropertyValue("--cell")) || 150;
    this.columns = Math.max(width < 600 ? 3 : 2, Math.floor(width / wanted));
    this.width = width / this.columns;
    this.height = Math.round(this.width * 0.95);
    this.space.style.height = `${Math.ceil(this.total / this.columns) * this.height}px`;
    for (const cell of this.cells.values()) cell.remove();
    this.cells.clear();
    this.draw();
  }

  later() { this.waiting ??= requestAnimationFrame(() => { this.waiting = undefined; this.draw(); }); }

  draw() {
    const top = this.grid.scrollTop, tall = this.grid.clientHeight || 1;
    const first = Math.max(0, Math.floor((top - tall / 2) / this.height)) * this.columns;
    const last = Math.min(this.total, Math.ceil((top + tall * 1.5) / this.height) * this.columns);
    for (const [place, cell] of this.cells) {
      const isKept = place === this.focus && cell === document.activeElement;
      if ((place < first || place >= last) && !isKept) { cell.remove(); this.cells.delete(place); }
    }
    for (let place = first; place < last; place += 1) if (!this.cells.has(place)) this.add(place);
    for (const cell of this.cells.values()) cell.tabIndex = cell.place === this.focus ? 0 : -1;
    if (!this.cells.has(this.focus) && this.cells.size) this.cells.values().next().value.tabIndex = 0;
  }

  add(place) {
    const frame = this.frame(place), cell = h("div", { class: "cell", role: "option", "aria-posinset": place + 1, "aria-setsize": this.total, onclick: (event) => this.click(place, event) });
    cell.place = place;
    cell.style.width = `${this.width}px`;
    cell.style.height = `${this.height}px`;
    cell.style.transform = `translate(${(place % this.columns) * this.width}px, ${Math.floor(place / this.columns) * this.height}px)`;
    cell.append(frame ? content(frame) : h("div", {}, h("span", { class: "kind" }, "…")));
    if (frame) cell.setAttribute("aria-label", spoken(frame));
    this.showSelected(cell, frame);
    this.cells.set(place, cell);
    this.space.append(cell);
  }

  /** @param {HTMLElement} cell @param {any} frame */
  showSelected(cell, frame) {
    const isSelected = this.selection.has(frame);
    cell.setAttribute("aria-selected", String(isSelected));
    cell.classList.toggle("selected", isSelected);
  }

  showSelection() { for (const [place, cell] of this.cells) this.showSelected(cell, this.frame(place)); }

  /** Shows at once what was said of frames here. @param {any[]} frames @param {object} words */
  redraw(frames, words) {
    const ids = new Set(frames.map((frame) => frame.id));
    for (const rows of this.windows.values()) for (const row of rows) if (row && ids.has(row.id)) Object.assign(row, words);
    for (const [place, cell] of this.cells) { const frame = this.frame(place); if (frame && ids.has(frame.id)) this.fill(place, cell); }
    this.loaded();
  }

  /** A frame that is waited for. @param {number} place */
  async whole(place) {
    await this.load(Math.floor((this.total - 1 - place) / part));
    return this.known(place);
  }

  /** @param {number} place @param {MouseEvent} event */
  click(place, event) {
    this.focus = place;
    if (event.shiftKey) return void this.selection.range(place);
    if (event.ctrlKey || event.metaKey || this.isChoosing) return this.selection.toggle(place);
    this.choose(place);
  }

  /** The frame at a place, if it is here. @param {number} place */
  known(place) {
    const age = this.total - 1 - place;
    return this.windows.get(Math.floor(age / part))?.[age % part];
  }

  /** The frame at a place; asked for when it is not here yet. @param {number} place */
  frame(place) {
    const frame = this.known(place), index = Math.floor((this.total - 1 - place) / part);
    if (!frame && place >= 0 && place < this.total && !this.asked.has(index)) this.load(index);
    return frame ?? null;
  }

  async load(index) {
    const { windows, asked } = this, end = Math.max(0, this.total - (index + 1) * part);
    asked.add(index);
    try {
      const answer = await get("frames", { ...this.filter, brief: 1, at: end, limit: Math.min(part, this.total - index * part) });
      if (windows !== this.windows) return;
      if (answer.revision !== this.revision && !(this.isGrowing && answer.total >= this.total)) return void this.refresh();
      this.put(answer);
      const near = Math.floor((this.total - 1 - (this.grid.scrollTop / this.height) * this.columns) / part), newest = Math.floor((this.total - 1) / part);
      const far = [...windows.keys()].sort((one, other) => Math.abs(one - near) - Math.abs(other - near)).slice(mostWindows);
      for (const old of far) if (old < newest - 1) windows.delete(old);
      for (const [place, cell] of this.cells) if (Math.floor((this.total - 1 - place) / part) === index) this.fill(place, cell);
      this.loaded();
    } catch (error) {
      this.failed(error);
    } finally {
      asked.delete(index);
    }
  }

  fill(place, cell) {
    const frame = this.known(place);
    if (!frame) return;
    cell.replaceChildren(content(frame));
    cell.setAttribute("aria-label", spoken(frame));
    this.showSelected(cell, frame);
  }

  choose(place) {
    this.focus = place;
    const frame = this.frame(place);
    if (frame) this.open(frame.id);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const page = Math.max(1, Math.floor(this.grid.clientHeight / this.height)) * this.columns;
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.columns, ArrowUp: -this.columns, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (this.others(event)) return event.preventDefault();
    if (event.ctrlKey && event.key === " ") { event.preventDefault(); return this.selection.toggle(this.focus); }
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === " ") { event.preventDefault(); return this.enlarge(); }
    if (event.key === "Enter") { event.preventDefault(); return this.choose(this.focus); }
    if (!(event.key in steps) || !this.total) return;
    event.preventDefault();
    const from = this.focus;
    this.move(steps[event.key]);
    if (event.shiftKey) { if (this.selection.isEmpty) this.selection.anchor = from; this.selection.range(this.focus); }
    this.cells.get(this.focus)?.focus({ preventScroll: true });
  }

  /** Another frame is looked at, and in sight. @param {number} step */
  move(step) {
    this.focus = Math.min(this.total - 1, Math.max(0, this.focus + step));
    const top = Math.floor(this.focus / this.columns) * this.height, { scrollTop, clientHeight } = this.grid;
    if (top < scrollTop) this.grid.scrollTop = top;
    if (top + this.height > scrollTop + clientHeight) this.grid.scrollTop = top + this.height - clientHeight;
    this.draw();
  }
}

/** @param {any} frame @returns {string} */
export const fileName = (frame) => frame.path.split("/").pop();

function content(frame) {
  const state = mark(frame.ending), targets = Object.entries(frame.receipts ?? {});
  const marks = targets.map(([name, receipt]) => {
    const one = mark(receipt.state);
    return h("span", { class: one.style, title: `${name}: ${one.word}` }, `${one.sign} `);
  });
  const name = foreign(fileName(frame), "span");
  name.className = "name";
  const whole = h("span", { class: state.style }, `${state.sign} ${state.word}`);
  return h("div", {}, h("span", { class: "kind" }, frame.kind), thumbnail(frame), name, h("span", { class: "marks" }, ...signs(frame), ...(marks.length ? marks : [whole])));
}

function spoken(frame) {
  const targets = Object.entries(frame.receipts ?? {}).map(([name, receipt]) => `${name} ${mark(receipt.state).word}`);
  return [fileName(frame), when(frame.captured), said(frame), mark(frame.ending).word, ...targets].filter(Boolean).join(", ");
}
