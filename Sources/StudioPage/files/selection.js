// Which frames are selected: some by name, or all that a filter finds.

import { filesOf } from "./shot.js";

const most = 500;
/** @param {Iterable<import("./list.js").Frame>} frames */
const digests = (frames) => [...new Set([...frames].flatMap(filesOf).map(({ sha256 }) => sha256 ?? ""))].filter(Boolean);

// Files as requests name them, some at a time.
/** @param {import("./list.js").Frame[]} frames */
export function named(frames) {
  const all = digests(frames), selections = [];
  for (let start = 0; start < all.length; start += most) selections.push({ sha256: all.slice(start, start + most) });
  return selections;
}

/** Kept by the frame's name, so that new frames that move the list change nothing. */
export class Selection {
  /** @param {import("./sheet.js").Sheet} sheet */
  constructor(sheet) {
    this.sheet = sheet;
    /** @type {Map<string, import("./list.js").Frame>} */
    this.chosen = new Map();
    // All of the filter, but these.
    /** @type {Map<string, import("./list.js").Frame>} */
    this.except = new Map();
    this.isAll = false;
    // All up to there: how many these were, and what the server calls the newest of them.
    this.bound = sheet.bound;
    // The age of the frame where a range begins.
    /** @type {number | null} */
    this.anchor = null;
    this.ranges = 0;
    /** @type {() => void} */
    this.changed = () => {};
  }

  get isEmpty() { return !this.isAll && !this.chosen.size; }

  /** @param {import("./list.js").Frame | null} frame @param {number} age */
  has(frame, age) {
    if (!frame || !this.isAll) return Boolean(frame && this.chosen.has(frame.id));
    return !this.except.has(frame.id) && (age < this.bound.count || !this.sheet.isGrowing);
  }

  get count() { return this.isAll ? Math.max(0, (this.sheet.isGrowing ? this.bound.count : this.sheet.total) - this.except.size) : this.chosen.size; }

  /** How many files all of a filter are. */
  get files() { return (this.sheet.isGrowing ? this.bound.files : this.sheet.files) - digests(this.except.values()).length; }

  // Those that are here; of all that a filter finds, the ones that were looked at.
  /** @returns {import("./list.js").Frame[]} */
  frames() {
    const { sheet } = this;
    if (!this.isAll) return [...this.chosen.values()].filter((frame) => frame.sha256);
    const places = sheet.places();
    return [...sheet.windows.values()].flat().filter((frame) => frame?.sha256 && this.has(frame, sheet.age(places.get(frame.id) ?? 0)));
  }

  /** What is meant by all, as the server is told. */
  filter() {
    const filter = Object.fromEntries(Object.entries(this.sheet.filter).filter(([, value]) => value)), { until } = this.bound;
    return { filter, ...(until ? { until } : {}), except: digests(this.except.values()) };
  }

  /** What is selected, as requests name it. */
  get parts() { return this.isAll ? [this.filter()] : named(this.frames()); }

  clear() {
    this.chosen.clear();
    this.except.clear();
    this.isAll = false;
    this.show();
  }

  /** What comes later is not meant. */
  all() {
    this.clear();
    this.sheet.reveal();
    this.bound = this.sheet.bound;
    this.isAll = this.bound.count > 0;
    this.sheet.layout();
    this.show();
  }

  // One more, or one less.
  /** @param {number} place */
  toggle(place) {
    const frame = this.sheet.frame(place), list = this.isAll ? this.except : this.chosen;
    if (!frame) return;
    if (!list.delete(frame.id)) list.set(frame.id, frame);
    this.anchor = this.sheet.age(place);
    this.show();
  }

  // From where it began up to there.
  /** @param {number} place */
  async range(place) {
    const { sheet } = this, to = sheet.age(place), ages = [this.anchor ?? to, to], own = (this.ranges += 1);
    if (this.isAll) this.clear();
    this.chosen.clear();
    for (let age = Math.max(...ages); age >= Math.min(...ages); age -= 1) {
      const frame = sheet.row(age) ?? (await sheet.whole(sheet.age(age)));
      // Another one was begun meanwhile.
      if (own !== this.ranges) return;
      if (frame) this.chosen.set(frame.id, frame);
    }
    this.show();
  }

  // Frames that were told anew are the same ones.
  /** @param {import("./list.js").Frame} frame */
  renew(frame) { if (this.chosen.has(frame.id)) this.chosen.set(frame.id, frame); }

  show() {
    this.sheet.showSelection();
    this.changed();
  }
}
