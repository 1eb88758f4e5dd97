// What a run takes: from where, for which event, and how it is ended.
import { get } from "./api.js";
import { announce, facts, fill, foreign, h } from "./dom.js";
import { endings } from "./history.js";
import { confirm, run } from "./jobs.js";
import { board } from "./stream.js";
import { bytes, mark, number, t, when } from "./words.js";

/** Above the sheet, for those who steer the run. */
export class Taking {
  constructor() {
    this.sources = h("ul", { class: "sources", "aria-label": t("sources") });
    this.ending = h("button", { type: "button", hidden: true, onclick: () => this.end() }, t("endCapture"));
    this.unchosen = h("p", { class: "wait", hidden: true }, `! ${t("noneChosen")} `, h("a", { href: "#/events" }, t("chooseEvent")));
    this.place = h("div", {});
    this.summary = h("section", { hidden: true, "aria-label": t("endCapture") });
    this.element = h("div", { class: "taking" }, this.unchosen, h("div", { class: "bar" }, this.sources, this.ending), this.place, this.summary);
    this.shown = this.asked = "";
    this.isLooked = false;
    // The board as it was drawn last.
    /** @type {any} */
    this.now = null;
    // Of the run that is being ended, once nothing is on its way.
    /** @type {HTMLElement | null} */
    this.done = null;
    this.look = (/** @type {any} */ event) => this.draw(event.detail);
    addEventListener("board", this.look);
    if (board()) this.draw(board());
  }

  close() { removeEventListener("board", this.look); }

  /** @param {any} now */
  draw(now) {
    this.now = now;
    const sources = now.running ? now.sources ?? [] : [], rate = now.running && now.per_minute ? t("perMinute", { n: number(now.per_minute) }) : "", text = JSON.stringify([sources, rate]);
    if (text !== this.shown) fill(this.sources, ...sources.map(source), rate ? h("li", { class: "quiet" }, rate) : null);
    this.shown = text;
    this.sources.hidden = !this.sources.children.length;
    this.ending.hidden = !now.running;
    this.lookForEvent(now);
    if (!this.summary.hidden) this.drawEnd(now);
  }

  // Galleries know events, or frames wait for one, and none was chosen.
  /** @param {any} now */
  async lookForEvent(now) {
    const held = (now.targets ?? []).some((/** @type {any} */ one) => one.held), text = [now.running, now.event, held].join();
    if (text === this.asked) return;
    this.asked = text;
    this.unchosen.hidden = true;
    const isFirst = !this.isLooked;
    this.isLooked = true;
    if (now.running && now.event) return;
    const { events } = await get("events").catch(() => ({ events: [] })), isChosen = !now.running && events.some((/** @type {any} */ one) => one.chosen);
    const isKnown = events.some((/** @type {any} */ one) => one.fetched) || (held && (await get(unassigned).catch(() => ({ total: 0 }))).total > 0);
    if (text !== this.asked) return;
    this.unchosen.hidden = isChosen || !isKnown;
    // Whoever looks already is only told: nobody's page goes away under his hands.
    if (isFirst && now.running && !this.unchosen.hidden && this.element.isConnected && !sessionStorage.getItem(without)) location.replace("#/events/needed");
  }

  /** Nothing new is taken; what was taken goes where it belongs. */
  async end() {
    if (!(await confirm(t("endAsk"), t("endCapture")))) return;
    if ((await run("pause", {}, this.place))?.exit !== 0) return;
    this.place.replaceChildren();
    this.done = null;
    this.summary.hidden = false;
    this.drawEnd(this.now);
  }

  /** @param {any} now */
  drawEnd(now) {
    const sum = (/** @type {string} */ name) => (now.targets ?? []).reduce((/** @type {number} */ all, /** @type {any} */ one) => all + (one[name] ?? 0), 0);
    const open = now.unfinished + sum("pending"), held = sum("held") + sum("failed"), isOver = !open || !now.running;
    if (!isOver) this.done = null;
    else if (!this.done) { tell(this.done = h("div", {})); announce(t("endOver"), true); }
    const go = h("button", { type: "button", "data-key": "go", hidden: !now.running, onclick: async () => { if ((await run("resume", {}, this.place))?.exit === 0) this.leave(); } }, t("goOn"));
    const parts = [
      h("h2", {}, t("endCapture")), h("p", { class: open ? "wait" : "good" }, open ? `… ${t("endWaits", { n: number(open) })}` : `✓ ${t("endOver")}`),
      held ? h("p", { class: "bad" }, `! ${t("endHeld", { n: number(held) })} `, h("a", { href: "#/deliveries" }, t("deliveries"))) : null, this.done,
      h("div", { class: "bar" }, go, h("button", { type: "button", "data-key": "close", onclick: () => this.leave() }, t("close"))),
    ];
    const key = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset.key;
    fill(this.summary, ...parts);
    if (key) /** @type {HTMLElement | null} */ (this.summary.querySelector(`[data-key="${key}"]`))?.focus();
  }

  leave() {
    this.summary.hidden = true;
    this.place.replaceChildren();
    this.ending.focus();
  }
}

const without = "filmgate-without-event";
/** This tab takes pictures that belong to no event. */
export const withoutEvent = () => sessionStorage.setItem(without, "yes");

/** What waits until somebody says its event. */
export const unassigned = "deliveries?without=event&state=held,pending&limit=1";

// What the run did.
/** @param {HTMLElement} place */
async function tell(place) {
  try {
    const { runs } = await get("runs", { limit: 20 }), one = runs.find((/** @type {any} */ each) => each.running) ?? runs[0];
    if (!one) return;
    const totals = await Promise.all(endings.map((ending) => get("frames", { run: one.run, ending, limit: 1 })));
    const words = endings.map((ending, index) => (totals[index].total ? `${number(totals[index].total)} ${mark(ending).word}` : "")).filter(Boolean).join(", ");
    fill(place, facts([[t("started"), when(one.started)], [t("eventWord"), one.event], [t("counts"), words || t("nothing")]]), h("p", {}, h("a", { href: `#/run/${one.run}` }, t("run", { n: one.run }))));
  } catch { /* The page of the run has it, too. */ }
}

/** @param {any} one */
function source(one) {
  const rooms = (one.storages ?? []).map((/** @type {any} */ room) => t("free", { room: bytes(room.free) }));
  const parts = [one.module ? t("takenBy", { module: one.module }) : "", Number.isInteger(one.battery) ? t("battery", { n: one.battery }) : "", ...rooms, ...(one.notes ?? []), one.words].filter(Boolean);
  return h("li", { class: one.up ? null : "bad" }, one.up ? "✓ " : `✗ ${t("gone")} `, foreign(one.name, "b"), " ", foreign(parts.join(" · ")), ...(one.alarms ?? []).map((/** @type {string} */ words) => h("span", { class: "wait", dir: "auto" }, ` ! ${words}`)));
}
