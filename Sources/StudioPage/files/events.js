import { get } from "./api.js";
import { foreign, h, redraw, trouble } from "./dom.js";
import { confirm, resume, run } from "./jobs.js";
import { number, t, when } from "./words.js";

/** What the ledger calls it. */
const unassigned = "";

/** @param {HTMLElement} main */
export function open(main) {
  const list = h("ul", { class: "rows" }), place = h("div", {}), trial = h("div", {}), waiting = h("p", { class: "wait", hidden: true });
  let isWaiting = false, known = "";
  async function load() {
    try {
      const [{ events }, held] = await Promise.all([get("events"), get("deliveries", { state: "held,pending", limit: 500 })]);
      const mine = held.deliveries.filter((one) => one.event === unassigned).length;
      const text = JSON.stringify([events, mine]);
      if (text === known) return;
      known = text;
      trial.replaceChildren();
      isWaiting = mine > 0;
      waiting.hidden = !isWaiting;
      waiting.textContent = t("unassigned", { n: number(mine) });
      redraw(list, ...(events.length ? events.map(row) : [h("li", { class: "quiet" }, t("noEvents"))]));
    } catch (error) {
      trial.replaceChildren(trouble(error));
    }
  }
  const command = async (path, body) => {
    await run(path, body, place);
    await load();
  };
  const use = (event, now) => command("events/use", now ? { event, now: "yes" } : { event });
  async function useNow(event) {
    if (await confirm(t("useNowAsk", { event }), t("useNow"))) await use(event, true);
  }
  async function assign(event) {
    if (await confirm(t("assignAsk", { event }), t("assign"))) await command("assign", { event });
  }
  function row(one) {
    const button = (key, action) => h("button", { "data-key": `${key} ${one.name}`, "aria-label": `${t(key)}: ${one.name}`, onclick: () => action(one.name) }, t(key));
    const facts = [when(one.date).slice(0, 10), one.note, one.target, one.runs ? t("runsOf", { n: number(one.runs) }) : ""].filter(Boolean).join(", ");
    return h(
      "li", {}, h("span", { class: one.chosen ? "good" : "quiet" }, one.chosen ? `✓ ${t("chosen")} ` : ""), h("b", {}, foreign(one.name)), h("p", { class: "quiet", dir: "auto" }, facts),
      h("div", { class: "bar" }, one.chosen ? null : button("use", use), button("useNow", useNow), isWaiting ? button("assign", assign) : null));
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
