import { forgetKey, get, hasKey, pair } from "./api.js";
import { byId, h, trouble } from "./dom.js";
import { showGate } from "./pairing.js";
import { t } from "./words.js";

const main = byId("main");
const pages = {
  capture: () => import("./capture.js"), deliveries: () => import("./deliveries.js"), history: () => import("./history.js"),
  run: () => import("./history.js"), file: () => import("./file.js"), profile: () => import("./profile.js"),
};
const tabs = ["capture", "deliveries", "history", "profile"];
/** @type {{role: string} | null} */
let session = null;
/** What the page on show needs to be told when it goes. */
let leave = () => {};
let seen = Date.now(), wait = 3000, timer = 0, shown = "";

function drawTabs() {
  const now = location.hash.split("/")[1] || "capture";
  const current = { run: "history", file: "capture" }[now] ?? now;
  byId("tabs").replaceChildren(...tabs.map((name) => h("a", { href: `#/${name}`, "aria-current": name === current ? "page" : null }, t(name))));
}

async function show() {
  if (!session) return;
  const [, name = "capture", ...rest] = location.hash.split("/"), page = name in pages ? name : "capture", asked = location.hash;
  leave();
  leave = () => {};
  drawTabs();
  main.className = "";
  main.replaceChildren(h("p", { class: "quiet" }, t("loading")));
  shown = asked;
  try {
    const module = await pages[page]();
    if (shown !== asked) return;
    leave = module.open(main, { page, session, rest: rest.map(decodeURIComponent) }) ?? leave;
  } catch (error) {
    main.replaceChildren(trouble(error));
  }
  document.title = `${t(tabs.includes(page) ? page : "history")} · Filmgate Studio`;
  if (document.activeElement === document.body) main.focus();
}

/** The worst thing first, as words. @param {any} board */
function health(board) {
  const targets = board.targets ?? [], sum = (key) => targets.reduce((all, target) => all + (target[key] ?? 0), 0);
  if (sum("held")) return [t("held", { n: sum("held") }), "wait"];
  if (sum("failed")) return [t("failed", { n: sum("failed") }), "bad"];
  if (board.assets.setAside) return [t("setAside", { n: board.assets.setAside }), "bad"];
  if (board.assets.pending) return [t("waiting", { n: board.assets.pending }), "wait"];
  return [t("well"), "good"];
}

async function look() {
  clearTimeout(timer);
  if (!session || document.hidden) return;
  try {
    const board = await get("board"), [words, style] = health(board);
    [seen, wait] = [Date.now(), 3000];
    byId("event").textContent = board.event ?? t("noEvent");
    byId("run").textContent = t(board.running ? (board.paused ? "paused" : "taking") : "noRun");
    if (byId("health").textContent !== words) byId("health").textContent = words;
    byId("health").className = style;
    dispatchEvent(new CustomEvent("board", { detail: board }));
  } catch (error) {
    wait = Math.min(15000, wait * 2);
    if (!("status" in error)) {
      byId("health").textContent = t("lost", { n: Math.round((Date.now() - seen) / 1000) });
      byId("health").className = "bad";
    }
  }
  timer = setTimeout(look, wait * (0.75 + Math.random() / 2));
}

function gate(error) {
  session = null;
  leave();
  leave = () => {};
  byId("tabs").replaceChildren();
  for (const id of ["event", "run", "health"]) byId(id).textContent = "";
  showGate(main, begin, error);
}

async function begin() {
  try {
    session = await get("session");
    await show();
    look();
  } catch (error) {
    if (error.status === 401) {
      forgetKey();
      return gate();
    }
    main.replaceChildren(trouble(error));
    setTimeout(begin, 3000);
  }
}

async function start() {
  const code = new URLSearchParams(location.hash.slice(1)).get("k");
  if (code) {
    // A link is used once: neither the address bar nor the history keeps it.
    history.replaceState(null, "", "/#/capture");
    try { await pair(code); } catch (error) { if (!hasKey()) return gate(error); }
  }
  if (hasKey()) await begin(); else gate();
}

addEventListener("hashchange", () => (location.hash.startsWith("#k=") ? start() : show()));
addEventListener("unpaired", () => session && gate());
addEventListener("online", look);
document.addEventListener("visibilitychange", look);
start();
