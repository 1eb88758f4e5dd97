import { get } from "./api.js";
import { foreign, h, redraw, trouble } from "./dom.js";
import { confirm, resume, run } from "./jobs.js";
import { board } from "./stream.js";
import { unassigned, withoutEvent } from "./taking.js";
import { number, t, when } from "./words.js";

/** @param {HTMLElement} main @param {{rest: string[]}} context */
export function open(main, { rest }) {
  const list = h("ul", { class: "rows" }), place = h("div", {}), trial = h("div", {}), waiting = h("p", { class: "wait", hidden: true });
  const lock = h("p", { class: "bar", hidden: true }), needed = h("p", { class: "wait", hidden: rest[0] !== "needed" }, `! ${t("noneChosen")} ${t("chooseFor")} `, h("a", { href: "#/capture", onclick: withoutEvent }, t("withoutEvent")));
  // The event that may be changed; another one is locked anew.
  let isWaiting = false, unlocked = "", known = "";
  async function load() {
    try {
      const [{ events }, { total }] = await Promise.all([get("events"), get(unassigned)]);
      const now = board(), held = now?.running ? now.event ?? null : null, isUnlocked = Boolean(held) && unlocked === held, text = JSON.stringify([events, total, held, isUnlocked]);
      if (text === known) return;
      known = text;
      if (held) needed.hidden = true;
      lock.hidden = !held;
      if (held) redraw(lock, h("span", { class: isUnlocked ? "wait" : "good padlock", dir: "auto" }, t(isUnlocked ? "unlockedOf" : "lockedOf", { event: held })), h("button", { type: "button", "data-key": "lock", onclick: () => { unlocked = isUnlocked ? "" : held; load(); } }, t(isUnlocked ? "lock" : "unlock")));
      trial.replaceChildren();
      isWaiting = total > 0;
      waiting.hidden = !isWaiting;
      waiting.textContent = t("unassigned", { n: number(total) });
      redraw(list, ...(events.length ? events.map((/** @type {any} */ one) => row(one, isWaiting, one.name === held, !held || isUnlocked, { use, useNow, assign })) : [h("li", { class: "quiet" }, t("noEvents"))]));
    } catch (error) {
      trial.replaceChildren(trouble(error));
    }
  }
  const command = async (/** @type {string} */ path, /** @type {object} */ body) => {
    await run(path, body, place);
    await load();
  };
  const use = (/** @type {string} */ event, now = false) => command("events/use", now ? { event, now: "yes" } : { event });
  async function useNow(/** @type {string} */ event) {
    if (!(await confirm(t("useNowAsk", { event }), t("useNow")))) return;
    unlocked = "";
    await use(event, true);
  }
  async function assign(/** @type {string} */ event) {
    if (await confirm(t("assignAsk", { event }), t("assign"))) await command("assign", { event });
  }
  const name = /** @type {HTMLInputElement} */ (h("input", { maxlength: "200", spellcheck: "false", required: true, dir: "auto" }));
  const form = h("form", { class: "bar", onsubmit: (event) => { event.preventDefault(); use(name.value); } }, h("label", { class: "search" }, t("eventName"), name), h("button", {}, t("use")));
  main.replaceChildren(
    h("h1", {}, t("events")), needed, h("p", {}, t("eventsHelp")), lock, waiting, place, trial, list, h("h2", {}, t("otherEvent")), form,
    h("p", {}, h("button", { onclick: () => command("events/refresh", {}) }, t("askGalleries"))));
  load();
  resume(["events use", "events list", "assign"], place).then((ended) => ended && load());
  addEventListener("board", load);
  return () => removeEventListener("board", load);
}

/** @param {any} one @param {boolean} isWaiting @param {boolean} isHeld of the run that goes on @param {boolean} mayChange @param {Record<string, (event: string) => void>} actions */
function row(one, isWaiting, isHeld, mayChange, actions) {
  const button = (/** @type {string} */ key) => h("button", { "data-key": `${key} ${one.name}`, "aria-label": `${t(key)}: ${one.name}`, onclick: () => actions[key](one.name) }, t(key));
  const facts = [when(one.date).slice(0, 10), one.note, one.target, one.runs ? t("runsOf", { n: number(one.runs) }) : ""].filter(Boolean).join(", ");
  return h(
    "li", {}, h("span", { class: one.chosen ? "good" : "quiet" }, one.chosen ? `✓ ${t("chosen")} ` : ""), isHeld ? h("span", { class: "good padlock" }, `${t("locked")} `) : null, h("b", {}, foreign(one.name)), h("p", { class: "quiet", dir: "auto" }, facts),
    h("div", { class: "bar" }, one.chosen ? null : button("use"), mayChange && !isHeld ? button("useNow") : null, isWaiting ? button("assign") : null));
}
