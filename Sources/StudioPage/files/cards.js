import { get } from "./api.js";
import { facts, foreign, h, quiet, redraw, trouble } from "./dom.js";
import { resume, run } from "./jobs.js";
import { heard } from "./stream.js";
import { bytes, clock, number, t, when } from "./words.js";

/** Milliseconds that an answer is waited for, and that a YES counts which the server does not say again. */
const patience = 4000, most = 6000;

/** What the server said last. */
class Cards {
  /** @type {any} */
  answer = null;
  said = 0;
  /** Asks anew; gives why there is no answer. */
  async ask() {
    const asked = Date.now();
    try {
      const latest = await get("cards", {}, /** @type {any} */ (AbortSignal).timeout?.(patience));
      // What was asked earlier may be answered later, and what was cut off has nothing in it.
      if (asked >= this.said && latest.mounted) [this.answer, this.said] = [latest, asked];
      return null;
    } catch (error) {
      return error.name === "TimeoutError" ? new Error(t("noAnswer")) : error;
    }
  }
  /** What nobody confirmed for a while is not known, also when the clock was set. */
  get isHeard() { return heard() > 0 && Math.abs(Date.now() - this.said) < most; }
}

/** @param {HTMLElement} main */
export function open(main) {
  const mounted = h("ul", { class: "cards" }), earlier = h("ul", { class: "rows" }), trial = h("div", {});
  // How each card's command goes, kept while the list is drawn anew.
  /** @type {Map<string, HTMLElement>} */
  const places = new Map();
  // Why a card is no YES, by the job that said so.
  /** @type {Map<string, any[]>} */
  const reasons = new Map();
  const latest = new Cards();
  let known = "";
  async function load() {
    const error = await latest.ask();
    trial.replaceChildren(...(error ? [trouble(error)] : []));
    draw();
  }
  function draw() {
    const answer = latest.answer;
    if (!answer) return;
    const text = JSON.stringify([answer, latest.isHeard, isOver(answer), [...reasons.keys()]]);
    if (text === known) return;
    known = text;
    const none = h("li", { class: "quiet" }, t("noCards"));
    redraw(mounted, ...(answer.mounted.length ? answer.mounted.map(card) : [none]));
    redraw(earlier, ...answer.cards.map(row));
  }
  function card(one) {
    const place = places.get(one.id) ?? h("div", {}), { pipeline } = latest.answer;
    if (!places.has(one.id)) resume(["plan", "import"], place, one.path);
    places.set(one.id, place);
    if (["NO", "FAILED"].includes(one.proof?.verdict)) explain(one.proof.job);
    const isBusy = one.proof?.verdict === "CHECKING";
    const command = (verb) => async () => {
      const details = await run(`cards/${one.id}/${verb}`, {}, place);
      if (details) load();
    };
    const button = (verb, key) => h("button", { "data-key": `${verb} ${one.id}`, disabled: isBusy && verb === "prove", "aria-label": `${t(key)}: ${one.label || one.path}`, onclick: command(verb) }, t(key));
    const taking = pipeline ? [button("plan", "plan"), button("import", "import")] : [];
    return h(
      "li", {}, h("h2", {}, foreign(one.label || one.path)), h("p", { class: "quiet", dir: "auto" }, one.path), one.readable ? null : h("p", { class: "bad" }, t("unreadable")),
      verdict(one.proof, latest.isHeard), list(one.proof), h("div", { class: "bar" }, button("prove", "prove"), ...taking), pipeline ? null : quiet(t("noPipeline"), h("code", {}, "filmgate studio wedding.yaml")), place);
  }
  // Looks up once why a proof is no YES.
  /** @param {string} job */
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
  const timer = setInterval(draw, 1000), look = () => { draw(); load(); };
  const events = ["cards", "board", "frames"];
  for (const name of events) addEventListener(name, look);
  document.addEventListener("visibilitychange", look);
  // The stream says when something is mounted; where it cannot, and for what is written on a card, this does.
  const again = setInterval(() => !document.hidden && load(), 3000);
  return () => { clearInterval(timer); clearInterval(again); document.removeEventListener("visibilitychange", look); for (const name of events) removeEventListener(name, look); };
}

/** A YES whose time is over, by this clock. */
const isOver = (answer) => answer.mounted.some((one) => one.proof?.until && Date.parse(one.proof.until) <= Date.now());

// One word, and why. A YES that cannot be heard to be withdrawn is none.
/** @param {any} proof @param {boolean} isHeard */
function verdict(proof, isHeard) {
  if (!proof) return h("p", { class: "verdict quiet" }, t("notProven"));
  const time = clock(proof.at);
  if (proof.verdict === "YES" && !isHeard) return h("p", { class: "verdict quiet" }, t("proofLost", { time }));
  if (proof.verdict === "YES" && Date.parse(proof.until) <= Date.now()) return h("p", { class: "verdict wait" }, t("proofOld", { time }));
  const words = {
    CHECKING: ["… CHECKING", "wait", t("proofChecking")], YES: ["✓ YES", "good", t("proofYes", { time, until: clock(proof.until) })], NO: ["✗ NO", "bad", t("proofNo", { time, reason: proof.reason ?? "" })],
    WITHDRAWN: ["✗ NO", "bad", t("proofWithdrawn", { time, reason: proof.reason ?? "" })], FAILED: ["? NO ANSWER", "bad", proof.reason ?? ""],
  };
  const [word, style, more] = words[proof.verdict];
  return h("p", { class: `verdict ${style}`, role: "status" }, h("b", {}, word), ` ${more}`);
}

function row(one) {
  return h("li", {}, foreign(one.source), facts([[t("counts"), t("files", { n: number(one.files), bytes: bytes(one.bytes) })], [t("last"), when(one.last)]]));
}
