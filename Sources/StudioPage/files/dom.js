// Elements made of text and attributes; nothing is ever read as HTML.

// Signs that would show a name as another one (they turn the direction of text, or have no shape) by their numbers.
/** @param {string} text */
export const plainly = (text) => text.replace(/(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, (sign) => `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`);

/** @template T @param {T | null | undefined | false} child @returns {child is T} */
const isThere = (child) => child !== null && child !== undefined && child !== false;

/**
 * @param {string} tag @param {Record<string, unknown>} [properties] @param {...(Node | string | null | undefined | false)} children
 * @returns {HTMLElement}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter(isThere).map((child) => (typeof child === "string" ? plainly(child) : child)));
  return element;
}

// Shows these and nothing else; gaps are left out.
/** @param {Element} place @param {...(Node | string | null | undefined | false)} children */
export const fill = (place, ...children) => place.replaceChildren(...children.filter(isThere));

// Shows these instead; what had the focus, known by its `data-key`, has it again.
/** @param {Element} place @param {...(Node | string)} children */
export function redraw(place, ...children) {
  const focused = /** @type {HTMLElement | null} */ (document.activeElement), key = focused && place.contains(focused) ? focused.dataset.key : undefined;
  place.replaceChildren(...children);
  if (key === undefined) return;
  for (const one of place.querySelectorAll("[data-key]")) if (/** @type {HTMLElement} */ (one).dataset.key === key) /** @type {HTMLElement} */ (one).focus();
}

/** @param {string} id @returns {HTMLElement} */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

// Words from elsewhere, which may run in any direction.
/** @param {string} text @param {string} [tag] */
export const foreign = (text, tag = "bdi") => h(tag, { dir: "auto" }, text);

// A state by its sign, word and colour.
/** @param {{style: string, sign: string, word: string}} state */
export const stated = ({ sign, word, style }) => h("span", { class: style }, `${sign} ${word} `);

// A paragraph that is less important than others.
/** @param {...(Node | string | null | undefined | false)} children */
export const quiet = (...children) => h("p", { class: "quiet" }, ...children);

// Names and values; those without a value are left out.
/** @param {[string, Node | string | null | undefined][]} pairs */
export function facts(pairs) {
  const shown = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return h("dl", {}, ...shown.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, typeof value === "string" ? foreign(value) : value)]));
}

/** @param {Error & {advice?: string}} error */
export const trouble = (error) =>
  h("div", { class: "trouble", role: "alert" }, h("p", {}, error.message), error.advice ? quiet(error.advice) : null);

let said = 0, timer = 0;

// Tells people who listen, at most once in ten seconds: the last of what is said meanwhile. An answer to what somebody just did does not wait.
/** @param {string | (() => string)} words @param {boolean} [isAnswer] */
export function announce(words, isAnswer = false) {
  clearTimeout(timer);
  timer = setTimeout(() => {
    said = Date.now();
    byId("announcer").textContent = typeof words === "string" ? words : words();
  }, isAnswer ? 0 : Math.max(0, said + 10000 - Date.now()));
}
