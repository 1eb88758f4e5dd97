// What people say of pictures: stars, picked or rejected, a colour; by keys and by buttons.
import { post } from "./api.js";
import { announce, h } from "./dom.js";
import { t } from "./words.js";

const most = 500, kept = 50, storage = "filmgate-keys";
const colours = ["colour0", "colour1", "colour2", "colour3", "colour4", "colour5", "colour6", "colour7", "colour8"];

/** Whether keys without Ctrl or Alt do anything (WCAG 2.1.4). */
export const hasLetters = () => localStorage.getItem(storage) !== "off";
/** @param {boolean} on */
export const setLetters = (on) => localStorage.setItem(storage, on ? "on" : "off");

/** @param {{role: string}} session */
export const mayMark = (session) => ["pick", "operate", "admin"].includes(session.role);

/** A frame's marks by shape, colour and number. @param {any} frame @returns {HTMLElement[]} */
export function signs(frame) {
  const shown = [];
  if (frame.pick === "picked") shown.push(h("span", { class: "pick good" }, "✔ "));
  if (frame.pick === "rejected") shown.push(h("span", { class: "pick bad" }, "✘ "));
  if (frame.rating > 0) shown.push(h("span", { class: "stars" }, `${"★".repeat(frame.rating)} `));
  if (frame.colour) shown.push(h("span", { class: `dot c${frame.colour}` }, String(frame.colour)));
  return shown;
}

/** The same in words. @param {any} frame */
export function said(frame) {
  const words = [];
  if (frame.pick === "picked" || frame.pick === "rejected") words.push(t(frame.pick));
  if (frame.rating > 0) words.push(frame.rating === 1 ? t("oneStar") : t("stars", { n: frame.rating }));
  if (frame.colour) words.push(t(colours[frame.colour]));
  return words.join(", ");
}

/**
 * What a key says: words to mark with, "toggle", "undo", "all", "clear" or "help"; null for a key that means something else.
 * @param {KeyboardEvent} event
 */
export function meaning(event) {
  const digit = /^(?:Digit|Numpad)([0-8])$/.exec(event.code)?.[1], key = event.key.toLowerCase(), ctrl = event.ctrlKey || event.metaKey;
  if (event.altKey && !ctrl) return digit ? { colour: Number(digit) } : null;
  if (ctrl) return { a: "all", z: "undo", "+": { pick: "picked" }, "=": { pick: "picked" }, "-": { pick: "none" } }[key] ?? null;
  if (event.key === "Escape") return "clear";
  if (!hasLetters()) return null;
  if (/^[0-5]$/.test(event.key)) return { rating: Number(event.key) };
  return { t: "toggle", x: { pick: "rejected" }, u: { pick: "none" }, "?": "help" }[key] ?? null;
}

/** Marks what is selected, shows it at once, and takes it back. */
export class Marking {
  /** @param {import("./sheet.js").Sheet} sheet @param {import("./selection.js").Selection} selection @param {(error: Error) => void} failed */
  constructor(sheet, selection, failed) {
    Object.assign(this, { sheet, selection, failed });
    /** @type {string[][]} */
    this.done = [];
    /** Called when there is something to take back, or no more. @type {() => void} */
    this.changed = () => {};
    /** One after the other: the later word must be the later one there, too. */
    this.last = Promise.resolve();
  }

  /** The frames that are meant: what is selected, else the one that is looked at. @param {boolean} isAlone */
  frames(isAlone) {
    const one = this.sheet.frame(this.sheet.focus);
    return isAlone || this.selection.isEmpty ? (one?.sha256 ? [one] : []) : this.selection.frames();
  }

  /** @param {{rating?: number, pick?: string, colour?: number}} words @param {boolean} [isAlone] the one that is looked at, whatever is selected */
  mark(words, isAlone = false) {
    const frames = this.frames(isAlone), isAll = !isAlone && this.selection.isAll;
    if (!frames.length && !isAll) return;
    for (const frame of frames) Object.assign(frame, words);
    this.sheet.redraw(frames, words);
    announce(t("marked", { words: said({ pick: "none", rating: 0, ...words }) || t("cleared") }));
    const selections = isAll ? [this.selection.filter()] : parts([...new Set(frames.map((frame) => frame.sha256))]);
    this.send(() => selections.map((selection) => ["marks", { set: words, selection }]), true);
  }

