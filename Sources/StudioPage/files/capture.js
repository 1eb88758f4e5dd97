import { get } from "./api.js";
import { Big, compare } from "./big.js";
import { fileName } from "./cell.js";
import { announce, fill, h, stated, trouble } from "./dom.js";
import { Filters } from "./filters.js";
import { confirm, run } from "./jobs.js";
import { help, isSingle, meaning } from "./keys.js";
import { buttons, Marking, mayMark, maySteer } from "./marks.js";
import { best, hasPicture } from "./pictures.js";
import { Sheet } from "./sheet.js";
import { Taking } from "./taking.js";
import { endingOf, receiptsOf } from "./shot.js";
import { camera, mark, number, t, when } from "./words.js";

/** @param {HTMLElement} main @param {{session: {role: string}}} context */
export function open(main, { session }) {
  const page = new Capture(session);
  main.className = "wide";
  fill(main, h("h1", { class: "unseen" }, t("capture")), page.taking && page.taking.element, page.filters.bar(page.following, page.count), page.filters.more(), page.marking && page.tools(page.marking), page.going, page.place, page.newest, page.ahead, page.sheet.element, page.big.dialog);
  page.sheet.setFilter(page.filters.now);
  return () => page.close();
}

class Capture {
  /** @param {{role: string}} session */
  constructor(session) {
    this.mayOperate = maySteer(session);
    this.newest = h("section", { class: "newest", "aria-label": t("newest") });
    // What is said aloud of it is said less often.
    this.count = h("p", { class: "quiet", role: "status", "aria-live": "off" });
    this.place = h("div", {});
    this.going = h("div", {});
    const failed = (/** @type {Error} */ error) => this.place.replaceChildren(trouble(error));
    this.sheet = new Sheet((id) => { location.hash = `#/file/${id}`; }, (total, frame, more) => this.changed(total, frame, more), failed);
    this.marking = mayMark(session) ? new Marking(this.sheet, this.sheet.selection, failed) : null;
    this.following = h("button", { type: "button", "aria-pressed": "false", onclick: () => this.follow() }, t("follow"));
    this.big = new Big(this.sheet, () => this.follow(), this.marking);
    this.taking = this.mayOperate ? new Taking() : null;
    this.isAnswer = false;
    this.filters = new Filters(this.sheet, this.mayOperate, () => { this.isAnswer = true; });
    this.sheet.others = (event) => this.act(event, false);
    this.big.others = (event) => this.act(event, true);
    this.sheet.enlarge = () => this.big.open();
    this.sheet.loaded = () => this.big.draw(0);
    this.fresh = this.timer = this.due = this.latest = 0;
    this.ahead = h("div", {});
    /** @type {import("./upcoming.js").Upcoming | null} */
    this.upcoming = null;
    // What is here is shown first.
    this.soon = setTimeout(() => this.lookAhead(), 2000);
    this.isUnnamed = false;
    /** @type {[string, (event: any) => void][]} */
    this.heard = [["frames", (event) => this.look(event)], ["keydown", (event) => this.shortcut(event)], ["tagged", () => this.big.isOpen || this.filters.tagged()]];
    for (const [name, hear] of this.heard) addEventListener(name, hear);
  }

  close() {
    clearTimeout(this.timer);
    clearTimeout(this.soon);
    this.upcoming?.close();
    this.sheet.close();
    this.taking?.close();
    this.filters.close();
    for (const [name, hear] of this.heard) removeEventListener(name, hear);
  }

  /** Shows what a run has still to read. */
  async lookAhead() {
    const { Upcoming } = await import("./upcoming.js");
    if (!this.ahead.isConnected) return;
    this.upcoming = new Upcoming();
    this.ahead.append(this.upcoming.element);
  }

  /** @param {number} total @param {import("./list.js").Frame | undefined} frame @param {number} more */
  changed(total, frame, more) {
    this.place.replaceChildren();
    this.count.textContent = total ? t(this.sheet.isByShot ? "shots" : "frames", { n: number(total) }) : t(this.filters.isAny ? "nothing" : "nothingYet");
    this.newest.hidden = !frame;
    if (frame) fill(this.newest, ...about(frame));
    if (this.isAnswer) announce(this.count.textContent ?? "", true);
    this.isAnswer = false;
    this.fresh += more;
    if (more > 0) announce(() => { const n = this.fresh; this.fresh = 0; return t("newFrames", { n }); });
    this.big.draw(0);
  }

  follow() {
    const { sheet } = this;
    sheet.isFollowing = !sheet.isFollowing;
    this.following.setAttribute("aria-pressed", String(sheet.isFollowing));
    if (sheet.isFollowing && sheet.shown) sheet.move(-Infinity);
    this.big.draw(0);
  }

  /** @param {KeyboardEvent} event @param {boolean} isAlone @returns {boolean} */
  act(event, isAlone) {
    const asked = meaning(event), { marking, sheet: { selection } } = this;
    if (!asked || (asked === "clear" && (isAlone || selection.isEmpty)) || (isAlone && asked === "all")) return false;
    if (asked === "clear") selection.clear();
    else if (asked === "all") selection.all();
    else if (!marking) return false;
    else if (asked === "undo") marking.undo();
    else if (asked === "toggle") marking.toggle(isAlone, event.timeStamp);
    else if (typeof asked !== "string") marking.mark(asked, isAlone, event.timeStamp);
    return true;
  }

