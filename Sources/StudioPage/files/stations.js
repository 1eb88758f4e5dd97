// The stations of the catalogue: this one, then all.
import { get } from "./api.js";
import { facts, foreign, h, quiet, trouble } from "./dom.js";
import { bytes, number, t, when } from "./words.js";

/** @param {HTMLElement} main */
export function open(main) {
  const place = h("div", {});
  let isOpen = true;
  // What is the same stays: somebody may copy it.
  /** @param {...Node} parts */
  function draw(...parts) {
    const fresh = h("div", {}, ...parts);
    if (fresh.textContent !== place.textContent) place.replaceChildren(...fresh.childNodes);
  }
  async function look() {
    if (!document.hidden) await get("stations").then((answer) => draw(...shown(answer)), (error) => draw(trouble(error)));
    if (isOpen) setTimeout(() => isOpen && look(), 5000);
  }
  main.replaceChildren(h("h1", {}, t("stations")), place);
  look();
  return () => { isOpen = false; };
}

function shown(answer) {
  if (!answer.catalog) return [answer.pipeline ? h("p", {}, t("noCatalog")) : h("p", {}, t("noCatalogYet"), h("code", {}, "filmgate studio desk.yaml"))];
  const late = answer.trouble ? [trouble(answer.trouble), ...(answer.at ? [quiet(t("asOf", { time: when(answer.at) }))] : [])] : [];
  const left = answer.total - answer.stations.length;
  return [own(answer), ...late, h("ul", { class: "cards" }, ...answer.stations.map((one) => station(one, answer)), left ? h("li", {}, `+ ${number(left)}`) : null)];
}

function own({ own: one, at }) {
  if (!one) return at && h("p", { class: "wait" }, t("notJoined"), h("code", {}, "filmgate catalog join"));
  const time = when(one.since), [words, style] = one.up ? [`✓ ${t("connected", { time })}`, "good"] : one.up === false ? [`! ${t("away", { time })}`, "bad"] : [`– ${t("untelling")}`, "quiet"];
  return h("section", {}, h("h2", {}, foreign(one.station)), h("p", { class: style }, words), facts([
    [t("reason"), one.trouble], [t("untold"), number(one.waiting)], [t("heldFor"), number(one.held ?? 0)], [t("claims"), one.claims ? number(one.claims) : ""], [t("catalogue"), one.catalog],
  ]));
}

function station(one, { at, trouble: late }) {
  const seen = one.silence_s === null ? t("neverSeen") : t("lastSeen", { time: when(new Date(Date.parse(at) - one.silence_s * 1000).toISOString()) });
  const [words, style] = one.revoked ? [`! ${t("shutOut")}`, "bad"] : one.present && !late ? [`✓ ${t("thereNow")}`, "good"] : [`– ${seen}`, "quiet"];
  const cards = (one.cards ?? []).map((card) => `${card.label} (${card.volume})${Number.isInteger(card.percent) ? ` ${card.percent} %` : ""}, ${when(card.at)}`).join("; ");
  const open = (one.targets ?? []).map((target) => `${target.name} ${number(target.waiting)} (${bytes(target.bytes)})${target.held ? `, ${t("held", { n: number(target.held) })}${target.reason ? `: ${target.reason}` : ""}` : ""}`).join("; ");
  return h("li", {}, h("h2", {}, foreign(one.name)), h("p", { class: style }, words), facts([
    [t("site"), one.site], [t("untold"), one.untold === null ? "" : number(one.untold)], [t("open"), open], [t("taken"), cards], [t("sources"), (one.sources ?? []).join(", ")],
  ]));
}
