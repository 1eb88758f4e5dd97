// The newest frame and nothing else, for a second screen.
import { get } from "./api.js";
import { foreign, h } from "./dom.js";
import { best, hasPicture } from "./pictures.js";
import { fileName } from "./cell.js";
import { t, when } from "./words.js";

/** @param {HTMLElement} main */
export function open(main) {
  const image = /** @type {HTMLImageElement} */ (h("img", { class: "photo", alt: "" })), words = h("p", { class: "caption" });
  let timer = 0, known = "";
  async function look() {
    const answer = await get("frames", { kind: "jpeg,raw,heif,image", group: "shot", brief: 1, at: 0, limit: 20 }).catch(() => null);
    // The newest may still be on its way.
    const frame = answer?.frames.find(hasPicture);
    if (!frame || frame.id === known) return;
    known = frame.id;
    // The one before stays until this one has come.
    const isNewest = () => frame.id === known && image.isConnected, found = await best(new Image(), frame, "preview", isNewest);
    if (!isNewest()) return;
    if (!found) { known = ""; return; }
    image.src = found;
    image.alt = t("pictureOf", { name: fileName(frame) });
    words.replaceChildren(foreign(fileName(frame)), ` ${when(frame.captured)}`);
  }
  const later = () => { timer ||= setTimeout(() => { timer = 0; look(); }, 200); };
  const back = (event) => { if (event.key === "Escape") location.hash = "#/capture"; };
  document.body.classList.add("show");
  main.replaceChildren(h("h1", { class: "unseen" }, t("secondScreen")), h("figure", { class: "frame" }, image), words);
  addEventListener("frames", later);
  addEventListener("keydown", back);
  look();
  // The screen must not go dark while nobody touches it.
  const wake = navigator.wakeLock?.request("screen").catch(() => null);
  return () => {
    clearTimeout(timer);
    removeEventListener("frames", later);
    removeEventListener("keydown", back);
    document.body.classList.remove("show");
    wake?.then((lock) => lock?.release());
  };
}
