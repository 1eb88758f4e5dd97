import { fill, foreign, h } from "./dom.js";
import { buttons, hasLetters, signs } from "./marks.js";
import { enlarge, hasPicture } from "./pictures.js";
import { fileName } from "./sheet.js";
import { mark, t, when } from "./words.js";

/** One frame of the list as large as the window. */
export class Big {
  /** @param {import("./sheet.js").Sheet} sheet @param {() => void} follow @param {import("./marks.js").Marking | null} marking */
  constructor(sheet, follow, marking) {
    Object.assign(this, { sheet, follow });
    /** What other keys do; true for one that was meant. @type {(event: KeyboardEvent) => boolean} */
    this.others = () => false;
    this.image = /** @type {HTMLImageElement} */ (h("img", { class: "photo", draggable: "false" }));
    this.none = h("p", { class: "quiet", hidden: true }, t("noPicture"));
    this.words = h("p", { class: "caption", role: "status" });
    const close = h("button", { onclick: () => this.close() }, t("close"));
    this.dialog = /** @type {HTMLDialogElement} */ (h("dialog", { class: "big", tabindex: "-1", "aria-label": t("big"), onkeydown: (event) => this.key(event), onclose: () => this.ended() }, h("figure", { class: "frame" }, this.image, this.none), h("div", { class: "under" }, this.words, marking && buttons(marking, true), close)));
  }

  get isOpen() { return this.dialog.open; }

  open() {
    if (!this.sheet.total || this.isOpen) return;
    this.dialog.showModal();
    this.dialog.focus();
    this.sheet.isHeld = true;
    this.draw(0);
  }

  close() { this.dialog.close(); }

  ended() {
    this.sheet.isHeld = false;
    this.sheet.draw();
    this.sheet.cells.get(this.sheet.focus)?.focus({ preventScroll: true });
  }

  /** @param {number} [wait] */
  draw(wait = 150) {
    const frame = this.isOpen && this.sheet.frame(this.sheet.focus);
    if (!frame) return;
    const state = mark(frame.ending), isThere = hasPicture(frame);
    fill(this.words, h("b", {}, foreign(fileName(frame))), " ", ...signs(frame), ` ${when(frame.captured)} `, h("span", { class: state.style }, `${state.sign} ${state.word} `), h("a", { href: `#/file/${frame.id}` }, t("facts")));
    this.image.alt = t("pictureOf", { name: fileName(frame) });
    this.image.hidden = !isThere;
    this.none.hidden = isThere;
    if (!isThere) { this.image.dataset.place = ""; return; }
    enlarge(this.image, frame, () => { this.image.hidden = true; this.none.hidden = false; }, wait);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };
    const isOwn = event.target === this.dialog, frame = this.sheet.frame(this.sheet.focus);
    if (!/SELECT/.test(/** @type {HTMLElement} */ (event.target).tagName) && this.others(event)) return event.preventDefault();
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Enter" && isOwn && frame) { location.hash = `#/file/${frame.id}`; return; }
    if (event.key === " " && isOwn) { event.preventDefault(); return this.close(); }
    if (event.key.toLowerCase() === "f" && hasLetters()) return this.follow();
    if (!(event.key in steps) || /SELECT/.test(/** @type {HTMLElement} */ (event.target).tagName)) return;
    event.preventDefault();
    this.sheet.move(steps[event.key]);
    this.draw();
    // What had the focus may have been drawn anew.
    if (!this.dialog.contains(document.activeElement)) this.dialog.focus();
  }
}
