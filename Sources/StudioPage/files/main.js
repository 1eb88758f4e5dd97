import { maySteer } from "./marks.js";
import { forgetKey, get, hasKey, keyHeader, pair, post } from "./api.js";
import { announce, byId, h, quiet, trouble } from "./dom.js";
import { confirm } from "./jobs.js";
import { everywhere } from "./keys.js";
import { showGate } from "./pairing.js";
import { note } from "./pace.js";
import { heard, listen, stop } from "./stream.js";
import { t } from "./words.js";

const main = byId("main");
const pages = {
  capture: () => import("./capture.js"), deliveries: () => import("./deliveries.js"), history: () => import("./history.js"),
  run: () => import("./history.js"), file: () => import("./file.js"), profile: () => import("./profile.js"),
  events: () => import("./events.js"), cards: () => import("./cards.js"), pipeline: () => import("./tools.js"), doctor: () => import("./tools.js"), show: () => import("./show.js"), stations: () => import("./stations.js"),
};
const tabs = ["events", "capture", "cards", "deliveries", "history", "stations", "pipeline", "doctor", "profile"];
/** Where there is little room, these are found under the last one. */
const further = ["history", "stations", "pipeline", "doctor"];
/** For those who steer; the rest is for everybody, but for the pipeline and for stations. */
const steering = ["events", "cards", "deliveries", "history", "doctor"];
/** @param {string} name @returns {boolean} */
const mayOpen = (name) => (name === "stations" ? Boolean(session?.catalog) : name === "pipeline" ? session?.role === "admin" : !steering.includes(name) || maySteer(session));
// What a tab is called.
/** @param {string} name */
const title = (name) => t(name === "cards" ? "cardsTab" : name);
/** @type {{role: string, catalog: boolean, event?: string | null} | null} */
let session = null;
/** What the page on show needs to be told when it goes. */
let leave = () => {};
let seen = Date.now(), shown = "", said = "";
// What the server said last.
/** @type {any} */
let known = null;

function drawTabs() {
  const now = location.hash.split("/")[1] || "capture";
  const current = { run: "history", file: "capture", show: "capture" }[now] ?? now;
  byId("tabs").replaceChildren(...tabs.filter(mayOpen).map((name) => h("a", { href: `#/${name}`, class: further.includes(name) ? "further" : null, "aria-current": name === current ? "page" : null }, title(name))));
}

async function show() {
  if (!session) return;
  const [, name = "capture", ...rest] = location.hash.split("/"), page = name in pages ? name : "capture", asked = location.hash;
  leave();
  leave = () => {};
  drawTabs();
  main.className = "";
  main.replaceChildren(quiet(t("loading")));
  shown = asked;
  try {
    if (page !== "stations" && !mayOpen(page)) main.replaceChildren(h("h1", {}, title(page)), h("p", {}, t("unfit")));
    else {
      const module = await pages[page]();
      if (shown !== asked) return;
      leave = module.open(main, { page, session, mayOpen, rest: rest.map(decodeURIComponent) }) ?? leave;
    }
  } catch (error) {
    main.replaceChildren(trouble(error));
  }
  document.title = `${page === "show" ? t("secondScreen") : title(tabs.includes(page) ? page : "history")} · Filmgate Studio`;
  if (document.activeElement === document.body) main.focus();
}

// The worst thing first, as words.
/** @param {any} board */
function health(board) {
  const targets = board.targets ?? [], sum = (key) => targets.reduce((all, target) => all + (target[key] ?? 0), 0);
  if (sum("held")) return [t("held", { n: sum("held") }), "wait"];
  if (sum("failed")) return [t("failed", { n: sum("failed") }), "bad"];
  if (board.assets.setAside) return [t("setAside", { n: board.assets.setAside }), "bad"];
  const waiting = Math.max(board.assets.pending, sum("pending"));
  if (waiting) return [t("waiting", { n: waiting }), "wait"];
  return [t("well"), "good"];
}

