import { foreign, h, stated } from "./dom.js";
import { said, signs } from "./marks.js";
import { thumbnail } from "./pictures.js";
import { beside, endingOf, receiptsOf } from "./shot.js";
import { mark, t, when } from "./words.js";

/** @param {{path: string}} frame @returns {string} */
export const fileName = (frame) => frame.path.split("/").pop() ?? "";

/** One frame of the sheet; what is scrolled past is used again for another one. */
export class Cell {
  /** @param {(cell: Cell, event: MouseEvent) => void} click @param {(cell: Cell) => void} focused */
  constructor(click, focused) {
    this.place = -1;
    // What it shows.
    /** @type {import("./list.js").Frame | null} */
    this.frame = null;
    this.element = h("div", { class: "cell", role: "option", tabindex: "-1", onclick: (/** @type {MouseEvent} */ event) => click(this, event), onfocus: () => focused(this) });
  }

  /** @param {import("./list.js").Frame | null} frame null for one that has not come yet */
  show(frame) {
    this.frame = frame;
    this.element.replaceChildren(frame ? content(frame) : h("div", {}, h("span", { class: "kind" }, "…")));
    if (frame) this.element.setAttribute("aria-label", spoken(frame)); else this.element.removeAttribute("aria-label");
  }

  /** @param {boolean} isSelected */
  select(isSelected) {
    this.element.setAttribute("aria-selected", String(isSelected));
    this.element.classList.toggle("selected", isSelected);
  }

  /** @param {number} place @param {number} count @param {{columns: number, width: number, height: number, offset: number}} sheet */
  put(place, count, { columns, width, height, offset }) {
    const { element } = this;
    this.place = place;
    element.setAttribute("aria-posinset", String(place + 1));
    element.setAttribute("aria-setsize", String(count));
    element.style.width = `${width}px`;
    element.style.height = `${height}px`;
    element.style.transform = `translate(${(place % columns) * width}px, ${Math.floor(place / columns) * height - offset}px)`;
  }

  /** @param {boolean} isReached by the Tab key @param {boolean} isCurrent somebody looks at it */
  point(isReached, isCurrent) {
    this.element.tabIndex = isReached ? 0 : -1;
    this.element.classList.toggle("current", isCurrent);
  }
}

/** @param {import("./list.js").Frame} frame */
function content(frame) {
  const state = mark(endingOf(frame)), more = beside(frame);
  const marks = receiptsOf(frame).map(([name, what]) => {
    const one = mark(what);
    return h("span", { class: one.style, title: `${name}: ${one.word}` }, `${one.sign} `);
  });
  const name = foreign(fileName(frame), "span");
  name.className = "name";
  const whole = stated(state);
  return h("div", {}, h("span", { class: "kind" }, frame.kind), thumbnail(frame), name, h("span", { class: "marks" }, more.length ? h("span", { class: "quiet" }, `+${more.join(" +")} `) : null, ...signs(frame), ...(marks.length ? marks : [whole])));
}

/** @param {import("./list.js").Frame} frame */
function spoken(frame) {
  const targets = receiptsOf(frame).map(([name, state]) => `${name} ${mark(state).word}`), more = beside(frame).join(", ");
  return [fileName(frame), more && t("with", { files: more }), when(frame.captured ?? null), said(frame), mark(endingOf(frame)).word, ...targets].filter(Boolean).join(", ");
}
