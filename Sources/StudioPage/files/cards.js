import { get } from "./api.js";
import { facts, foreign, h, redraw, trouble } from "./dom.js";
import { resume, run } from "./jobs.js";
import { heard } from "./stream.js";
import { bytes, clock, number, t, when } from "./words.js";

/** @param {HTMLElement} main */
export function open(main) {
  const mounted = h("ul", { class: "cards" }), earlier = h("ul", { class: "rows" }), trial = h("div", {});
  /** How each card's command goes, kept while the list is drawn anew. @type {Map<string, HTMLElement>} */
  const places = new Map();
  /** Why a card is no YES, by the job that said so. @type {Map<string, any[]>} */
  const reasons = new Map();
  let answer = null, known = "";
  async function load() {
    try {
      answer = await get("cards");
      trial.replaceChildren();
    } catch (error) {
      trial.replaceChildren(trouble(error));
    }
    draw();
  }
  function draw() {
    if (!answer) return;
    const text = JSON.stringify([answer, Boolean(heard()), isOver(answer), [...reasons.keys()]]);
    if (text === known) return;
    known = text;
    const none = h("li", { class: "quiet" }, t("noCards"));
    redraw(mounted, ...(answer.mounted.length ? answer.mounted.map(card) : [none]));
    redraw(earlier, ...answer.cards.map(row));
  }
  function card(one) {
    const place = places.get(one.id) ?? h("div", {});
    if (!places.has(one.id)) resume(["plan", "import"], place, one.path);
    places.set(one.id, place);
    if (["NO", "FAILED"].includes(one.proof?.verdict)) explain(one.proof.job);
    const isBusy = one.proof?.verdict === "CHECKING";
    const command = (verb) => async () => {
      const details = await run(`cards/${one.id}/${verb}`, {}, place);
      if (details) load();
    };
    const button = (verb, key) => h("button", { "data-key": `${verb} ${one.id}`, disabled: isBusy && verb === "prove", "aria-label": `${t(key)}: ${one.label || one.path}`, onclick: command(verb) }, t(key));
    const taking = answer.pipeline ? [button("plan", "plan"), button("import", "import")] : [];
    return h(
      "li", {}, h("h2", {}, foreign(one.label || one.path)), h("p", { class: "quiet", dir: "auto" }, one.path), one.readable ? null : h("p", { class: "bad" }, t("unreadable")),
      verdict(one.proof), list(one.proof), h("div", { class: "bar" }, button("prove", "prove"), ...taking), answer.pipeline ? null : h("p", { class: "quiet" }, t("noPipeline"), h("code", {}, "filmgate studio wedding.yaml")), place);
  }
  /** Looks up once why a proof is no YES. @param {string} job */
  async function explain(job) {
    if (reasons.has(job)) return;
    reasons.set(job, []);
    const details = await get(`jobs/${job}`).catch(() => null);
    if (details) reasons.set(job, details.objects.filter((object) => object.proof));
    known = "";
    draw();
  }
  function list(proof) {
    const rows = reasons.get(proof?.job) ?? [];
    if (!rows.length || proof.verdict === "YES") return null;
    return h("ul", { class: "rows" }, ...rows.slice(0, 10).map((one) => h("li", {}, foreign(one.path), h("p", { class: "quiet", dir: "auto" }, one.reason))));
  }
  main.replaceChildren(h("h1", {}, t("cardsTab")), trial, mounted, h("h2", {}, t("cards")), earlier);
  load();
  const timer = setInterval(draw, 1000), look = () => load();
  const events = ["cards", "board", "frames"];
  for (const name of events) addEventListener(name, look);
  // Cards come and go without anybody saying so.
  const again = setInterval(() => !document.hidden && load(), 3000);
  return () => { clearInterval(timer); clearInterval(again); for (const name of events) removeEventListener(name, look); };
}

/** A YES whose time is over, by this clock. */
const isOver = (answer) => answer.mounted.some((one) => one.proof?.until && Date.parse(one.proof.until) <= Date.now());

/** One word, and why. A YES that cannot be heard to be withdrawn is none. */
function verdict(proof) {
  if (!proof) return h("p", { class: "verdict quiet" }, t("notProven"));
  const time = clock(proof.at);
  if (proof.verdict === "YES" && !heard()) return h("p", { class: "verdict wait" }, t("proofLost", { time }));
  if (proof.verdict === "YES" && Date.parse(proof.until) <= Date.now()) return h("p", { class: "verdict wait" }, t("proofOld", { time }));
  const words = {
    CHECKING: ["… CHECKING", "wait", t("proofChecking")], YES: ["✓ YES", "good", t("proofYes", { time, until: clock(proof.until) })], NO: ["✗ NO", "bad", t("proofNo", { time })],
    WITHDRAWN: ["✗ NO", "bad", t("proofWithdrawn", { time, reason: proof.reason ?? "" })], FAILED: ["? NO ANSWER", "bad", proof.reason ?? ""],
  };
  const [word, style, more] = words[proof.verdict];
  return h("p", { class: `verdict ${style}`, role: "status" }, h("b", {}, word), ` ${more}`);
}

function row(one) {
  return h("li", {}, foreign(one.source), facts([[t("counts"), t("files", { n: number(one.files), bytes: bytes(one.bytes) })], [t("last"), when(one.last)]]));
}
