// Pictures of files. Few are asked for at a time: a browser has six connections for everything that this page wants.
import { h } from "./dom.js";

const most = 3, kept = 400, pause = 20000;
const shown = ["jpeg", "raw", "heif", "image"];
// Those that came and those on their way, by address, the one used last at the end.
/** @type {Map<string, HTMLImageElement>} */
const images = new Map();
// When there was none, by address.
/** @type {Map<string, number>} */
const missing = new Map();
/** @type {[string, HTMLImageElement][]} */
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
  waiting.push([place, image]);
  queueMicrotask(next);
  return image;
}

function next() {
  while (loading < most && waiting.length) {
    const [place, image] = /** @type {[string, HTMLImageElement]} */ (waiting.shift());
    // What was scrolled past meanwhile is not asked for.
    if (!image.isConnected) { images.delete(place); continue; }
    const end = () => { loading -= 1; next(); };
    image.onload = () => { image.classList.add("there"); end(); };
    image.onerror = () => { missing.set(place, Date.now()); images.delete(place); image.remove(); end(); };
    loading += 1;
    image.src = place;
  }
}

/**
 * Shows a file's picture in an element that is there already: the small one at once, the large one when it has come and is still wanted.
 * @param {HTMLImageElement} image @param {any} frame @param {() => void} failed @param {number} [wait] milliseconds before it is asked for
 */
export function enlarge(image, frame, failed, wait = 0) {
  const place = address(frame, "preview"), whole = new Image(), isWanted = () => image.dataset.place === place;
  if (isWanted() || image.dataset.place === address(frame, "full")) return;
  image.dataset.place = place;
  if (images.get(address(frame, "thumbnail"))?.classList.contains("there")) image.src = address(frame, "thumbnail");
  else image.removeAttribute("src");
  whole.onload = () => { if (isWanted()) image.src = place; };
  whole.onerror = () => isWanted() && failed();
  setTimeout(() => { if (isWanted()) whole.src = place; }, wait);
}

// Milliseconds before each try: few such pictures are sent at a time, and another one may still be on its way.
const tries = [200, 500, 1000, 2000];

/** All pixels of the file that an element shows, in its place when they have come and are still wanted. @param {HTMLImageElement} image @param {any} frame @param {() => boolean} isWanted @param {(isThere: boolean) => void} ended @returns {() => void} ends the request: it would keep its place at the server */
export function sharpen(image, frame, isWanted, ended) {
  const place = address(frame, "full"), isSame = () => !isLeft && isWanted() && image.dataset.place === address(frame, "preview");
  let isLeft = false, all = new Image();
  const end = (/** @type {boolean} */ isThere) => {
    if (!isSame()) return;
    if (isThere) image.dataset.place = place;
    ended(isThere);
    if (isThere) image.src = place;
  };
  const ask = (/** @type {number} */ count) => {
    if (!isSame()) return;
    all = new Image();
    all.src = place;
    all.decode().then(() => end(true), () => { if (count < tries.length) later(count); else end(false); });
  };
  const later = (/** @type {number} */ count) => { setTimeout(() => ask(count + 1), tries[count]); };
  later(0);
  return () => { isLeft = true; all.src = ""; };
}
