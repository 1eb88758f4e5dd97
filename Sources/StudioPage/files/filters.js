// Which frames the sheet shows.
import { h } from "./dom.js";
import { board } from "./stream.js";
import { camera, mark, t } from "./words.js";

const seen = "jpeg,raw,heif,image,video", trusted = ["target", "state", "without"];
// They stay while the page is open.
/** @type {Record<string, string>} */
const kept = { kind: seen };

/** @param {string} value @param {string} words @param {string | undefined} now */
const option = (value, words, now) => h("option", { value, selected: value === (now ?? "") }, words);

export class Filters {
  /** @param {import("./sheet.js").Sheet} sheet @param {boolean} mayOperate @param {() => void} asked */
  constructor(sheet, mayOperate, asked) {
    this.sheet = sheet;
    this.mayOperate = mayOperate;
    this.asked = asked;
    this.timer = 0;
    if (!mayOperate) for (const name of trusted) delete kept[name];
    this.search = this.input("q", {});
    this.search.type = "search";
    this.title = h("summary", {});
    this.target = this.select("target", [["", t("any")]]);
    this.bodies = h("datalist", { id: "bodies" });
    this.pick = this.select("pick", [["", t("any")], ["picked", t("picked")], ["rejected", t("rejected")], ["none", t("unpick")]]);
    this.look = () => this.fill();
    addEventListener("board", this.look);
    this.fill();
    this.name();
  }

  close() { clearTimeout(this.timer); removeEventListener("board", this.look); }

  get now() { return { ...kept }; }

  /** Whether anything but the kind counts. */
  get isAny() { return Object.entries(kept).some(([name, value]) => name !== "kind" && value); }

  /** @param {string} name @param {string} value */
  set(name, value) {
    kept[name] = value;
    this.name();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { this.asked(); this.sheet.setFilter(this.now); }, name === "q" || name === "camera" ? 150 : 0);
  }

  /** Those that were picked, and no others; or all again. */
  tagged() {
    this.set("pick", kept.pick === "picked" ? "" : "picked");
    this.pick.value = kept.pick;
  }

  /** @param {string} name @param {string[][]} options */
  select(name, options) {
    return /** @type {HTMLSelectElement} */ (h("select", { onchange: (/** @type {Event} */ event) => this.set(name, /** @type {HTMLSelectElement} */ (event.target).value) }, ...options.map(([value, words]) => option(value, words, kept[name]))));
  }

  /** @param {string} name @param {Record<string, string>} more */
  input(name, more) {
    return /** @type {HTMLInputElement} */ (h("input", { value: kept[name] ?? "", maxlength: "200", spellcheck: "false", ...more, oninput: (/** @type {Event} */ event) => this.set(name, /** @type {HTMLInputElement} */ (event.target).value.trim()) }));
  }

  /** @param {HTMLElement} following @param {HTMLElement} count */
  bar(following, count) {
    const kinds = this.select("kind", [[seen, t("kindsSeen")], ["", t("kindsAll")]]);
    const endings = this.select("ending", [["", t("any")], ...["delivered", "pending", "setAside", "duplicate", "alreadySeen", "filtered", "unfinished"].map((state) => [state, mark(state).word])]);
    return h("form", { class: "bar", role: "search", onsubmit: (/** @type {Event} */ event) => event.preventDefault() }, h("label", {}, t("kinds"), kinds), h("label", {}, t("endings"), endings), h("label", { class: "search" }, t("search"), this.search), following, h("a", { class: "further", href: "#/show" }, t("secondScreen")), count);
  }

  /** In one row; where there is little room, it is opened first. */
  more() {
    const stars = this.select("rating", [["", t("any")], ...[1, 2, 3, 4].map((n) => [String(n), t("starsOrMore", { n })]), ["5", t("stars", { n: 5 })]]);
    const states = this.select("state", [["", t("any")], ...["done", "pending", "held", "failed", "excluded"].map((state) => [state, mark(state).word])]);
    /** @type {[string, HTMLElement][]} */
    const all = [["rating", stars], ["picks", this.pick], ["camera", this.input("camera", { list: "bodies" })], ...(this.mayOperate ? /** @type {[string, HTMLElement][]} */ ([["target", this.target], ["there", states], ["eventWord", this.select("without", [["", t("any")], ["event", t("noEvent")]])]]) : [])];
    return h("details", { class: "filters", open: matchMedia("(min-width: 1024px)").matches }, this.title, h("div", { class: "bar" }, ...all.map(([name, one]) => h("label", {}, t(name), one)), this.bodies));
  }

  /** How many of them count, also while they are closed. */
  name() {
    const count = Object.entries(kept).filter(([name, value]) => value && !["kind", "ending", "q"].includes(name)).length;
    this.title.textContent = t("filters") + (count ? ` (${count})` : "");
  }

  /** What there is to choose. */
  fill() {
    const bodies = new Set([...this.sheet.windows.values()].flat().map((frame) => (frame ? camera({ make: frame.make ?? null, model: frame.model ?? null }) : "")));
    const names = new Set(/** @type {any[]} */ (board()?.targets ?? []).map((one) => one.name)), { target } = this;
    if (kept.target) names.add(kept.target);
    if (bodies.size !== this.bodies.children.length) this.bodies.replaceChildren(...[...bodies].map((value) => h("option", { value })));
    if (names.size !== target.options.length - 1) target.replaceChildren(...["", ...names].map((name) => option(name, name || t("any"), kept.target)));
  }
}
