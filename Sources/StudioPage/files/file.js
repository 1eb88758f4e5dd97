import { get } from "./api.js";
import { again, mayTry } from "./deliveries.js";
import { facts, fill, foreign, h, quiet, redraw, stated, trouble } from "./dom.js";
import { button, run } from "./jobs.js";
import { enlarge, hasPicture } from "./pictures.js";
import { maySteer, said, signs } from "./marks.js";
import { fileName } from "./cell.js";
import { bytes, camera, mark, t, when } from "./words.js";

/** @param {HTMLElement} main @param {{rest: string[], session: {role: string, catalog: boolean}}} context */
export function open(main, { rest, session }) {
  const back = (event) => event.key === "Escape" && history.back();
  addEventListener("keydown", back);
  show(main, rest[0], session, h("div", {}));
  return () => removeEventListener("keydown", back);
}

/** @param {HTMLElement} going how what was asked for goes */
async function show(main, id, session, going) {
  const mayOperate = maySteer(session);
  /** @param {any} one a delivery */
  const retry = async (one) => {
    await run("retry", again(one), going);
    if (!going.isConnected) return;
    await show(main, id, session, going);
    if (document.activeElement === document.body) main.focus();
  };
  try {
    const file = await get(`frames/${encodeURIComponent(id)}`), { frame } = file, state = mark(frame.ending);
    redraw(main, ...[
      h("p", {}, h("a", { href: "#/capture" }, t("back"))), h("h1", { dir: "auto" }, fileName(frame)), h("p", {}, stated(state), ...signs(frame), said(frame) && h("span", { class: "quiet" }, said(frame))),
      photo(frame), about(frame), going, section("copies", file.deliveries.map((one) => delivery(one, mayOperate && retry))), session.catalog && mayOperate && frame.sha256 && elsewhere(id), section("places", file.places.map(placeRow)), decided(file), section("notes", file.notes.map(note)), exposure(file.facts),
    ].filter(Boolean));
  } catch (error) {
    main.replaceChildren(h("p", {}, h("a", { href: "#/capture" }, t("back"))), trouble(error));
  }
}

/** Its place is as large before the picture has come. */
function photo(frame) {
  if (!hasPicture(frame)) return null;
  const image = /** @type {HTMLImageElement} */ (h("img", { class: "photo", alt: t("pictureOf", { name: fileName(frame) }) })), box = h("figure", { class: "frame" }, image);
  enlarge(image, frame, () => box.replaceWith(quiet(t("noPicture"))));
  return box;
}

// What other stations say, when somebody asks.
/** @param {string} id */
function elsewhere(id) {
  const list = h("div", { role: "status" });
  const ask = () => get(`frames/${encodeURIComponent(id)}/where`).then(
    ({ copies }) => fill(list, ...(copies.length ? copies.map((one) => h("p", { class: "caption" }, foreign(one.station, "b"), ` ${mark(one.state).word}: `, foreign(one.place), " ", h("span", { class: "quiet", dir: "auto" }, [one.detail, one.verified && t("verified", { how: one.verified }), when(one.at)].filter(Boolean).join(", ")))) : [h("p", {}, t("nobody"))])),
    (error) => fill(list, trouble(error)));
  return h("section", {}, h("h2", {}, t("whoHas")), h("p", {}, h("button", { onclick: ask }, t("ask"))), list);
}

const section = (title, rows) => (rows.length ? h("section", {}, h("h2", {}, t(title)), h("ul", { class: "rows" }, ...rows)) : null);

const about = (frame) => facts([
  [t("path"), [frame.source, frame.path].filter(Boolean).join("/")], [t("captured"), when(frame.captured)], [t("camera"), camera(frame)],
  [t("serial"), frame.serial], [t("size"), bytes(frame.size)], [t("sha256"), frame.sha256], [t("eventWord"), frame.event],
  [t("byWhom"), frame.marked_by && `${frame.marked_by}, ${when(frame.marked_at)}`],
]);

function decided(file) {
  const { frame } = file;
  if (!frame.reason && !frame.twin && !frame.flags.length && !file.wanted.length) return null;
  return h("section", {}, h("h2", {}, t("decided")), facts([
    [t("reason"), [frame.reason, frame.twin].filter(Boolean).join(": ")], [t("flags"), frame.flags.join(", ")], [t("wanted"), file.wanted.join(", ")],
  ]));
}

/** @param {any} one @param {false | ((one: any) => void)} retry */
function delivery(one, retry) {
  const state = mark(one.state), place = one.path ?? one.url ?? one.id ?? one.name;
  const proof = one.state === "done" ? `${t("verified", { how: one.verified })}, ${t("at", { time: when(one.at) })}` : one.reason;
  return h("li", {}, stated(state), foreign(one.target), ": ", foreign(place), h("p", { class: "quiet", dir: "auto" }, [proof, one.denied].filter(Boolean).join(". ")), retry && mayTry(one) && button("retry", one.target, one.identity, () => retry(one)));
}

const placeRow = (place) => h("li", {}, foreign(`${place.source}/${place.path}`), ` (${place.ending ? mark(place.ending).word : t("unfinished")}) `, h("a", { href: `#/run/${place.run}` }, t("run", { n: place.run })));
const note = (one) => h("li", {}, `${when(one.at)} `, foreign(one.text));

function exposure(all) {
  const rows = Object.entries(all).filter(([, value]) => value !== null && value !== "").map(([name, value]) => /** @type {[string, string]} */ ([name.replaceAll("_", " "), String(value)]));
  return rows.length ? h("section", {}, h("h2", {}, t("facts")), facts(rows)) : null;
}