  /** Picked, or no more. @param {boolean} [isAlone] */
  toggle(isAlone = false) {
    const frames = this.frames(isAlone), isPicked = frames.length > 0 && frames.every((frame) => frame.pick === "picked");
    this.mark({ pick: isPicked ? "none" : "picked" }, isAlone);
  }

  undo() {
    const tokens = this.done.pop();
    this.changed();
    if (tokens) this.send(() => tokens.toReversed().map((token) => ["marks/undo", { token }]), false);
  }

  /** @param {() => [string, object][]} requests @param {boolean} isKept */
  send(requests, isKept) {
    this.last = this.last.then(async () => {
      const tokens = [];
      try {
        for (const [path, body] of requests()) tokens.push((await post(path, body)).undo);
      } catch (error) {
        this.failed(error);
        this.sheet.refresh(true);
      }
      if (!isKept || !tokens.length) return;
      this.done = [...this.done, tokens].slice(-kept);
      this.changed();
    });
  }
}

/** @param {string[]} all */
function parts(all) {
  const selections = [];
  for (let start = 0; start < all.length; start += most) selections.push({ sha256: all.slice(start, start + most) });
  return selections;
}

/** Buttons for those who have no keys. @param {Marking} marking @param {boolean} isAlone */
export function buttons(marking, isAlone) {
  const choose = (name, least, words) => {
    const options = [h("option", { value: "" }, t(name)), ...words.map((word, index) => h("option", { value: String(index + least) }, word))];
    return h("select", { "aria-label": t(name), onchange: (event) => {
      if (event.target.value !== "") marking.mark({ [name]: Number(event.target.value) }, isAlone);
      event.target.value = "";
    } }, ...options);
  };
  const button = (name, sign, action) => h("button", { type: "button", onclick: action }, `${sign} ${t(name)}`);
  const undo = button("undo", "↶", () => marking.undo());
  const stars = [t("noStars"), t("oneStar"), ...[2, 3, 4, 5].map((n) => t("stars", { n }))];
  const bar = h("div", { class: "bar marking", role: "toolbar", "aria-label": t("marking") }, button("pick", "✔", () => marking.mark({ pick: "picked" }, isAlone)), button("reject", "✘", () => marking.mark({ pick: "rejected" }, isAlone)), button("unpick", "○", () => marking.mark({ pick: "none" }, isAlone)), choose("rating", 0, stars), choose("colour", 0, colours.map((name) => t(name))), undo);
  const look = () => { /** @type {HTMLButtonElement} */ (undo).disabled = !marking.done.length; };
  const before = marking.changed;
  marking.changed = () => { before(); look(); };
  look();
  return bar;
}

/** What keys there are, and the switch that turns the single ones off. */
export function help() {
  const rows = [["keysMove", "keyMove"], ["keysOpen", "keyOpen"], ["keysRate", "keyRate"], ["keysPick", "keyPick"], ["keysTag", "keyTag"], ["keysColour", "keyColour"], ["keysSelect", "keySelect"], ["keysUndo", "keyUndo"], ["keysFollow", "keyFollow"]];
  const box = h("input", { type: "checkbox", checked: hasLetters(), onchange: (event) => setLetters(event.target.checked) });
  const dialog = /** @type {HTMLDialogElement} */ (h("dialog", { "aria-label": t("keys"), onclose: () => dialog.remove() }, h("h2", {}, t("keys")), h("dl", {}, ...rows.flatMap(([keys, words]) => [h("dt", {}, t(keys)), h("dd", {}, t(words))])), h("label", { class: "switch" }, box, t("letters")), h("p", {}, h("button", { onclick: () => dialog.close() }, t("close")))));
  document.body.append(dialog);
  dialog.showModal();
}
