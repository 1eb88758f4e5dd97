// One shot: the file that stands for it, with the others that belong to it.

/** @typedef {import("./list.js").Frame} Frame */

/** @param {Frame} frame */
export const filesOf = (frame) => [frame, ...(frame.others ?? [])];

// Of states of several files the first of these counts: somebody has to do something about it.
const order = ["setAside", "failed", "held", "pending", "delivered", "duplicate", "alreadySeen", "done", "filtered", "excluded"];
/** @param {string[]} states */
const first = (states) => order.find((state) => states.includes(state)) ?? states[0];

/** @param {Frame} frame */
export const endingOf = (frame) => first(filesOf(frame).map(({ ending }) => ending));

/** What each target has of it. @param {Frame} frame */
export function receiptsOf(frame) {
  /** @type {Record<string, string>} */
  const found = {};
  for (const { receipts = {} } of filesOf(frame)) for (const [name, { state }] of Object.entries(receipts)) found[name] = first([state, found[name] ?? state]);
  return Object.entries(found);
}

/** What else there is of it, such as `CR3` and `WAV`. @param {Frame} frame */
export const beside = (frame) => [...new Set((frame.others ?? []).map(({ path }) => path.split(".").pop() ?? ""))];

/** A shot of which some files were told anew. @param {Frame} frame @param {Frame[]} told */
export function joined(frame, told) {
  const own = told.find(({ id }) => id === frame.id) ?? frame, others = told.filter(({ id }) => id !== frame.id);
  const kept = (frame.others ?? []).filter(({ id }) => !others.some((one) => one.id === id));
  return kept.length + others.length ? { ...own, others: [...kept, ...others] } : own;
}
