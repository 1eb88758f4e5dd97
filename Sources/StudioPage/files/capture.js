import { announce, fill, h, trouble } from "./dom.js";
import { Big } from "./big.js";
import { Marking, buttons, hasLetters, help, mayMark, meaning } from "./marks.js";
import { address, hasPicture } from "./pictures.js";
import { Sheet, fileName } from "./sheet.js";
import { camera, files, mark, number, t, when } from "./words.js";

const seen = "jpeg,raw,heif,image,video";
/** The filter stays while the page is open. */
let filter = { kind: seen };

/** @param {HTMLElement} main @param {{session: {role: string}}} context */
export function open(main, { session }) {
  const newest = h("section", { class: "newest", "aria-label": t("newest") }), count = h("p", { class: "quiet", role: "status" }), place = h("div", {});
  const sheet = new Sheet((id) => { location.hash = `#/file/${id}`; }, changed, (error) => place.replaceChildren(trouble(error)));
  /** @param {number} total @param {any} frame @param {number} more */
  function changed(total, frame, more) {
    place.replaceChildren();
    count.textContent = total ? files(total) : t(filter.q || filter.ending ? "nothing" : "nothingYet");
    newest.hidden = !frame;
    if (frame) fill(newest, ...about(frame));
    if (more > 0) announce(t("newFrames", { n: more }));
    big.draw(0);
  }
  const following = h("button", { "aria-pressed": "false", onclick: () => follow() }, t("follow"));
  const follow = () => {
    sheet.isFollowing = !sheet.isFollowing;
    following.setAttribute("aria-pressed", String(sheet.isFollowing));
    if (sheet.isFollowing && sheet.total) sheet.move(-Infinity);
    big.draw(0);
  };
  const marking = mayMark(session) ? new Marking(sheet, sheet.selection, (error) => place.replaceChildren(trouble(error))) : null;
  const big = new Big(sheet, follow, marking);
  sheet.others = (event) => act(event, false);
  big.others = (event) => act(event, true);
  /** @param {KeyboardEvent} event @param {boolean} isAlone @returns {boolean} */
  function act(event, isAlone) {
    const asked = meaning(event);
    if (!asked || (asked === "clear" && (isAlone || sheet.selection.isEmpty)) || (isAlone && asked === "all")) return false;
    if (asked === "help") help();
    else if (asked === "clear") sheet.selection.clear();
    else if (asked === "all") sheet.selection.all();
    else if (!marking) return false;
    else if (asked === "undo") marking.undo();
    else if (asked === "toggle") marking.toggle(isAlone);
    else marking.mark(asked, isAlone);
    return true;
  }
  sheet.enlarge = () => big.open();
  sheet.loaded = () => big.draw(0);
  main.className = "wide";
  fill(main, h("h1", { class: "unseen" }, t("capture")), bar(sheet, count, following), marking && tools(sheet, marking), place, newest, sheet.grid, big.dialog);
  sheet.setFilter(filter);
  let timer = 0, due = 0, latest = 0, isUnnamed = false;
  // What was told is shown at once. Where that is not all, the list is read again a moment later, else only to be sure; once for many.
  const look = (event) => {
    const { frames } = event.detail ?? {}, isTold = Boolean(frames?.length) && sheet.patch(frames), time = Date.now() + (isTold ? 2000 : 200);
    if (!event.detail) sheet.isStale = true; else latest = event.detail.revision;
    // What was not named may be anywhere in the list.
    isUnnamed ||= !frames?.length;
    if (timer && due <= time) return;
    clearTimeout(timer);
    due = time;
    // What a stream begins with is mostly what was just read.
    timer = setTimeout(() => {
      timer = 0;
      const isOther = sheet.revision !== latest;
      if (isOther && isUnnamed) sheet.isStale = true;
      isUnnamed = false;
      if (sheet.isStale || isOther) sheet.refresh();
    }, due - Date.now());
  };
  addEventListener("frames", look);
  const slash = (event) => {
    if (!hasLetters() || document.querySelector("dialog[open]:not(.big)")) return;
    if (event.key === "?" && !big.isOpen && !/INPUT|SELECT/.test(document.activeElement?.tagName ?? "") && !sheet.grid.contains(document.activeElement)) return help();
    if (event.key === "f" && !big.isOpen && !event.ctrlKey && !event.metaKey && !event.altKey && !/INPUT|SELECT/.test(document.activeElement?.tagName ?? "")) return follow();
    if (event.key !== "/" || big.isOpen || /INPUT|SELECT/.test(document.activeElement?.tagName ?? "")) return;
    event.preventDefault();
    main.querySelector("input")?.focus();
  };
  addEventListener("keydown", slash);
  return () => { clearTimeout(timer); sheet.close(); removeEventListener("frames", look); removeEventListener("keydown", slash); };
}

