// What is here of a list that the server keeps.
import { get } from "./api.js";
import { joined } from "./shot.js";

// The first answer is for the first screen; what is further down is asked for in larger parts.
const part = 200, first = 100, most = 500, mostWindows = 25, slack = 100;

/** @typedef {{id: string, path: string, kind: string, ending: string, since?: string, sha256?: string, captured?: string, make?: string, model?: string, receipts?: Record<string, {state: string}>, rating?: number, pick?: string, colour?: number, lead?: string, others?: Frame[]}} Frame */
/** @typedef {{total: number, files: number, at: number, next: string | null, until?: string | null, revision: number, frames: Frame[]}} Answer */
// How a list was before it became another one.
/** @typedef {{windows: Map<number, Frame[]>, shown: number}} Former */

/** @param {Map<number, Frame[]>} windows @param {number} age @returns {Frame | undefined} */
const rowOf = (windows, age) => windows.get(Math.floor(age / part))?.[age % part];

/** Places count from the newest frame that is shown on; a frame's age, from the oldest on, stays while the list only grows. */
export class List {
  constructor() {
    /** @type {Record<string, string>} */
    this.filter = {};
    this.total = 0;
    // How many files that is: some are of one shot.
    this.files = 0;
    /** So many of the newest are not shown yet. */
    this.hidden = 0;
    this.revision = -1;
    // How long the list was when it was read last, and what the server calls its newest frame.
    /** @type {{count: number, files: number, until: string | null}} */
    this.bound = { count: 0, files: 0, until: null };
    this.isStale = false;
    // What is here, by age: the oldest frame is the first of the first window.
    /** @type {Map<number, Frame[]>} */
    this.windows = new Map();
    // Where parts that were read end, and what the server calls these places.
    /** @type {{age: number, cursor: string | null}[]} */
    this.ends = [];
    // Windows that were asked for.
    /** @type {Set<number>} */
    this.asked = new Set();
    /** How often something was told. */
    this.told = 0;
    this.isReading = false;
    this.isAgain = false;
    /** @type {AbortController | undefined} */
    this.abort = undefined;
    /** @type {(error: Error) => void} */
    this.failed = () => {};
  }

  /** How many are shown. */
  get shown() { return this.total - this.hidden; }

  // From a place to an age, and from an age to a place.
  /** @param {number} place */
  age(place) { return this.shown - 1 - place; }

  /** New files only come on top, so that all others keep their age; by anything but its kind a file may come and go anywhere. */
  get isGrowing() { return Object.entries(this.filter).every(([name, value]) => name === "kind" || !value); }

  /** Each shot is one, but where every file is shown. */
  get isByShot() { return Boolean(this.filter.kind); }

  // Places of what should stay where it is, in a list that becomes another one.
  /** @returns {number[]} */
  get anchors() { return []; }

  // There are `more` on top; or, with `former`, it is another list.
  /** @param {number} more @param {Frame | undefined} newest @param {Former | null} former */
  grown(more, newest, former) { void [more, newest, former]; }

  /** There is more here than before. */
  arrived() {}

  // A frame was told anew.
  /** @param {Frame} frame @param {number} place */
  renewed(frame, place) { void [frame, place]; }

  close() { this.isAgain = false; this.abort?.abort(); }

  /** @param {Record<string, string | number>} where @param {AbortSignal} [signal] @returns {Promise<Answer>} */
  ask(where, signal) { return get("frames", { ...this.filter, group: this.isByShot ? "shot" : "", brief: 1, ...where }, signal); }

  // Asks whether the list changed; what is shown stays until the new is there.
  /** @param {boolean} [always] */
  async refresh(always = false) {
    if (this.isReading && !always) { this.isAgain = true; return; }
    this.abort?.abort();
    const abort = (this.abort = new AbortController());
    this.isReading = true;
    this.isAgain = false;
    try { await this.read(always, abort.signal); } catch (error) { if (error.name !== "AbortError") this.failed(error); }
    if (abort !== this.abort) return;
    this.isReading = false;
    if (this.isAgain) await this.refresh();
  }