  // Keys that count wherever the focus is.
  /** @param {KeyboardEvent} event */
  shortcut(event) {
    if (event.defaultPrevented || !isSingle(event) || document.querySelector("dialog[open]")) return;
    /** @type {Record<string, () => void>} */
    const actions = { f: () => this.follow(), "/": () => this.filters.search.focus(), f3: () => this.filters.tagged(), c: () => this.compare(), r: () => this.retry() };
    const action = actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  }

  compare() {
    const frames = this.sheet.selection.isAll ? [] : this.sheet.selection.frames();
    if (frames.length < 2 || frames.length > 4) this.place.replaceChildren(trouble(new Error(t("compareSome")))); else compare(frames);
  }

  /** Sends again what was refused, too: of what is selected, else of everything. */
  retry() { if (this.mayOperate) this.order("retry", { failed: "yes" }, this.sheet.selection.isEmpty ? [undefined] : this.sheet.selection.parts); }

  /** Gives what is selected, and held without an event, to one. */
  async assign() {
    // Where a filter finds more when somebody has said yes, he has not said it of these.
    const { selection } = this.sheet, { count } = selection, parts = selection.isAll ? [{ ...selection.filter(), most: selection.files }] : selection.parts;
    const name = /** @type {HTMLInputElement} */ (h("input", { list: "named", maxlength: "200", spellcheck: "false", dir: "auto", autofocus: true, required: true, pattern: ".*\\S.*" })), names = h("datalist", { id: "named" });
    get("events").then(({ events }) => names.append(...events.map((/** @type {any} */ one) => h("option", { value: one.name }))), () => {});
    if (await confirm(t("assignSome", { n: number(count) }), t("assignTo"), h("label", {}, t("eventName"), name, names))) await this.order("assign", { event: name.value.trim() }, parts);
  }

  // A command for one part after the other, until one is refused.
  /** @param {string} path @param {object} body @param {(object | undefined)[]} parts */
  async order(path, body, parts) { for (const selection of parts) if (!(await run(path, { ...body, selection }, this.going))) return; }

  // What was told is shown at once. Where that is not all, the list is read again a moment later, else only to be sure; once for many.
  /** @param {CustomEvent} event */
  look(event) {
    const { frames } = event.detail ?? {}, { sheet } = this, isTold = Boolean(frames?.length) && sheet.patch(frames), time = Date.now() + (isTold ? 2000 : 200);
    if (!event.detail) sheet.isStale = true; else this.latest = event.detail.revision;
    // A word of somebody makes no list another one, but what of it is shown by that word.
    if (frames?.length && (sheet.filter.rating || sheet.filter.pick)) sheet.isStale = true;
    // What was not named may be anywhere in the list.
    this.isUnnamed ||= !frames?.length;
    if (this.timer && this.due <= time) return;
    clearTimeout(this.timer);
    this.due = time;
    // What a stream begins with is mostly what was just read.
    this.timer = setTimeout(() => {
      this.timer = 0;
      const isOther = sheet.revision !== this.latest;
      if (isOther && this.isUnnamed) sheet.isStale = true;
      this.isUnnamed = false;
      if (sheet.isStale || isOther) sheet.refresh();
    }, this.due - Date.now());
  }

  // Marking by mouse and touch.
  /** @param {Marking} marking */
  tools(marking) {
    const count = h("span", { class: "quiet", role: "status" }), { sheet } = this, { selection } = sheet;
    const choosing = h("button", { type: "button", "aria-pressed": "false", onclick: () => {
      sheet.isChoosing = !sheet.isChoosing;
      choosing.setAttribute("aria-pressed", String(sheet.isChoosing));
    } }, t("choose"));
    /** @param {string} key @param {() => void} action */
    const button = (key, action, hidden = true) => h("button", { type: "button", hidden, onclick: action }, t(key));
    const some = [button("chooseNone", () => selection.clear()), ...(this.mayOperate ? [button("assignTo", () => this.assign()), button("retry", () => this.retry())] : [])];
    selection.changed = () => {
      count.textContent = selection.count ? t("selected", { n: number(selection.count) }) : "";
      for (const one of some) one.hidden = !selection.count;
    };
    const bar = buttons(marking, false);
    bar.append(choosing, button("chooseAll", () => selection.all(), false), ...some, button("compare", () => this.compare(), false), button("keys", help, false), count);
    return bar;
  }
}

/** @param {import("./list.js").Frame} frame */
function about(frame) {
  const state = mark(endingOf(frame)), body = camera({ make: frame.make ?? null, model: frame.model ?? null });
  const targets = receiptsOf(frame).map(([name, what]) => {
    const one = mark(what);
    return h("span", { class: one.style }, `${one.sign} ${name}: ${one.word}`);
  });
  const small = hasPicture(frame) ? /** @type {HTMLImageElement} */ (h("img", { class: "small", alt: "" })) : null;
  if (small) best(small, frame, "thumbnail", () => small.isConnected).then((found) => found || small.remove());
  return [
    small, h("span", { class: "quiet" }, t("newest")), h("b", { dir: "auto" }, fileName(frame)), h("span", {}, when(frame.captured ?? null)), h("span", { dir: "auto" }, body),
    stated(state), ...targets, h("a", { href: `#/file/${frame.id}` }, t("facts")),
  ];
}
