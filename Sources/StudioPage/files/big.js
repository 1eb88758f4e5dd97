import { fileName } from "./cell.js";
import { fill, foreign, h, quiet, stated } from "./dom.js";
import { hasLetters } from "./keys.js";
import { buttons, signs } from "./marks.js";
import { address, enlarge, hasPicture, sharpen } from "./pictures.js";
import { mark, t, when } from "./words.js";

/** One frame of the list as large as the window. */
export class Big {
  /** @param {import("./sheet.js").Sheet} sheet @param {() => void} follow @param {import("./marks.js").Marking | null} marking */
  constructor(sheet, follow, marking) {
    this.sheet = sheet;
    this.follow = follow;
    // Who may not mark sees what is made for a screen.
    this.mayLookClosely = Boolean(marking);
    // What is said of the pixels, by key, and of which file all of them were asked for.
    [this.pixels, this.asked] = ["", ""];
    // Ends the request for all of them.
    this.leave = () => {};
    // What other keys do; true for one that was meant.
    /** @type {(event: KeyboardEvent) => boolean} */
    this.others = () => false;
    this.isWhole = false;
    /** Where the pointer was last, in parts of the picture's place. */
    this.point = [0.5, 0.5];
    this.image = /** @type {HTMLImageElement} */ (h("img", { class: "photo", draggable: "false", onload: () => this.fit() }));
    this.none = h("p", { class: "quiet", hidden: true }, t("noPicture"));
    this.words = h("p", { class: "caption", role: "status" });
    this.frame = h("figure", { class: "frame", onpointermove: (/** @type {PointerEvent} */ event) => this.note(event), ondblclick: () => this.whole() }, this.image, this.none);
    this.depth = h("span", { class: "quiet", role: "status" });
    this.sizing = h("button", { type: "button", "aria-pressed": "false", onclick: () => this.whole() }, t("whole"));
    const close = h("button", { onclick: () => this.close() }, t("close"));
    this.dialog = /** @type {HTMLDialogElement} */ (h("dialog", { class: "big", tabindex: "-1", "aria-label": t("big"), onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event), onclose: () => this.ended() }, this.frame, h("div", { class: "under" }, this.words, marking && buttons(marking, true), h("div", { class: "bar" }, this.depth, this.sizing, close))));
  }

  get isOpen() { return this.dialog.open; }

  open() {
    if (!this.sheet.shown || this.isOpen) return;
    if (!this.sheet.isAttended) this.sheet.attend(this.sheet.focus);
    this.dialog.showModal();
    this.dialog.focus();
    this.sheet.isHeld = true;
    this.draw(0);
  }

  close() { this.dialog.close(); }

  ended() {
    this.sheet.isHeld = false;
    if (this.isWhole) this.whole();
    this.sheet.draw();
    if (this.sheet.shown) this.sheet.hold();
  }

  /** @param {number} [wait] */
  draw(wait = 150) {
    const frame = this.isOpen && (this.sheet.focused ?? this.sheet.frame(this.sheet.focus));
    if (!frame) return;
    const state = mark(frame.ending), isThere = hasPicture(frame);
    // What nobody asked for is not said aloud.
    this.words.setAttribute("aria-live", this.sheet.isFollowing ? "off" : "polite");
    fill(this.words, h("b", {}, foreign(fileName(frame))), " ", ...signs(frame), ` ${when(frame.captured ?? null)} `, stated(state), h("a", { href: `#/file/${frame.id}` }, t("facts")));
    this.image.alt = t("pictureOf", { name: fileName(frame) });
    this.image.hidden = !isThere;
    this.none.hidden = isThere;
    if (!isThere) { this.image.dataset.place = ""; this.forget(); this.say(); return; }
    enlarge(this.image, frame, () => { this.image.hidden = true; this.none.hidden = false; }, wait);
    this.look(frame);
  }

  /** Asks for all pixels of what is shown one to one, once. @param {any} frame */
  look(frame) {
    const id = this.isWhole ? frame.id : "";
    if (id === this.asked) return;
    this.forget();
    this.asked = id;
    if (!id) return;
    const isThere = this.image.dataset.place === address(frame, "full");
    this.pixels = isThere ? "wholeAll" : this.mayLookClosely ? "wholeLoading" : "wholePreview";
    this.say();
    if (this.pixels === "wholeLoading") this.leave = sharpen(this.image, frame, () => this.asked === id, (isThere) => this.came(isThere));
  }

  /** What was asked for is not wanted any more, and nothing is said of what is shown next. */
  forget() {
    this.leave();
    this.leave = () => {};
    [this.pixels, this.asked] = ["", ""];
  }

  /** @param {boolean} isThere */
  came(isThere) {
    this.pixels = isThere ? "wholeAll" : "wholePreview";
    if (!isThere) return this.say();
    // What was in the middle stays there.
    const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = this.frame;
    if (scrollWidth > clientWidth) this.point[0] = (scrollLeft + clientWidth / 2) / scrollWidth;
    if (scrollHeight > clientHeight) this.point[1] = (scrollTop + clientHeight / 2) / scrollHeight;
  }

  say() {
    const { naturalWidth: width, naturalHeight: height } = this.image;
    this.depth.textContent = this.isWhole && this.pixels && width ? t(this.pixels, { width, height }) : "";
  }

  /** @param {PointerEvent} event */
  note(event) {
    const { left, top, width, height } = this.frame.getBoundingClientRect();
    this.point = [(event.clientX - left) / width, (event.clientY - top) / height];
  }

  /** A pixel of the picture is one of the screen, or the whole picture is in sight again. */
  whole() {
    this.isWhole = !this.isWhole;
    this.sizing.setAttribute("aria-pressed", String(this.isWhole));
    this.dialog.classList.toggle("whole", this.isWhole);
    // Its arrows move it then.
    if (this.isWhole) this.frame.tabIndex = 0; else this.frame.removeAttribute("tabindex");
    this.forget();
    this.fit();
    this.draw();
    if (this.isOpen) (this.isWhole ? this.frame : this.dialog).focus({ preventScroll: true });
  }

  fit() {
    this.image.style.width = this.isWhole ? `${this.image.naturalWidth / devicePixelRatio}px` : "";
    const { frame } = this, [x, y] = this.point;
    frame.scrollTo(x * frame.scrollWidth - frame.clientWidth / 2, y * frame.scrollHeight - frame.clientHeight / 2);
    this.say();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    /** @type {Record<string, number>} */
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };
    const { focused } = this.sheet, isOwn = event.target === this.dialog || event.target === this.frame, isSelect = /SELECT/.test(/** @type {HTMLElement} */ (event.target).tagName);
    if (!isSelect && this.others(event)) return event.preventDefault();
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Enter" && isOwn && focused) { location.hash = `#/file/${focused.id}`; return; }
    if (event.key === " " && isOwn) { event.preventDefault(); return this.close(); }
    if (event.key.toLowerCase() === "f" && hasLetters()) return this.follow();
    if (event.key.toLowerCase() === "z" && hasLetters() && !isSelect) return this.whole();
    if (!(event.key in steps) || isSelect || (this.isWhole && event.target === this.frame)) return;
    event.preventDefault();
    this.sheet.move(steps[event.key]);
    this.draw();
    // What had the focus may have been drawn anew.
    if (!this.dialog.contains(document.activeElement)) this.dialog.focus();
  }
}

// Two to four frames beside one another.
/** @param {import("./list.js").Frame[]} frames */
export function compare(frames) {
  const figures = frames.map((frame) => {
    const image = /** @type {HTMLImageElement} */ (h("img", { class: "photo", alt: t("pictureOf", { name: fileName(frame) }) })), figure = h("figure", { class: "frame" }, image);
    const none = () => figure.replaceChildren(quiet(t("noPicture")));
    if (hasPicture(frame)) enlarge(image, frame, none); else none();
    return h("div", {}, figure, h("p", { class: "caption" }, foreign(fileName(frame), "b"), " ", ...signs(frame)));
  });
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  const dialog = /** @type {HTMLDialogElement} */ (h("dialog", { class: "big", "aria-label": t("compare"), onclose: () => { dialog.remove(); before?.focus(); } }, h("div", { class: "many", role: "group", tabindex: "0", "aria-label": t("compare") }, ...figures), h("div", { class: "under" }, h("button", { autofocus: true, onclick: () => dialog.close() }, t("close")))));
  document.body.append(dialog);
  dialog.showModal();
}