  /** @param {boolean} always @param {AbortSignal} signal */
  async read(always, signal) {
    const { told } = this, answer = await this.ask({ at: 0, limit: first }, signal);
    // Numbers of the list begin anew with the page's server: the same one may mean another list.
    if (!always && !this.isStale && (answer.revision === this.revision || this.has(answer))) return this.same(answer);
    // What was told meanwhile is newer.
    if (!always && told !== this.told && answer.total < this.total) return;
    const isSame = this.revision >= 0 && this.agrees(answer), parts = isSame ? [] : await this.found(answer, signal), last = parts.at(-1) ?? answer;
    const former = isSame ? null : { windows: this.windows, shown: this.shown }, more = isSame ? answer.total - this.total : 0;
    this.isStale = false;
    this.windows = new Map();
    this.asked = new Set();
    this.ends = [];
    // A list that has its frames in another order than was thought has grown by as many.
    this.hidden = this.revision >= 0 && this.isGrowing ? Math.max(0, this.hidden + last.total - this.total) : 0;
    [this.total, this.revision] = [last.total, last.revision];
    this.files = last.files;
    this.bound = { count: last.total, files: last.files, until: last.until ?? null };
    for (const one of [answer, ...parts]) if (one.total === this.total) this.put(one);
    this.grown(more, answer.frames[0], former);
  }

  /** @param {Answer} answer */
  same(answer) {
    this.revision = answer.revision;
    this.files = answer.files;
    this.bound = { count: answer.total, files: answer.files, until: answer.until ?? null };
  }

  // Whether that part of the list is the one that is here.
  /** @param {Answer} answer */
  has(answer) {
    return this.isGrowing && answer.total === this.total && answer.frames.every((frame, place) => this.row(this.total - 1 - answer.at - place)?.id === frame.id);
  }

  // Whether the list has only grown.
  /** @param {Answer} answer */
  agrees(answer) {
    if (!this.isGrowing || answer.total < this.total) return false;
    return answer.frames.every(({ id }, place) => (this.row(answer.total - 1 - answer.at - place)?.id ?? id) === id);
  }

  // What should stay, where it is in the list as it is now.
  /** @param {Answer} answer @param {AbortSignal} signal */
  async found(answer, signal) {
    /** @type {Answer[]} */
    const parts = [];
    for (const place of this.anchors) {
      const id = this.known(place)?.id, age = this.age(place);
      if (!id || [answer, ...parts].some((one) => one.frames.some((frame) => frame.id === id))) continue;
      const end = this.ends.filter((one) => one.age <= age).sort((one, other) => other.age - one.age)[0];
      if (!end) continue;
      const at = end.cursor ? (await this.ask({ cursor: end.cursor, limit: 1 }, signal)).at : answer.total;
      parts.push(await this.ask({ at: Math.max(0, at - (age - end.age) - slack), limit: most }, signal));
    }
    return parts;
  }

  // Takes over a part of the list.
  /** @param {Answer} answer */
  put(answer) {
    answer.frames.forEach((frame, place) => this.keep(answer.total - 1 - answer.at - place, frame));
    if (answer.frames.length) this.ends.push({ age: answer.total - answer.at - answer.frames.length, cursor: answer.next });
  }

  /** @param {number} age how many are older @param {Frame} frame */
  keep(age, frame) {
    const index = Math.floor(age / part), rows = this.windows.get(index) ?? [];
    rows[age % part] = frame;
    this.windows.set(index, rows);
  }