/** Marking by mouse and touch. @param {Sheet} sheet @param {Marking} marking */
function tools(sheet, marking) {
  const count = h("span", { class: "quiet", role: "status" }), { selection } = sheet;
  const choosing = h("button", { type: "button", "aria-pressed": "false", onclick: () => {
    sheet.isChoosing = !sheet.isChoosing;
    choosing.setAttribute("aria-pressed", String(sheet.isChoosing));
  } }, t("choose"));
  const none = h("button", { type: "button", hidden: true, onclick: () => selection.clear() }, t("chooseNone"));
  selection.changed = () => {
    count.textContent = selection.count ? t("selected", { n: number(selection.count) }) : "";
    none.hidden = !selection.count;
  };
  const bar = buttons(marking, false);
  bar.append(choosing, h("button", { type: "button", onclick: () => selection.all() }, t("chooseAll")), none, h("button", { type: "button", onclick: help }, t("keys")), count);
  return bar;
}

/** @param {any} frame */
function about(frame) {
  const state = mark(frame.ending), body = camera(frame);
  const targets = Object.entries(frame.receipts ?? {}).map(([name, receipt]) => {
    const one = mark(receipt.state);
    return h("span", { class: one.style }, `${one.sign} ${name}: ${one.word}`);
  });
  const small = hasPicture(frame) && h("img", { class: "small", alt: "", src: address(frame, "thumbnail"), onerror: (event) => event.target.remove() });
  return [
    small || null, h("span", { class: "quiet" }, t("newest")), h("b", { dir: "auto" }, fileName(frame)), h("span", {}, when(frame.captured)), h("span", { dir: "auto" }, body),
    h("span", { class: state.style }, `${state.sign} ${state.word}`), ...targets, h("a", { href: `#/file/${frame.id}` }, t("facts")),
  ];
}

/** @param {Sheet} sheet @param {HTMLElement} count @param {HTMLElement} following */
function bar(sheet, count, following) {
  const option = (value, words, now) => h("option", { value, selected: value === now }, words);
  let timer = 0;
  const change = (name) => (event) => {
    filter = { ...filter, [name]: event.target.value };
    clearTimeout(timer);
    timer = setTimeout(() => sheet.setFilter(filter), name === "q" ? 150 : 0);
  };
  const kinds = h("select", { onchange: change("kind") }, option(seen, t("kindsSeen"), filter.kind), option("", t("kindsAll"), filter.kind));
  const states = ["delivered", "pending", "setAside", "duplicate", "alreadySeen", "filtered", "unfinished"];
  const endings = h("select", { onchange: change("ending") }, option("", t("any"), filter.ending ?? ""), ...states.map((state) => option(state, mark(state).word, filter.ending)));
  const search = h("input", { type: "search", value: filter.q ?? "", oninput: change("q"), maxlength: "200", spellcheck: "false" });
  return h("form", { class: "bar", role: "search", onsubmit: (event) => event.preventDefault() }, h("label", {}, t("kinds"), kinds), h("label", {}, t("endings"), endings), h("label", { class: "search" }, t("search"), search), following, h("a", { class: "further", href: "#/show" }, t("secondScreen")), count);
}
