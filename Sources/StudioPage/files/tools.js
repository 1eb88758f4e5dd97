// The pipeline with what `check` says of it, and what `doctor` finds.
import { get } from "./api.js";
import { facts, fill, foreign, h, quiet, trouble } from "./dom.js";
import { resume, run } from "./jobs.js";
import { camera, clock, t } from "./words.js";

/** @param {HTMLElement} main @param {{page: string}} context */
export function open(main, { page }) {
  if (page === "pipeline") showPipeline(main); else showDoctor(main);
}

function showDoctor(main) {
  const place = h("div", {}), list = h("ul", { class: "rows" });
  const show = (details) => {
    const found = (details?.objects ?? []).filter((object) => object.type === "finding");
    list.replaceChildren(...found.map((one) => h("li", {}, h("span", { class: one.good ? "good" : "bad" }, one.good ? `✓ ${t("fine")} ` : `! ${t("problem")} `), h("b", {}, foreign(one.subject)), " ", foreign(one.message))));
  };
  const look = async () => show(await run("doctor", {}, place));
  // It reads the whole ledger: nobody who only opens the page wants that.
  async function showLast() {
    const { jobs } = await get("jobs").catch(() => ({ jobs: [] })), last = jobs.find((job) => job.verb === "doctor");
    if (last?.state === "running") return show(await resume(["doctor"], place));
    if (last) { place.replaceChildren(quiet(t("lookedAt", { time: clock(last.ended) }))); show(await get(`jobs/${last.id}`)); }
  }
  main.replaceChildren(h("h1", {}, t("doctor")), h("p", {}, t("doctorHelp")), h("p", {}, h("button", { onclick: look }, t("look"))), place, list);
  showLast();
}

async function showPipeline(main) {
  const place = h("div", {}), text = h("div", { class: "code", tabindex: "0", role: "region", "aria-label": t("pipeline") }), rest = h("ul", { class: "rows" });
  const profiles = h("ul", { class: "rows" }), more = h("p", { class: "quiet", hidden: true }, t("profilesMore"));
  async function resolve() {
    try {
      const answer = await get("pipeline/profiles");
      fill(profiles, ...(answer.profiles.length ? answer.profiles.map(profile) : [h("li", { class: "quiet" }, t("profilesNone"))]));
      more.hidden = !answer.more;
    } catch (error) { fill(profiles, h("li", {}, trouble(error))); }
  }
  let pipeline = null;
  async function check() {
    try { pipeline = await get("pipeline"); } catch (error) { return place.replaceChildren(trouble(error)); }
    resolve();
    const details = await run("pipeline/check", {}, place);
    const marks = (details?.objects ?? []).filter((object) => object.type === "diagnostic");
    const own = marks.filter((one) => one.file === pipeline.path), others = marks.filter((one) => one.file !== pipeline.path);
    const lines = pipeline.text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    fill(text, ...lines.flatMap((line, index) => [
      h("div", { class: "line" }, h("span", { class: "number", "aria-hidden": "true" }, String(index + 1)), h("code", { dir: "ltr" }, line || " ")), ...own.filter((one) => one.line === index + 1).map(remark),
    ]));
    fill(rest, ...others.concat(own.filter((one) => !(one.line >= 1 && one.line <= lines.length))).map((one) => h("li", {}, foreign(`${one.file}:${one.line}:${one.column}`), remark(one))));
  }
  main.replaceChildren(h("h1", {}, t("pipeline")), h("p", {}, t("pipelineHelp")), h("p", {}, h("button", { onclick: check }, t("check"))), place, rest, text, h("h2", {}, t("profiles")), quiet(t("profilesHelp")), profiles, more);
  check();
}

/** What holds for one camera, by the pipeline's own words, and which line of which file says so. @param {any} one */
function profile(one) {
  const rules = Object.entries(one).filter(([, rule]) => rule?.value !== undefined && rule?.value !== null);
  const said = (/** @type {[string, any]} */ [key, rule]) => /** @type {[string, HTMLElement]} */ ([key, h("span", {}, foreign(String(rule.value)), rule.file ? h("span", { class: "quiet" }, " ", foreign(`${rule.file}:${rule.line}`)) : null)]);
  const habits = Object.entries(one.habits ?? {});
  /** @type {[string, any][]} */
  const all = [...rules.map(said), ...habits];
  return h("li", {}, h("b", {}, foreign(camera(one))), " ", foreign([one.serial ? `#${one.serial}` : "", one.owner].filter(Boolean).join(", ")), all.length ? facts(all) : quiet(t("profileNone")));
}

const remark = (one) => h("p", { class: one.severity === "error" ? "bad" : "wait" }, `${one.severity === "error" ? "✗" : "!"} ${one.column ? `${one.line}:${one.column} ` : ""}`, foreign(one.message), one.hint ? h("span", { class: "quiet" }, " ", foreign(one.hint)) : null);
