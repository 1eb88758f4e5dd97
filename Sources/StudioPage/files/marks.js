// What people say of pictures: stars, picked or rejected, a colour.
import { post, Refusal } from "./api.js";
import { announce, h } from "./dom.js";
import { named } from "./selection.js";
import { t } from "./words.js";

const kept = 50;
const colours = ["colour0", "colour1", "colour2", "colour3", "colour4", "colour5", "colour6", "colour7", "colour8"];

/** @param {{role: string} | null} session */
export const maySteer = (session) => ["operate", "admin"].includes(session?.role ?? "");
/** @param {{role: string}} session */
export const mayMark = (session) => session.role === "pick" || maySteer(session);

// A frame's marks by shape, colour and number.
/** @param {any} frame @returns {HTMLElement[]} */
export function signs(frame) {
  const shown = [];
  if (frame.pick === "picked") shown.push(h("span", { class: "pick good" }, "✔ "));
  if (frame.pick === "rejected") shown.push(h("span", { class: "pick bad" }, "✘ "));
  if (frame.rating > 0) shown.push(h("span", { class: "stars" }, `${"★".repeat(frame.rating)} `));
  if (frame.colour) shown.push(h("span", { class: `dot c${frame.colour}` }, String(frame.colour)));
  return shown;
}

// The same in words.
/** @param {any} frame */
export function said(frame) {
  const words = [];
  if (frame.pick === "picked" || frame.pick === "rejected") words.push(t(frame.pick));
  if (frame.rating > 0) words.push(t("stars", { n: frame.rating }));
  if (frame.colour) words.push(t(colours[frame.colour]));
  return words.join(", ");
}

/** @typedef {import("./list.js").Frame} Frame */

/** Marks what is selected, shows it at once, and takes it back. */
export class Marking {
  /** @param {import("./sheet.js").Sheet} sheet @param {import("./selection.js").Selection} selection @param {(error: Error) => void} failed */
  constructor(sheet, selection, failed) {
    this.sheet = sheet;
    this.selection = selection;
    this.failed = failed;
    /** @type {string[][]} */
    this.done = [];
    // Called when there is something to take back, or no more.
    /** @type {() => void} */
    this.changed = () => {};
    /** One after the other: the later word must be the later one there, too. */
    this.last = Promise.resolve();
  }

  // The frames that are meant: what is selected, else the one that was looked at then.
  /** @param {boolean} isAlone @param {number} [time] @returns {Frame[]} */
  frames(isAlone, time) {
    const one = this.sheet.meant(time);
    return isAlone || this.selection.isEmpty ? (one?.sha256 ? [one] : []) : this.selection.frames();
  }

  /** @param {import("./keys.js").Words} words @param {boolean} [isAlone] the one that is looked at, whatever is selected @param {number} [time] when it was said */
  mark(words, isAlone = false, time = undefined) {
    const frames = this.frames(isAlone, time), isAll = !isAlone && this.selection.isAll;
    if (!frames.length && !isAll && !this.sheet.isAttended) return this.failed(new Error(t("chooseFirst")));
    if (!frames.length && !isAll) return;
    for (const frame of frames) Object.assign(frame, words);
    this.sheet.redraw(frames, words);
    announce(t("marked", { words: said({ pick: "none", rating: 0, ...words }) || t("cleared") }), true);
    const selections = isAll ? this.selection.parts : named(frames);
    this.send(async () => {
      /** @type {string[]} */
      const tokens = [];
      try {
        for (const selection of selections) tokens.push((await post("marks", { set: words, selection })).undo);
      } catch (error) {
        // Its first part was marked and can be taken back.
        if (error instanceof Refusal && error.undo) tokens.push(error.undo);
        throw error;
      } finally {
        if (tokens.length) this.keep(tokens);
      }
    });
  }

  // Picked, or no more.
  /** @param {boolean} [isAlone] @param {number} [time] */
  toggle(isAlone = false, time = undefined) {
    const frames = this.frames(isAlone, time), isPicked = frames.length > 0 && frames.every((frame) => frame.pick === "picked");
    this.mark({ pick: isPicked ? "none" : "picked" }, isAlone, time);
  }

  undo() {
    // In its turn: what was said right before may not have been answered yet.
    this.send(async () => {
      const tokens = this.done.at(-1);
      if (!tokens) return;
      this.done = this.done.slice(0, -1);
      this.changed();
      try {
        while (tokens.length) {
          await post("marks/undo", { token: tokens[tokens.length - 1] });
          tokens.pop();
        }
      } catch (error) {
        // What was not taken back is what the next undo means, too; but not what nobody knows any more.
        if (error instanceof Refusal && error.status === 404) tokens.pop();
        if (tokens.length) this.keep(tokens);
        throw error;
      }
    });
  }

  /** @param {string[]} tokens */
  keep(tokens) {
    this.done = [...this.done, tokens].slice(-kept);
    this.changed();
  }

  /** @param {() => Promise<void>} action */
  send(action) {
    this.last = this.last.then(action).catch((error) => {
      this.failed(error);
      this.sheet.refresh(true);
    });
  }
}

// Buttons for those who have no keys.
/** @param {Marking} marking @param {boolean} isAlone */
export function buttons(marking, isAlone) {
  /** @param {"rating" | "colour"} name @param {string[]} words */
  const choose = (name, words) => {
    const options = [h("option", { value: "" }, t(name)), ...words.map((word, index) => h("option", { value: String(index) }, word))];
    return h("select", { "aria-label": t(name), onchange: (/** @type {Event} */ event) => {
      const select = /** @type {HTMLSelectElement} */ (event.target);
      if (select.value !== "") marking.mark({ [name]: Number(select.value) }, isAlone);
      select.value = "";
    } }, ...options);
  };
  /** @param {string} name @param {string} sign @param {(event: Event) => void} action */
  const button = (name, sign, action) => h("button", { type: "button", onclick: action }, `${sign} ${t(name)}`);
  /** @param {string} name @param {string} sign @param {string} pick */
  const picking = (name, sign, pick) => button(name, sign, (event) => marking.mark({ pick }, isAlone, event.timeStamp));
  const undo = /** @type {HTMLButtonElement} */ (button("undo", "↶", () => marking.undo()));
  const stars = [t("noStars"), ...[1, 2, 3, 4, 5].map((n) => t("stars", { n }))];
  const bar = h("div", { class: "bar marking", role: "toolbar", "aria-label": t("marking") }, picking("pick", "✔", "picked"), picking("reject", "✘", "rejected"), picking("unpick", "○", "none"), choose("rating", stars), choose("colour", colours.map((name) => t(name))), undo);
  const look = () => { undo.disabled = !marking.done.length; };
  const before = marking.changed;
  marking.changed = () => { before(); look(); };
  look();
  return bar;
}
