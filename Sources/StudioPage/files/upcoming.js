// What a run has still to read of a camera, with the camera's own pictures of it.
import { get } from "./api.js";
import { fill, foreign, h } from "./dom.js";
import { board } from "./stream.js";
import { number, t } from "./words.js";

// Milliseconds from one look to the next.
const pause = 2000;

/** @typedef {{id: string, name: string, kind: string, source: string | null, begun: boolean, picture: boolean}} Frame */

/** The next frames, above those that are here: as many as stand side by side. */
export class Upcoming {
  constructor() {
    this.count = h("p", { class: "quiet" });
    this.list = h("ul", {});
    this.element = h("section", { class: "upcoming", hidden: true, "aria-label": t("upcoming") }, this.count, this.list);
    // What is there stays: a picture that came is not fetched again.
    /** @type {Map<string, Ahead>} */
    this.known = new Map();
    this.total = this.seen = this.timer = 0;
    this.isAsked = this.isClosed = false;
    this.hear = () => this.look();
    addEventListener("board", this.hear);
    document.addEventListener("visibilitychange", this.hear);
    this.look();
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.timer);
    removeEventListener("board", this.hear);
    document.removeEventListener("visibilitychange", this.hear);
  }

  /** Asks, and again for as long as there is something to come; not more often than once in a while. */
  async look() {
    this.isAsked = true;
    if (this.timer || this.isClosed) return;
    this.isAsked = false;
    this.timer = setTimeout(() => {
      this.timer = 0;
      if (this.isAsked || this.total) this.look();
    }, pause);
    if (document.hidden) return;
    // A page that cannot be asked says so elsewhere.
    const nothing = { total: 0, frames: [] }, answer = board()?.running ? await get("upcoming").catch(() => nothing) : nothing;
    if (!this.isClosed) this.draw(answer);
  }

  /** @param {{total: number, frames: Frame[]}} answer */
  draw({ total, frames }) {
    this.total = total;
    // A frame that comes at once is no news: nothing on the page moves for it.
    this.seen = total ? this.seen + 1 : 0;
    this.element.hidden = this.seen < 2;
    this.count.textContent = t("toCome", { n: number(total) });
    const before = this.known;
    this.known = new Map(frames.map((frame) => [frame.id, before.get(frame.id) ?? new Ahead(frame)]));
    for (const frame of frames) this.known.get(frame.id)?.show(frame);
    fill(this.list, ...[...this.known.values()].map((one) => one.element));
  }
}

/** One frame that is to come. */
class Ahead {
  /** @param {Frame} frame */
  constructor(frame) {
    const name = foreign(frame.name, "span");
    name.className = "name";
    this.kind = h("span", { class: "kind" }, frame.kind);
    this.state = h("span", { class: "wait" });
    this.element = h("li", { title: frame.source }, this.kind, name, this.state);
    this.hasPicture = false;
  }

  /** @param {Frame} frame */
  show({ id, begun, picture }) {
    this.state.textContent = begun ? `↓ ${t("jobRunning")}` : `… ${t("pending")}`;
    if (!picture || this.hasPicture) return;
    this.hasPicture = true;
    const gone = (/** @type {Event} */ event) => /** @type {HTMLElement} */ (event.target).remove();
    this.kind.after(h("img", { class: "picture", alt: "", draggable: "false", decoding: "async", src: `/api/v1/upcoming/${id}/thumbnail`, onerror: gone }));
  }
}
