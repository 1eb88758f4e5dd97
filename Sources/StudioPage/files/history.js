import { get } from "./api.js";
import { facts, foreign, h, quiet, stated, trouble } from "./dom.js";
import { bytes, files, mark, number, t, when } from "./words.js";

export const endings = ["delivered", "duplicate", "alreadySeen", "filtered", "setAside", "pending"];

/** @param {HTMLElement} main @param {{page: string, rest: string[]}} context */
export function open(main, { page, rest }) {
  if (page === "run") return void showRun(main, rest[0]);
  const place = h("div", {}), runs = h("ul", { class: "rows" }), cards = h("ul", { class: "rows" });
  main.replaceChildren(h("h1", {}, t("history")), search(place), place, h("h2", {}, t("runs")), runs, h("h2", {}, t("cards")), cards);
  fill(runs, "runs", (answer) => answer.runs, runRow);
  fill(cards, "cards", (answer) => answer.cards, cardRow);
}

async function fill(list, path, rows, row) {
  try {
    const all = rows(await get(path));
    list.replaceChildren(...(all.length ? all.map(row) : [h("li", { class: "quiet" }, t("nothingYet"))]));
  } catch (error) {
    list.replaceChildren(h("li", {}, trouble(error)));
  }
}

/** Over all files, as it is typed; an older answer never replaces a newer one. */
function search(place) {
  let abort = new AbortController();
  async function look(event) {
    abort.abort();
    const own = (abort = new AbortController()), q = event.target.value.trim();
    if (!q) return place.replaceChildren();
    try {
      const answer = await get("frames", { q, limit: 50 }, own.signal);
      const rows = answer.frames.map((frame) => h("li", {}, fileLink(frame)));
      place.replaceChildren(h("p", { role: "status", class: "quiet" }, answer.total ? files(answer.total) : t("nothing")), h("ul", { class: "rows" }, ...rows));
    } catch (error) {
      if (error.name !== "AbortError") place.replaceChildren(trouble(error));
    }
  }
  return h("form", { class: "bar", role: "search", onsubmit: (event) => event.preventDefault() }, h("label", { class: "search" }, t("search"), h("input", { type: "search", oninput: look, maxlength: "200", spellcheck: "false" })));
}

function fileLink(frame) {
  const state = mark(frame.ending);
  return h("span", {}, stated(state), h("a", { href: `#/file/${frame.id}`, dir: "auto" }, frame.path), " ", h("span", { class: "quiet" }, when(frame.captured)));
}

function outcome(run) {
  if (run.running) return t("running");
  if (run.ended === null) return t("brokeOff");
  const counts = endings.filter((ending) => run[ending]).map((ending) => `${number(run[ending])} ${mark(ending).word}`);
  return counts.join(", ") || t("nothing");
}

const runRow = (run) => h("li", {}, h("a", { href: `#/run/${run.run}` }, t("run", { n: run.run })), ` ${run.verb}, ${when(run.started)}: ${outcome(run)} `, run.event ? foreign(run.event) : null);
const cardRow = (card) => h("li", {}, foreign(card.source), quiet(`${card.via}, ${t("files", { n: number(card.files), bytes: bytes(card.bytes) })}, ${when(card.last)}`));

async function showRun(main, id) {
  const rows = h("ul", { class: "rows" }), place = h("div", {}), head = h("div", {}), more = h("button", { hidden: true, onclick: () => load(next) }, t("more"));
  let next = 0;
  async function load(at) {
    try {
      const answer = await get(`runs/${encodeURIComponent(id)}`, { at, limit: 100 }), { run } = answer;
      head.replaceChildren(facts([
        [t("started"), when(run.started)], [t("ended"), when(run.ended)], [t("eventWord"), run.event], [t("exit"), run.exit === null ? "" : String(run.exit)], [t("counts"), outcome(run)],
      ]));
      rows.append(...answer.items.map(itemRow));
      next = answer.next ?? 0;
      more.hidden = answer.next === null;
    } catch (error) {
      place.replaceChildren(trouble(error));
    }
  }
  main.replaceChildren(h("h1", {}, t("run", { n: id })), h("p", {}, h("a", { href: "#/history" }, t("back"))), place, head, rows, more);
  await load(0);
}

function itemRow(item) {
  const state = mark(item.ending);
  return h("li", {}, stated(state), foreign(item.path), item.reason ? h("p", { class: "quiet", dir: "auto" }, item.reason) : null);
}
