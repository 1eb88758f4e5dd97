// How fast targets take files, from what the stream said anyway: counts every ten seconds, of ten minutes at most.
import { h } from "./dom.js";
import { heard } from "./stream.js";
import { number, t } from "./words.js";

const step = 10, most = 60;
/** Counts that a rate rests on, the least of them, and files that must have gone meanwhile. */
const span = 12, least = 3, enough = 3;
/** What each target has now. @type {Map<string, number>} */
const latest = new Map();
/** What it had, every ten seconds, the last one now. @type {Map<string, number[]>} */
const counted = new Map();

/** @param {any} board */
export function note(board) {
  for (const one of board.targets ?? []) latest.set(one.identity, one.done);
}

function count() {
  // Of what was not heard nothing is known: neither that it went on nor that it stood still.
  if (!heard()) return counted.clear();
  for (const [identity, done] of latest) {
    const all = counted.get(identity) ?? [];
    counted.set(identity, [...all, done].slice(-most - 1));
  }
  dispatchEvent(new Event("pace"));
}

/** Files a minute lately; null where that is not known well enough. @param {string} identity */
export function rate(identity) {
  const all = (counted.get(identity) ?? []).slice(-span - 1), went = (all.at(-1) ?? 0) - (all[0] ?? 0);
  return all.length > least && went >= enough ? (went * 60) / (step * (all.length - 1)) : null;
}

/** @param {number} minutes */
const left = (minutes) => (minutes < 1.5 ? t("leftSoon") : minutes < 100 ? t("leftMinutes", { n: number(Math.round(minutes)) }) : t("leftHours", { n: number(Math.round(minutes / 60)) }));

/** A line of what went in each ten seconds. @param {number[]} all */
function line(all) {
  const went = all.slice(1).map((value, index) => Math.max(0, value - all[index])), top = Math.max(1, ...went);
  const name = "http://www.w3.org/2000/svg", svg = document.createElementNS(name, "svg"), path = document.createElementNS(name, "path");
  const places = went.map((value, index) => `${(most - went.length + index) * 2} ${19 - Math.round((value / top) * 18)}`);
  for (const [key, value] of Object.entries({ viewBox: `0 0 ${most * 2} 20`, class: "spark", role: "img", "aria-label": t("sparkOf", { n: number(Math.max(...went)) }) })) svg.setAttribute(key, value);
  path.setAttribute("d", `M${places.join("L")}`);
  svg.append(path);
  return svg;
}

/** What is known of a target's pace. @param {any} one */
export function pace(one) {
  const all = counted.get(one.identity) ?? [], now = rate(one.identity);
  const words = now === null ? "" : [t("perMinute", { n: number(Math.max(1, Math.round(now))) }), one.pending ? left(one.pending / now) : ""].filter(Boolean).join(" · ");
  // A line without anything on it says nothing.
  return [all.length > least && all[0] !== all.at(-1) ? line(all) : null, words ? h("span", { class: "quiet" }, ` ${words}`) : null];
}

setInterval(count, step * 1000);
