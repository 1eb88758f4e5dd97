// Who is signed in where, and signing in: the address and its code are shown here, and opened on any device.
import { h, foreign } from "./dom.js";
import { button, confirm, run, resume } from "./jobs.js";
import { mark, t, when } from "./words.js";

const states = { signedIn: "done", signedOut: "held", expired: "held", locked: "held", signingIn: "pending", error: "failed" };

/** @param {boolean} [isMissing] only those of whom nobody is signed in, asked for at once @returns {HTMLElement[]} */
export function accounts(isMissing = false) {
  const place = h("div", {}), list = h("ul", { class: "rows" });
  /** @param {any} details */
  const show = (details) => {
    const all = (details?.objects ?? []).filter((/** @type {any} */ one) => one.type === "account");
    const found = isMissing ? all.filter((/** @type {any} */ one) => one.state !== "signedIn") : all;
    if (details) list.replaceChildren(...(found.length ? found.map(row) : [h("li", { class: "quiet" }, t(all.length ? "allSignedIn" : "noAccounts"))]));
  };
  const look = async () => show(await run("accounts", {}, place));
  /** @param {any} one */
  function row(one) {
    const { sign, style } = mark(states[/** @type {keyof typeof states} */ (one.state)] ?? "failed"), who = one.account?.name ?? one.account?.email ?? one.account?.id;
    const facts = [who, one.expires ? `${t("until")} ${when(one.expires)}` : "", one.reason].filter(Boolean).join(", ");
    return h(
      "li", {}, h("span", { class: style }, `${sign} ${t(`account ${one.state}`)} `), h("b", {}, foreign(one.name)), h("p", { class: "quiet", dir: "auto" }, facts),
      h("div", { class: "bar" }, button("signIn", one.name, one.name, () => signIn(one.name)), one.state === "signedOut" ? null : button("signOut", one.name, one.name, () => signOut(one.name))));
  }
  /** @param {string} account */
  async function signIn(account) {
    if (await run("accounts/login", { account }, place)) await look();
  }
  /** @param {string} account */
  async function signOut(account) {
    if (await confirm(t("signOutAsk", { name: account }), t("signOut")) && await run("accounts/logout", { account }, place)) await look();
  }
  resume(["login", "logout"], place).then((ended) => (ended || isMissing) && look());
  return isMissing ? [h("h2", {}, t("accounts")), place, list] : [h("h2", {}, t("accounts")), h("p", {}, t("accountsHelp")), h("p", {}, h("button", { onclick: look }, t("look"))), place, list];
}
