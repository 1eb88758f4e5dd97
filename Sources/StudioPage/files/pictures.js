// Pictures of files. Few are asked for at a time: a browser has six connections for everything that this page wants.
import { h } from "./dom.js";
import { filesOf } from "./shot.js";

const most = 3, kept = 400, pause = 20000, longest = 3000;
// Kinds that may hold a picture, the best first: a body's own JPEG has more pixels than what it puts into the RAW of that shot.
const shown = ["jpeg", "heif", "image", "raw"];
// Those that came and those on their way with the addresses where they may be, by the file that stands for the shot, the one used last at the end.
/** @type {Map<string, {image: HTMLImageElement, places: string[]}>} */
const images = new Map();
// When there was none, by address.
/** @type {Map<string, number>} */
const missing = new Map();
/** @type {(() => void)[]} */
const waiting = [];
let loading = 0;

/** @param {any} frame @param {"thumbnail" | "preview" | "full"} size */
export const address = (frame, size) => `/api/v1/frames/${frame.id}/${size}`;

// The files of a shot that may hold its picture, the best first: of one the bytes may be nowhere now, and a RAW may hold none.
/** @param {any} frame @returns {any[]} */
const sources = (frame) => filesOf(frame).filter(({ kind, sha256 }) => sha256 && shown.includes(kind)).sort((one, other) => shown.indexOf(one.kind) - shown.indexOf(other.kind));

// Whether there may be one.
/** @param {any} frame */
export const hasPicture = (frame) => sources(frame).length > 0;

// The small picture of a shot, which comes by itself when it is on the page; the same element each time.
/** @param {any} frame */
export function thumbnail(frame) {
  const places = sources(frame).map((file) => address(file, "thumbnail")).filter((place) => Date.now() - (missing.get(place) ?? 0) >= pause), known = images.get(frame.id);
  if (!places.length) return null;
  images.delete(frame.id);
  // Where every file is shown, that of another one of its shot is not this one's.
  if (known && places.includes(known.image.getAttribute("src") ?? places[0])) {
    images.set(frame.id, known);
    // A file that has joined the shot is asked for where the one that is on its way has none.
    known.places.push(...places.filter((place) => !known.places.includes(place)));
    return known.image;
  }
  const image = /** @type {HTMLImageElement} */ (h("img", { class: "picture", alt: "", draggable: "false", decoding: "async" }));
  images.set(frame.id, { image, places });
  for (const old of images.keys()) { if (images.size <= kept) break; images.delete(old); }
  fetchSmall(image, frame.id, places);
  return image;
}

/** @param {HTMLImageElement} image @param {string} id @param {string[]} places where it may be; more may come meanwhile */
async function fetchSmall(image, id, places) {
  await turn();
  // What was scrolled past meanwhile is not asked for.
  const isWanted = () => image.isConnected, rest = async (/** @type {number} */ time) => { free(); await sleep(time); await turn(); };
  let isThere = false;
  for (const place of places) {
    if (!isThere && isWanted()) isThere = await load(image, place, isWanted, rest);
    if (!isThere && isWanted()) missing.set(place, Date.now());
  }
  free();
  if (isThere) return image.classList.add("there");
  if (images.get(id)?.image === image) images.delete(id);
  image.remove();
}

/** @type {() => Promise<void>} */
const turn = () => new Promise((resolve) => { waiting.push(resolve); next(); });
const free = () => { loading -= 1; next(); };
function next() { while (loading < most && waiting.length) { loading += 1; waiting.shift()?.(); } }

/** @type {(time: number) => Promise<void>} */
const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));

/** @type {(image: HTMLImageElement, place: string) => Promise<boolean>} */
const shows = (image, place) => new Promise((resolve) => {
  image.onload = () => resolve(true);
  image.onerror = () => resolve(false);
  image.src = place;
});

/**
 * Whether a picture comes into an element; where the server has no room for it now, it is asked for again while it is wanted.
 * @param {HTMLImageElement} image @param {string} place @param {() => boolean} isWanted @param {(time: number) => Promise<void>} [rest] @param {AbortSignal} [signal]
 */
export async function load(image, place, isWanted, rest = sleep, signal) {
  if (await shows(image, place)) return true;
  for (let tries = 0; isWanted(); tries += 1) {
    // An element does not tell why there is none. What is read to its end is kept by the browser, and shown from there.
    const answer = await fetch(place, { signal }).catch(() => null), isThere = answer?.ok && await answer.arrayBuffer().then(() => true, () => false);
    if (isThere && await shows(image, place)) return true;
    // Without an answer the connection is lost. What comes and is not shown is no picture in the end.
    const after = answer && !answer.ok ? answer.headers.get("Retry-After") : answer && tries > 2 ? null : "1";
    if (after === null) return false;
    // Not all that wait ask in the same moment.
    await rest(Math.min(longest, Number(after) * 1000 * 2 ** tries) * (0.5 + Math.random() / 2));
  }
  return false;
}

/**
 * Puts the best picture that any file of a shot has into an element; gives its address, and null where there is none or nobody wants it any more.
 * @param {HTMLImageElement} image @param {any} frame @param {"thumbnail" | "preview" | "full"} size @param {() => boolean} isWanted @param {AbortSignal} [signal]
 */
export async function best(image, frame, size, isWanted, signal) {
  for (const file of sources(frame)) {
    const place = address(file, size);
    if (isWanted() && await load(image, place, isWanted, sleep, signal)) return place;
  }
  return null;
}

/**
 * Shows a shot's picture in an element that is there already: the small one at once, the large one when it has come and is still wanted.
 * @param {HTMLImageElement} image @param {any} frame @param {() => void} failed @param {number} [wait] milliseconds before it is asked for
 */
export function enlarge(image, frame, failed, wait = 0) {
  const place = address(frame, "preview"), isWanted = () => image.dataset.place === place && image.offsetParent !== null, small = images.get(frame.id)?.image;
  if (image.dataset.place === place || image.dataset.place === address(frame, "full")) return;
  image.dataset.place = place;
  if (small?.classList.contains("there")) image.src = small.src; else image.removeAttribute("src");
  setTimeout(async () => {
    const found = await best(new Image(), frame, "preview", isWanted);
    if (!isWanted()) return;
    if (found) image.src = found; else failed();
  }, wait);
}

/** All pixels of the shot that an element shows, in its place when they have come and are still wanted. @param {HTMLImageElement} image @param {any} frame @param {() => boolean} isWanted @param {(isThere: boolean) => void} ended @returns {() => void} ends the request: it would keep its place at the server */
export function sharpen(image, frame, isWanted, ended) {
  const place = address(frame, "full"), all = new Image(), leaving = new AbortController(), { signal } = leaving;
  const isSame = () => !signal.aborted && isWanted() && image.dataset.place === address(frame, "preview");
  setTimeout(async () => {
    const found = await best(all, frame, "full", isSame, signal), isThere = found !== null && await all.decode().then(() => true, () => false);
    if (!isSame()) return;
    if (isThere) image.dataset.place = place;
    ended(isThere);
    if (isThere) image.src = found;
  }, 200);
  return () => { leaving.abort(); all.src = ""; };
}
