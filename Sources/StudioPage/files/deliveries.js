import { accounts } from "./accounts.js";
import { get } from "./api.js";
import { facts, fill, foreign, h, redraw, stated, trouble } from "./dom.js";
import { button, confirm, resume, run } from "./jobs.js";
import { pace } from "./pace.js";
import { bytes, files, mark, number, t, when } from "./words.js";

/** @param {HTMLElement} main */
export function open(main) {
  const targets = h("ul", { class: "cards" }), going = h("div", {}), signing = h("div", {}), rows = h("ul", { class: "rows" }), place = h("div", {}), count = h("p", { class: "quiet", role: "status" });
  const state = h("select", { onchange: () => load() }, ...["", "held", "failed", "pending"].map((word) => h("option", { value: word }, word ? mark(word).word : t("any"))));
  const more = h("button", { hidden: true, onclick: () => load(next) }, t("more"));
  /** @type {[any, HTMLElement][]} */
  let paces = [];
  let next = 0, known = "";
  async function load(at = 0) {
    try {
      const answer = await get("deliveries", { state: /** @type {HTMLSelectElement} */ (state).value, at, limit: 100 });
      const text = JSON.stringify(answer);
      if (at === 0 && text === known) return;
      if (at === 0) known = text;
      place.replaceChildren();
      // A target is another one for each event, and is called the same.
      const isAlone = (one) => answer.targets.filter((other) => other.name === one.name).length === 1;
      paces = answer.targets.map((one) => [one, h("p", { class: "bar" })]);
      redraw(targets, ...paces.map(([one, place]) => target(one, command, isAlone(one), signIn, place)));
      drawPaces();
      if (!answer.targets.length) place.replaceChildren(h("p", {}, t("nothingYet")));
      const drawn = answer.deliveries.map((one) => row(one, command));
      if (at === 0) redraw(rows, ...drawn); else rows.append(...drawn);
      count.textContent = files(answer.total);
      next = answer.next ?? 0;
      more.hidden = answer.next === null;
    } catch (error) {
      place.replaceChildren(trouble(error));
    }
  }
  const drawPaces = () => { for (const [one, place] of paces) fill(place, ...pace(one)); };
  const command = async (path, body) => {
    await run(path, body, going);
    known = "";
    await load();
  };
  // Beside the targets, which are drawn anew: what was begun there goes on.
  const signIn = () => { signing.replaceChildren(...accounts(true)); signing.scrollIntoView({ block: "nearest" }); };
  main.replaceChildren(
    h("h1", {}, t("deliveries")), h("div", { class: "bar" }, h("button", { onclick: () => command("retry", {}) }, t("retryAll"))), going, signing, place, targets, h("h2", {}, t("open")), h("div", { class: "bar" }, h("label", {}, t("state"), state), count), rows, more);
  load();
  resume(["retry", "cancel"], going).then((ended) => ended && load());
  get("jobs").then(({ jobs }) => jobs.some((job) => job.verb === "login" && job.state === "running") && signIn(), () => {});
  // What was opened further down stays.
  const look = () => rows.children.length <= 100 && load();
  addEventListener("board", look);
  addEventListener("pace", drawPaces);
  return () => { removeEventListener("board", look); removeEventListener("pace", drawPaces); };
}

/** One word for a target: the worst thing first. */
function verdict(target) {
  if (target.held) return [t("verdictHeld", { n: number(target.held) }), "wait", "‖"];
  if (target.failed) return [t("verdictFailed", { n: number(target.failed) }), "bad", "!"];
  if (target.denied) return [t("denied", { n: number(target.denied) }), "bad", "!"];
  if (target.pending) return [t("verdictWaiting", { n: number(target.pending) }), "wait", "…"];
  return [t("verdictWell"), "good", "✓"];
}

// Whether a delivery can be tried again: what waits for its event or for a mark cannot.
/** @param {any} one */
export const mayTry = (one) => one.event !== "" && (["held", "failed"].includes(one.state) || one.next_try);

// The request for that delivery alone.
/** @param {any} one */
export const again = (one) => ({ target: one.target, selection: { sha256: [one.content] }, ...(one.state === "failed" ? { failed: "yes" } : {}) });

// Two events have targets of one name: what is told from others by its place is called so, as far as a request takes it.
/** @param {string} identity @param {string} name */
const placeOf = (identity, name) => (new TextEncoder().encode(identity).length <= 256 ? identity : name);

// The buttons that help.
/** @param {any} one @param {(path: string, body: object) => Promise<void>} command */
function buttons(one, command) {
  const open = one.pending + one.held + one.failed;
  const takeBack = async () => { if (await confirm(t("takeBackAsk", { n: number(open), target: one.name }), t("takeBack"))) await command("cancel", { target: placeOf(one.identity, one.name) }); };
  return h(
    "div", { class: "bar" }, one.pending + one.held ? button("retry", one.name, one.identity, () => command("retry", { target: one.name })) : null,
    one.failed ? button("retryFailed", one.name, one.identity, () => command("retry", { target: one.name, failed: "yes" })) : null, open ? button("takeBack", one.name, one.identity, takeBack) : null);
}

function target(one, command, isAlone, signIn, place) {
  const [words, style, sign] = verdict(one), name = foreign(one.name);
  const counts = t("countsOf", { done: number(one.done), pending: number(one.pending), held: number(one.held), failed: number(one.failed) });
  const waits = one.pending + one.held + one.failed > 0;
  return h("li", {}, h("h2", {}, name), isAlone ? null : h("p", { class: "quiet", dir: "auto" }, one.identity), h("p", { class: style }, `${sign} ${words}`), place, facts([
    [t("counts"), counts], [t("bytesWaiting"), one.bytes_waiting ? bytes(one.bytes_waiting) : ""], [t("oldest"), when(one.oldest_waiting)],
    [t("nextTry"), when(one.next_try)], [t("reason"), waits ? one.reason : one.denied_reason],
  ]), buttons(one, command), one.held ? h("p", {}, button("signIns", one.name, one.identity, signIn)) : null);
}

function row(one, command) {
  const takeBack = async () => { if (await confirm(t("takeBackOneAsk", { name: one.name || one.content, target: one.target }), t("takeBack"))) await command("cancel", { target: placeOf(one.identity, one.target), file: one.content }); };
  const state = mark(one.state), name = one.name || one.content, id = `${one.identity} ${one.content}`;
  return h("li", {}, stated(state), foreign(name), " → ", foreign(one.target), one.reason ? h("p", { class: "quiet", dir: "auto" }, one.reason) : null, " ", mayTry(one) ? button("retry", name, id, () => command("retry", again(one))) : null, " ", button("takeBack", name, id, takeBack));
}
