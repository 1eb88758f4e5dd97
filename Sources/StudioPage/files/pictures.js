// Pictures of files. Few are asked for at a time: a browser has six connections for everything that this page wants.
import { h } from "./dom.js";

const most = 3, kept = 400, pause = 20000, longest = 3000;
const shown = ["jpeg", "raw", "heif", "image"];
// Those that came and those on their way, by address, the one used last at the end.
/** @type {Map<string, HTMLImageElement>} */
const images = new Map();
// When there was none, by address.
/** @type {Map<string, number>} */
const missing = new Map();
/** @type {(() => void)[]} */
const waiting = [];
let loading = 0;

/** @param {any} frame @param {"thumbnail" | "preview" | "full"} size */
export const address = (frame, size) => `/api/v1/frames/${frame.id}/${size}`;

// Whether there may be one.
/** @param {any} frame */
export const hasPicture = (frame) => shown.includes(frame.kind) && Boolean(frame.sha256);

// The small picture of a file, which comes by itself when it is on the page; the same element each time.
/** @param {any} frame */
export function thumbnail(frame) {
  const place = address(frame, "thumbnail"), known = images.get(place);
  if (!hasPicture(frame) || Date.now() - (missing.get(place) ?? 0) < pause) return null;
  images.delete(place);
  const image = known ?? /** @type {HTMLImageElement} */ (h("img", { class: "picture", alt: "", draggable: "false", decoding: "async" }));
  images.set(place, image);
  if (known) return image;
  for (const old of images.keys()) { if (images.size <= kept) break; images.delete(old); }
  fetchSmall(image, place);
  return image;
}

/** @param {HTMLImageElement} image @param {string} place */
async function fetchSmall(image, place) {
  await turn();
  // What was scrolled past meanwhile is not asked for.
  const isWanted = () => image.isConnected, rest = async (/** @type {number} */ time) => { free(); await sleep(time); await turn(); };
  const isThere = isWanted() && await load(image, place, isWanted, rest);
  free();
  if (isThere) return image.classList.add("there");
  if (images.get(place) === image) images.delete(place);
  if (isWanted()) missing.set(place, Date.now());
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
 * Shows a file's picture in an element that is there already: the small one at once, the large one when it has come and is still wanted.
 * @param {HTMLImageElement} image @param {any} frame @param {() => void} failed @param {number} [wait] milliseconds before it is asked for
 */
export function enlarge(image, frame, failed, wait = 0) {
  const place = address(frame, "preview"), isWanted = () => image.dataset.place === place && image.offsetParent !== null;
  if (image.dataset.place === place || image.dataset.place === address(frame, "full")) return;
  image.dataset.place = place;
  if (images.get(address(frame, "thumbnail"))?.classList.contains("there")) image.src = address(frame, "thumbnail");
  else image.removeAttribute("src");
  setTimeout(async () => {
    const isThere = isWanted() && await load(new Image(), place, isWanted);
    if (!isWanted()) return;
    if (isThere) image.src = place; else failed();
  }, wait);
}

/** All pixels of the file that an element shows, in its place when they have come and are still wanted. @param {HTMLImageElement} image @param {any} frame @param {() => boolean} isWanted @param {(isThere: boolean) => void} ended @returns {() => void} ends the request: it would keep its place at the server */
export function sharpen(image, frame, isWanted, ended) {
  const place = address(frame, "full"), all = new Image(), leaving = new AbortController(), { signal } = leaving;
  const isSame = () => !signal.aborted && isWanted() && image.dataset.place === address(frame, "preview");
  setTimeout(async () => {
    const isThere = isSame() && await load(all, place, isSame, sleep, signal) && await all.decode().then(() => true, () => false);
    if (!isSame()) return;
    if (isThere) image.dataset.place = place;
    ended(isThere);
    if (isThere) image.src = place;
  }, 200);
  return () => { leaving.abort(); all.src = ""; };
}
