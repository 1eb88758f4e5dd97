import { maySteer } from "./marks.js";
import { accounts } from "./accounts.js";
import { forgetKey, get, post, remove } from "./api.js";
import { facts, foreign, h, trouble } from "./dom.js";
import { picture } from "./jobs.js";
import { t, when } from "./words.js";

/** @param {HTMLElement} main @param {{session: any, mayOpen: (name: string) => boolean}} context */
export function open(main, { session, mayOpen }) {
  const place = h("div", {}), list = h("ul", { class: "rows" }), isAdmin = session.role === "admin";
  const guarded = (work) => async () => {
    try { await work(); } catch (error) { place.replaceChildren(trouble(error)); }
  };
  const leave = guarded(async () => {
    await remove("session");
    forgetKey();
    location.hash = "#/capture";
    location.reload();
  });
  const load = guarded(async () => list.replaceChildren(...(await get("sessions")).grants.map((grant) => row(grant, end(grant.id)))));
  const end = (id) => guarded(async () => { await remove(`sessions/${encodeURIComponent(id)}`); await load(); });
  main.replaceChildren(
    h("h1", {}, t("you")), place, facts([[t("role"), session.role], [t("until"), when(session.until)]]), h("p", {}, h("button", { onclick: leave }, t("leave"))),
    h("ul", { class: "rows more" }, ...["history", "stations", "pipeline", "doctor"].filter(mayOpen).map((name) => h("li", {}, h("a", { href: `#/${name}` }, t(name))))),
    ...(maySteer(session) ? accounts() : []), ...(isAdmin ? [h("h2", {}, t("link")), linkForm(guarded, load), h("h2", {}, t("others")), list] : []));
  if (isAdmin) load();
}

function row(grant, end) {
  return h("li", {}, `${grant.type}, ${grant.role}, ${when(grant.until)} `, foreign([grant.label, grant.event ?? (grant.from ? t("fromNow") : "")].filter(Boolean).join(", ")), " ", h("button", { onclick: end, "aria-label": `${t("end")}: ${grant.id}` }, t("end")));
}

/** A code for somebody who works here, or a link for a client, who sees a part of the shoot. */
function linkForm(guarded, load) {
  const select = (values) => /** @type {HTMLSelectElement} */ (h("select", {}, ...values.map(([value, words]) => h("option", { value }, words))));
  const role = select(["view", "pick", "operate", "admin"].map((word) => [word, word])), sees = select([["", t("everything")], ["now", t("fromNow")]]);
  const life = select(["8h", "24h", "7d", "30d"].map((word) => [word, t(`for ${word}`)])), name = /** @type {HTMLInputElement} */ (h("input", { maxlength: "80", spellcheck: "false", dir: "auto" }));
  const shown = h("div", { role: "status" }), client = [h("label", {}, t("hours"), life), h("label", { class: "search" }, t("client"), name)];
  const choose = () => {
    for (const part of client) part.hidden = !sees.value;
    for (const option of role.options) option.disabled = !!sees.value && maySteer({ role: option.value });
    if (role.selectedOptions[0]?.disabled) role.value = "view";
  };
  sees.addEventListener("change", choose);
  choose();
  get("events").then(({ events }) => { for (const one of events) sees.append(h("option", { value: `event ${one.name}` }, t("eventIs", { event: one.name }))); }, () => {});
  const make = guarded(async () => {
    const isEvent = sees.value.startsWith("event "), part = isEvent ? { event: sees.value.slice(6) } : sees.value ? { from: "now" } : {};
    const made = await post("links", { role: role.value, ...part, ...(sees.value ? { for: life.value, label: name.value.trim() || undefined } : {}) });
    // A code that is cut into lines is typed wrong; a link is copied.
    if (made.type === "code") shown.replaceChildren(h("p", {}, t("linkMade"), " ", h("code", { class: "secret" }, made.code)));
    else shown.replaceChildren(h("p", {}, t("clientMade"), " ", h("code", {}, `${location.origin}/#k=${made.code}`)));
    if (made.qr.length) shown.append(picture(made.qr));
    await load();
  });
  return h("div", {}, h("div", { class: "bar" }, h("label", {}, t("sees"), sees), h("label", {}, t("role"), role), ...client, h("button", { onclick: make }, t("makeLink"))), shown);
}
