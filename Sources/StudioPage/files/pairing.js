import { pair } from "./api.js";
import { h, trouble } from "./dom.js";
import { t } from "./words.js";

// The gate: asks for a code until one is right.
/** @param {HTMLElement} main @param {() => void} opened @param {Error} [first] */
export function showGate(main, opened, first) {
  const input = /** @type {HTMLInputElement} */ (h("input", { id: "code", autocomplete: "off", spellcheck: "false", autocapitalize: "characters", required: true, maxlength: "40" }));
  const button = h("button", {}, t("pair")), place = h("div", {});
  const form = h("form", { onsubmit: submit }, h("label", { for: "code" }, t("code"), input), h("p", {}), button);
  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    const code = input.value;
    button.setAttribute("disabled", "");
    place.replaceChildren();
    try {
      await pair(code);
      opened();
    } catch (error) {
      place.replaceChildren(trouble(error));
      // Who types another one meanwhile goes on typing.
      if (input.value === code) input.select();
    }
    button.removeAttribute("disabled");
  }
  if (first) place.append(trouble(first));
  main.className = "";
  main.replaceChildren(h("section", { class: "gate" }, h("h1", {}, t("pairTitle")), h("p", {}, t("pairHelp")), form, h("p", {}), place));
  input.focus();
}
