import { get } from "./api.js";
import { foreign, h, redraw, trouble } from "./dom.js";
import { confirm, resume, run } from "./jobs.js";
import { unassigned } from "./taking.js";
import { number, t, when } from "./words.js";

/** @param {HTMLElement} main */
export function open(main) {
  const list = h("ul", { class: "rows" }), place = h("div", {}), trial = h("div", {}), waiting = h("p", { class: "wait", hidden: true });
  let isWaiting = false, known = "";
  async function load() {
    try {
      const [{ events }, { total }] = await Promise.all([get("events"), get(unassigned)]);
      const text = JSON.stringify([events, total]);
      if (text === known) return;
      known = text;
      trial.replaceChildren();
      isWaiting = total > 0;
      waiting.hidden = !isWaiting;
      waiting.textContent = t("unassigned", { n: number(total) });
      redraw(list, ...(events.length ? events.map((/** @type {any} */ one) => row(one, isWaiting, { use, useNow, assign })) : [h("li", { class: "quiet" }, t("noEvents"))]));
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
    if (await confirm(t("useNowAsk", { event }), t("useNow"))) await use(event, true);
  }
  async function assign(/** @type {string} */ event) {
    if (await confirm(t("assignAsk", { event }), t("assign"))) await command("assign", { event });
  }
  const name = /** @type {HTMLInputElement} */ (h("input", { maxlength: "200", spellcheck: "false", required: true, dir: "auto" }));
  const form = h("form", { class: "bar", onsubmit: (event) => { event.preventDefault(); use(name.value); } }, h("label", { class: "search" }, t("eventName"), name), h("button", {}, t("use")));
  main.replaceChildren(
    h("h1", {}, t("events")), h("p", {}, t("eventsHelp")), waiting, place, trial, list, h("h2", {}, t("otherEvent")), form,
    h("p", {}, h("button", { onclick: () => command("events/refresh", {}) }, t("askGalleries"))));
  load();
  resume(["events use", "events list", "assign"], place).then((ended) => ended && load());
  addEventListener("board", load);
  return () => removeEventListener("board", load);
}

/** @param {any} one @param {boolean} isWaiting @param {Record<string, (event: string) => void>} actions */
function row(one, isWaiting, actions) {
  const button = (/** @type {string} */ key) => h("button", { "data-key": `${key} ${one.name}`, "aria-label": `${t(key)}: ${one.name}`, onclick: () => actions[key](one.name) }, t(key));
  const facts = [when(one.date).slice(0, 10), one.note, one.target, one.runs ? t("runsOf", { n: number(one.runs) }) : ""].filter(Boolean).join(", ");
  return h(
    "li", {}, h("span", { class: one.chosen ? "good" : "quiet" }, one.chosen ? `✓ ${t("chosen")} ` : ""), h("b", {}, foreign(one.name)), h("p", { class: "quiet", dir: "auto" }, facts),
    h("div", { class: "bar" }, one.chosen ? null : button("use"), button("useNow"), isWaiting ? button("assign") : null));
}
