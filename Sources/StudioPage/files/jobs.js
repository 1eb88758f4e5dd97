// Commands that are begun from the page: how far they are, and how they ended.
import { get, post, remove } from "./api.js";
import { fill, foreign, h, trouble } from "./dom.js";
import { exitWord, mark, number, t } from "./words.js";

// A button about one of many things.
/** @param {string} key @param {string} about @param {string} id @param {() => void} action */
export const button = (key, about, id, action) => h("button", { "data-key": `${key} ${id}`, "aria-label": `${t(key)}: ${about}`, onclick: action }, t(key));

// What became of its files, as one line.
/** @param {any} job */
function counts(job) {
  const words = Object.entries(job.counts).map(([word, count]) => `${number(/** @type {number} */ (count))} ${mark(word).word}`);
  return words.join(", ");
}

/** @param {any} job */
export function outcome(job) {
  if (job.state === "running") return [t("jobRunning"), "wait", "…"];
  if (job.state === "stopped") return [t("jobStopped"), "wait", "‖"];
  if (job.verb === "doctor" && job.exit === 1) return [t("foundProblems"), "bad", "!"];
  return [exitWord(job.exit), job.exit === 0 || job.exit === 9 ? "good" : "bad", job.exit === 0 || job.exit === 9 ? "✓" : "!"];
}

// Errors in the command's own words, with what to do.
/** @param {any} details */
const errors = (details) => (details?.objects ?? []).filter((object) => object.type === "error").slice(0, 5).map((error) => trouble(error));

// A QR code of rows of 0 and 1, dark on light with its quiet zone.
/** @param {string[]} rows */
export function picture(rows) {
  const name = "http://www.w3.org/2000/svg", size = rows.length + 8, svg = document.createElementNS(name, "svg");
  /** @param {string} tag @param {Record<string, string>} values */
  const add = (tag, values) => { const part = document.createElementNS(name, tag); for (const [key, value] of Object.entries(values)) part.setAttribute(key, value); svg.append(part); };
  for (const [key, value] of Object.entries({ viewBox: `0 0 ${size} ${size}`, class: "qr", role: "img", "aria-label": t("qrOf") })) svg.setAttribute(key, value);
  add("rect", { width: `${size}`, height: `${size}`, fill: "#fff" });
  add("path", { d: rows.flatMap((row, y) => [...row].map((bit, x) => (bit === "1" ? `M${x + 4} ${y + 4}h1v1h-1z` : ""))).join(""), fill: "#000" });
  return svg;
}

// Where somebody is to sign in. Only an address of the web is a link.
/** @param {any} details */
function invitation(details) {
  const one = (details?.objects ?? []).filter((/** @type {any} */ object) => object.type === "invitation").at(-1), address = one?.complete_url ?? one?.url;
  if (!address || !/^https?:\/\//.test(address)) return null;
  return h(
    "div", {}, h("p", {}, t("invited"), " ", h("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, foreign(one.url))),
    one.code ? h("p", {}, t("invitedCode"), " ", h("code", { class: "secret" }, one.code)) : null, one.qr ? picture(one.qr) : null);
}

// What was refused while its place shows another job.
/** @type {WeakMap<HTMLElement, HTMLElement>} */
const refused = new WeakMap();

/** @param {HTMLElement} place @param {any} job @param {any} [details] */
function draw(place, job, details) {
  const [words, style, sign] = outcome(job), all = counts(job), isRunning = job.state === "running";
  const stop = h("button", { "data-key": `stop ${job.id}`, onclick: () => remove(`jobs/${job.id}`).catch(() => {}) }, t("stop"));
  const last = (details?.lines ?? []).slice(-5);
  fill(
    place, h("p", { class: style }, `${sign} ${t(`verb ${job.verb}`)}`, job.about ? ": " : "", job.about ? foreign(job.about) : "", ` – ${words}${all ? ` (${all})` : ""} `, isRunning ? stop : null),
    isRunning ? invitation(details) : null, ...errors(details), last.length && job.exit ? h("pre", { class: "lines", dir: "auto", tabindex: "0", "aria-label": t("said") }, last.join("\n")) : null, refused.get(place));
}

/**
 * Begins a command and shows in `place` how it goes; gives everything that is known of it when it has ended, null where it could not begin.
 * @param {string} path @param {object} body @param {HTMLElement} place
 */
export async function run(path, body, place) {
  refused.delete(place);
  try {
    return await follow(await post(path, body), place);
  } catch (error) {
    // The same may be under way already, begun by another tab: then that one is shown, and nothing else as if it were this.
    const other = error.code === "busy" ? /jobs\/(\w+)/.exec(error.advice)?.[1] : undefined;
    const going = other ? await get(`jobs/${other}`).catch(() => null) : null;
    if (going) return follow(going, place);
    refused.set(place, trouble(/** @type {Error} */ (error)));
    fill(place, refused.get(place));
    return null;
  }
}

/**
 * Shows what was begun before, by this page or another, and still goes on; null where nothing does.
 * @param {string[]} verbs @param {HTMLElement} place @param {string} [about]
 */
export async function resume(verbs, place, about) {
  const { jobs } = await get("jobs").catch(() => ({ jobs: [] }));
  const job = jobs.find((one) => one.state === "running" && verbs.includes(one.verb) && (about === undefined || one.about === about));
  return job ? follow(job, place) : null;
}

/** @param {any} begun @param {HTMLElement} place */
async function follow(begun, place) {
  place.setAttribute("role", "status");
  draw(place, begun);
  if (begun.state === "running") await new Promise((resolve) => {
    /** @param {any} job */
    const take = (job) => {
      if (job.id !== begun.id) return;
      if (job.state === "running" && job.verb === "login") return void get(`jobs/${job.id}`).then((details) => { if (details.state === "running") draw(place, details, details); }, () => {});
      draw(place, job);
      if (job.state === "running") return;
      removeEventListener("job", hear);
      clearInterval(timer);
      resolve(undefined);
    };
    const hear = (/** @type {any} */ event) => take(event.detail);
    // The stream may be away just then.
    const timer = setInterval(() => get(`jobs/${begun.id}`).then(take, () => {}), 2000);
    addEventListener("job", hear);
  });
  const details = await get(`jobs/${begun.id}`);
  draw(place, details, details);
  return details;
}

// Asks before something that cannot be taken back.
/** @param {string} question @param {string} answer @param {Node | string} [field] what is to be said besides */
export function confirm(question, answer, field = "") {
  return new Promise((resolve) => {
    const no = h("button", { type: "button", autofocus: true, onclick: () => dialog.close("no") }, t("no"));
    const form = h("form", { onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); dialog.close("yes"); } }, h("p", { id: "question" }, question), field, h("div", { class: "bar" }, no, h("button", {}, answer)));
    const dialog = /** @type {HTMLDialogElement} */ (h("dialog", { "aria-labelledby": "question" }, form));
    const before = /** @type {HTMLElement | null} */ (document.activeElement);
    dialog.addEventListener("close", () => {
      dialog.remove();
      before?.focus();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
