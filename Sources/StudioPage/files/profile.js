import { accounts } from "./accounts.js";
import { forgetKey, get, post, remove } from "./api.js";
import { facts, foreign, h, trouble } from "./dom.js";
import { t, when } from "./words.js";

/** @param {HTMLElement} main @param {{session: any}} context */
export function open(main, { session }) {
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
    h("ul", { class: "rows more" }, ...["history", "pipeline", "doctor"].map((name) => h("li", {}, h("a", { href: `#/${name}` }, t(name))))),
    ...(["operate", "admin"].includes(session.role) ? accounts() : []), ...(isAdmin ? [h("h2", {}, t("link")), linkForm(guarded, load), h("h2", {}, t("others")), list] : []));
  if (isAdmin) load();
}

function row(grant, end) {
  return h("li", {}, `${grant.type}, ${grant.role}, ${when(grant.until)} `, foreign(grant.label), " ", h("button", { onclick: end, "aria-label": `${t("end")}: ${grant.id}` }, t("end")));
}

function linkForm(guarded, load) {
  const role = h("select", {}, ...["view", "pick", "operate", "admin"].map((word) => h("option", { value: word }, word))), shown = h("p", { role: "status" });
  const make = guarded(async () => {
    const made = await post("links", { role: /** @type {HTMLSelectElement} */ (role).value });
    // A code that is cut into lines is typed wrong.
    shown.replaceChildren(t("linkMade"), " ", h("code", { class: "secret" }, made.code));
    await load();
  });
  return h("div", {}, h("div", { class: "bar" }, h("label", {}, t("role"), role), h("button", { onclick: make }, t("makeLink"))), shown);
}
