// Which keys mean what, their list, and the switch that turns the single ones off.
import { h } from "./dom.js";
import { t } from "./words.js";

const storage = "filmgate-keys", patience = 1500;
// What follows G.
/** @type {Record<string, string>} */
const tabs = { e: "events", c: "capture", a: "cards", d: "deliveries", h: "history", s: "stations", i: "pipeline", o: "doctor", p: "profile" };

/** Whether keys without Ctrl or Alt do anything (WCAG 2.1.4). */
export const hasLetters = () => localStorage.getItem(storage) !== "off";
/** @param {boolean} on */
export const setLetters = (on) => localStorage.setItem(storage, on ? "on" : "off");

// A key that is a sign by itself, where nobody writes or is asked something.
/** @param {KeyboardEvent} event */
export function isSingle(event) {
  const isWriting = /INPUT|SELECT|TEXTAREA/.test(/** @type {HTMLElement} */ (event.target).tagName ?? "");
  return hasLetters() && !event.ctrlKey && !event.altKey && !event.metaKey && !isWriting && !document.querySelector("dialog[open]:not(.big)");
}

/** @typedef {{rating?: number, pick?: string, colour?: number}} Words */

// What a key says: words to mark with, "toggle", "undo", "all" or "clear"; null for a key that means something else.
/** @param {KeyboardEvent} event @returns {Words | string | null} */
export function meaning(event) {
  const digit = /^(?:Digit|Numpad)([0-8])$/.exec(event.code)?.[1], key = event.key.toLowerCase(), ctrl = event.ctrlKey || event.metaKey;
  if (event.altKey && !ctrl) return digit ? { colour: Number(digit) } : null;
  /** @type {Record<string, Words | string>} */
  const held = { a: "all", z: "undo", "+": { pick: "picked" }, "=": { pick: "picked" }, "-": { pick: "none" } }, single = { t: "toggle", x: { pick: "rejected" }, u: { pick: "none" } };
  if (ctrl) return held[key] ?? null;
  if (event.key === "Escape") return "clear";
  if (!hasLetters()) return null;
  return /^[0-5]$/.test(event.key) ? { rating: Number(event.key) } : single[key] ?? null;
}

// Keys of every page, before anybody else has them: G and another one, P, ?.
/** @param {() => boolean} isIn @param {() => void} pause */
export function everywhere(isIn, pause) {
  let since = -Infinity;
  addEventListener("keydown", (event) => {
    if (!isIn() || !isSingle(event) || event.repeat) return;
    const key = event.key.toLowerCase(), isSecond = event.timeStamp - since < patience;
    if (key === "shift") return;
    since = !isSecond && key === "g" ? event.timeStamp : -Infinity;
    if (isSecond && key in tabs) location.hash = `#/${tabs[key]}`;
    else if (isSecond && key === "t") dispatchEvent(new Event("tagged"));
    else if (key === "p") pause();
    else if (key === "?") help();
    else if (key !== "g") return;
    event.preventDefault();
    event.stopPropagation();
  }, true);
}

/** What keys there are, and the switch that turns the single ones off. */
export function help() {
  const rows = ["Move", "Open", "Rate", "Pick", "Tag", "Colour", "Select", "Undo", "Follow", "Look", "Retry", "Tabs"];
  const box = h("input", { type: "checkbox", checked: hasLetters(), onchange: (/** @type {Event} */ event) => setLetters(/** @type {HTMLInputElement} */ (event.target).checked) });
  const list = h("dl", {}, ...rows.flatMap((name) => [h("dt", {}, t(`keys${name}`)), h("dd", {}, t(`key${name}`))]));
  const dialog = /** @type {HTMLDialogElement} */ (h("dialog", { "aria-label": t("keys"), onclose: () => dialog.remove() }, h("h2", {}, t("keys")), list, h("label", { class: "switch" }, box, t("letters")), h("p", {}, h("button", { onclick: () => dialog.close() }, t("close")))));
  document.body.append(dialog);
  dialog.showModal();
}