/** @param {any} board */
function showBoard(board) {
  known = board;
  note(board);
  const isLocked = Boolean(board.running && board.event);
  // A client's link is for one event; whoever else may only look is not told whether there is one.
  byId("event").textContent = session?.event ?? board.event ?? (mayOpen("events") ? t("noEvent") : "");
  byId("event").classList.toggle("padlock", isLocked);
  byId("event").title = isLocked ? t("lockedOf", { event: board.event }) : "";
  byId("run").textContent = t(board.running ? (board.paused ? "paused" : "taking") : "noRun");
  const pause = byId("pause");
  pause.hidden = !board.running || !maySteer(session);
  pause.textContent = t(board.paused ? "goOn" : "pause");
  pause.onclick = () => takeOrNot(!board.paused);
  showAge();
  dispatchEvent(new CustomEvent("board", { detail: board }));
}

/** @param {boolean} isPaused */
const takeOrNot = (isPaused) => post(isPaused ? "pause" : "resume", {}).catch((error) => announce(error.message, true));

/** The same by a key, which may have been hit by mistake. */
async function askToPause() {
  if (byId("pause").hidden) return;
  const { paused } = known;
  if (await confirm(t(paused ? "goOnAsk" : "pauseAsk"), t(paused ? "goOn" : "pause"))) takeOrNot(!paused);
}

// Said aloud only when it is worse or better, not for each number.
/** @param {string} words @param {string} style */
function showHealth(words, style) {
  const place = byId("health");
  if (place.textContent !== words) place.textContent = words;
  place.className = style;
  if (said && said !== style) announce(() => byId("health").textContent ?? "");
  said = style;
}

/** What is old must look old. */
function showAge() {
  if (!session) return;
  if (heard()) seen = heard();
  const isOld = !heard() && Date.now() - seen > 3000;
  document.body.classList.toggle("old", isOld);
  if (isOld) return showHealth(t("lost", { n: Math.round((Date.now() - seen) / 1000) }), "bad");
  const [words, style] = known ? health(known) : ["", ""];
  if (words) showHealth(words, style);
}

/** Everything that is shown is read anew: changes were lost, or nobody told of them for a while. */
async function readAnew() {
  if (!session) return;
  try { showBoard(await get("board")); } catch { /* The stream tells when it is back. */ }
  dispatchEvent(new CustomEvent("frames", { detail: null }));
}

function gate(error) {
  session = known = null;
  said = "";
  stop();
  document.body.classList.remove("old");
  leave();
  leave = () => {};
  byId("tabs").replaceChildren();
  for (const id of ["event", "run", "health"]) byId(id).textContent = "";
  byId("pause").hidden = true;
  showGate(main, begin, error);
}

/** @param {Error} [refused] why a link did not open a session: where there is no other one either, that is told */
async function begin(refused) {
  try {
    session = await get("session");
    seen = Date.now();
    await show();
    listen(keyHeader);
  } catch (error) {
    if (error.status === 401) {
      forgetKey();
      return gate(refused);
    }
    main.replaceChildren(trouble(error));
    setTimeout(begin, 3000);
  }
}

async function start() {
  const code = new URLSearchParams(location.hash.slice(1)).get("k");
  /** @type {Error | undefined} */
  let refused;
  if (code) {
    // A link is used once: neither the address bar nor the history keeps it.
    history.replaceState(null, "", "/#/capture");
    try { await pair(code); } catch (error) { refused = error; }
  }
  // What a second screen is opened at.
  if (location.pathname === "/show") history.replaceState(null, "", "/#/show");
  if (hasKey()) await begin(refused); else gate(refused);
}

addEventListener("hashchange", () => (location.hash.startsWith("#k=") ? start() : show()));
addEventListener("unpaired", () => session && gate());
everywhere(() => session !== null, askToPause);
addEventListener("stream-board", (event) => session && showBoard(/** @type {CustomEvent} */ (event).detail));
addEventListener("stream-reset", readAnew);
addEventListener("stream-lost", showAge);
setInterval(showAge, 1000);
start();