  // Shows files that changed, where they are here, and new ones on top; false when the list has to be read for them.
  /** @param {Frame[]} frames */
  patch(frames) {
    this.told += 1;
    const changed = new Set(frames), lead = (/** @type {Frame} */ frame) => (this.isByShot && frame.lead) || frame.id;
    // What was told of one shot, without what was found already.
    const told = (/** @type {string} */ shot) => [...changed].filter((frame) => lead(frame) === shot);
    for (const [index, rows] of this.windows) {
      rows.forEach((row, at) => {
        const news = told(lead(row)), fresh = joined(row, news);
        if (!news.length) return;
        rows[at] = fresh;
        for (const one of news) changed.delete(one);
        this.renewed(fresh, this.age(index * part + at));
      });
    }
    if (!this.isGrowing || this.revision < 0) return false;
    const newest = this.row(this.total - 1), kinds = this.filter.kind ? this.filter.kind.split(",") : null;
    // A file that was here before is older than the newest, or among those that were just shown.
    const order = (/** @type {Frame} */ frame) => `${frame.since} ${frame.path}`;
    const fresh = [...changed].filter((frame) => (!kinds || kinds.includes(frame.kind)) && (!newest || (frame.since ?? "") >= (newest.since ?? "")));
    fresh.sort((one, other) => (order(one) < order(other) ? -1 : 1));
    const leads = fresh.filter((frame) => lead(frame) === frame.id);
    for (const frame of leads) this.keep(this.total++, joined(frame, told(frame.id)));
    this.hidden += leads.length;
    if (leads.length) this.grown(leads.length, this.row(this.total - 1), null);
    // A file of a shot that is not here belongs further down.
    return fresh.every((frame) => leads.some(({ id }) => id === lead(frame)));
  }

  /** @param {number} age */
  row(age) { return rowOf(this.windows, age); }

  // The frame at a place, if it is here.
  /** @param {number} place */
  known(place) { return this.row(this.age(place)); }

  // The frame at a place; asked for when it is not here yet.
  /** @param {number} place @returns {Frame | null} */
  frame(place) {
    const frame = this.known(place), index = Math.floor(this.age(place) / part);
    if (!frame && place >= 0 && place < this.shown && !this.asked.has(index)) this.load(index);
    return frame ?? null;
  }

  // A frame that is waited for.
  /** @param {number} place */
  async whole(place) {
    if (place < 0 || place >= this.shown) return undefined;
    await this.load(Math.floor(this.age(place) / part));
    return this.known(place);
  }

  /** @param {number} index */
  async load(index) {
    const { windows, asked } = this, end = Math.max(0, this.total - (index + 1) * part);
    asked.add(index);
    try {
      const answer = await this.ask({ at: end, limit: Math.min(part, this.total - index * part) });
      if (windows !== this.windows || this.revision < 0) return;
      if (answer.revision !== this.revision && !(this.isGrowing && answer.total >= this.total)) return void this.refresh();
      this.put(answer);
      this.arrived();
    } catch (error) {
      this.failed(error);
    } finally {
      asked.delete(index);
    }
  }

  // Forgets what is far from a place.
  /** @param {number} place */
  forget(place) {
    const near = Math.floor(this.age(place) / part), newest = Math.floor((this.total - 1) / part);
    const far = [...this.windows.keys()].sort((one, other) => Math.abs(one - near) - Math.abs(other - near)).slice(mostWindows);
    for (const old of far) if (old < newest - 1) this.windows.delete(old);
  }

  /** Where every frame that is here is, by its name. */
  places() {
    /** @type {Map<string, number>} */
    const found = new Map();
    for (const [index, rows] of this.windows) rows.forEach((row, at) => found.set(row.id, this.age(index * part + at)));
    return found;
  }

  // Where what was at a place is now, or the nearest that was beside it and is here.
  /** @param {number} place @param {Former} former @param {Map<string, number>} places */
  moved(place, former, places) {
    for (let step = 0; step <= part; step += 1) {
      for (const one of [place + step, place - step]) {
        const age = former.shown - 1 - one, now = age < 0 ? undefined : places.get(rowOf(former.windows, age)?.id ?? "");
        if (now !== undefined) return now;
      }
    }
    return Math.min(place, Math.max(0, this.shown - 1));
  }
}
