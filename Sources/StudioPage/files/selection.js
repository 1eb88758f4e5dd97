// Which frames are selected: some by name, or all that a filter finds.

/** Kept by the frame's name, so that new frames that move the list change nothing. */
export class Selection {
  /** @param {import("./sheet.js").Sheet} sheet */
  constructor(sheet) {
    this.sheet = sheet;
    /** @type {Map<string, any>} */
    this.chosen = new Map();
    /** All of the filter, but these. @type {Map<string, any>} */
    this.except = new Map();
    this.isAll = false;
    /** Where a range begins. */
    this.anchor = 0;
    /** @type {() => void} */
    this.changed = () => {};
  }

  get isEmpty() { return !this.isAll && !this.chosen.size; }

  /** @param {any} frame */
  has(frame) { return Boolean(frame) && (this.isAll ? !this.except.has(frame.id) : this.chosen.has(frame.id)); }

  get count() { return this.isAll ? Math.max(0, this.sheet.total - this.except.size) : this.chosen.size; }

  /** Those that are here; of all that a filter finds, the ones that were looked at. @returns {any[]} */
  frames() {
    if (!this.isAll) return [...this.chosen.values()].filter((frame) => frame.sha256);
    return [...this.sheet.windows.values()].flatMap((rows) => rows ?? []).filter((frame) => this.has(frame) && frame.sha256);
  }

  /** What is meant by all, as the server is told. */
  filter() {
    const { kind, ending, q } = this.sheet.filter, filter = {};
    for (const [name, value] of Object.entries({ kind, ending, q })) if (value) filter[name] = value;
    return { filter, except: [...this.except.values()].map((frame) => frame.sha256).filter(Boolean) };
  }

  clear() {
    this.chosen.clear();
    this.except.clear();
    this.isAll = false;
    this.show();
  }

  all() {
    this.clear();
    this.isAll = this.sheet.total > 0;
    this.show();
  }

  /** One more, or one less. @param {number} place */
  toggle(place) {
    const frame = this.sheet.frame(place), list = this.isAll ? this.except : this.chosen;
    if (!frame) return;
    if (!list.delete(frame.id)) list.set(frame.id, frame);
    this.anchor = place;
    this.show();
  }

  /** From where it began up to there. @param {number} place */
  async range(place) {
    const [first, last] = [Math.min(this.anchor, place), Math.max(this.anchor, place)];
    if (this.isAll) this.clear();
    this.chosen.clear();
    for (let at = first; at <= last; at += 1) {
      const frame = this.sheet.frame(at) ?? (await this.sheet.whole(at));
      if (frame) this.chosen.set(frame.id, frame);
    }
    this.show();
  }

  /** Frames that were told anew are the same ones. @param {any} frame */
  renew(frame) { if (this.chosen.has(frame.id)) this.chosen.set(frame.id, frame); }

  show() {
    this.sheet.showSelection();
    this.changed();
  }
}
