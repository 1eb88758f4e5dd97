import { t } from "./words.js";

// Talks to the API. The key in localStorage is one half of the session; the browser's cookie, which no script sees, is the other.

const storage = "filmgate-key";

export class Refusal extends Error {
  /** @param {number} status @param {{code?: string, message?: string, advice?: string | null, undo?: string}} body */
  constructor(status, body) {
    super(body.message ?? t("answerWas", { status }));
    this.status = status;
    this.code = body.code ?? "unexpected";
    this.advice = body.advice ?? "";
    // Of an order of marks that broke off: it takes back what was marked.
    this.undo = body.undo ?? "";
  }
}

export const hasKey = () => localStorage.getItem(storage) !== null;
export const forgetKey = () => localStorage.removeItem(storage);

/** What shows who asks, beside the cookie. */
export const keyHeader = () => ({ "X-Filmgate-Key": localStorage.getItem(storage) ?? "" });

/** @param {string} method @param {string} path @param {object} [body] @param {AbortSignal} [signal] */
async function ask(method, path, body, signal) {
  /** @type {Record<string, string>} */
  const headers = keyHeader();
  // A request that is sent twice is carried out once.
  if (method === "POST") headers["Idempotency-Key"] = crypto.randomUUID?.() ?? String(Math.random());
  if (body) headers["Content-Type"] = "application/json";
  const answer = await fetch(`/api/v1/${path}`, {
    method, headers, signal, body: body ? JSON.stringify(body) : undefined, credentials: "same-origin", cache: "no-store", redirect: "error",
  });
  const value = await answer.json().catch(() => ({}));
  if (answer.ok) return value;
  if (answer.status === 401 && path !== "session") dispatchEvent(new Event("unpaired"));
  throw new Refusal(answer.status, value);
}

/** @param {string} path @param {Record<string, string | number | undefined>} [parameters] @param {AbortSignal} [signal] */
export function get(path, parameters = {}, signal) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined && value !== "") query.set(name, String(value));
  // In an address a plus is a plus.
  const text = query.toString().replaceAll("+", "%20");
  return ask("GET", text ? `${path}?${text}` : path, undefined, signal);
}

/** @param {string} path @param {object} body */
export const post = (path, body) => ask("POST", path, body);

/** @param {string} path */
export const remove = (path) => ask("DELETE", path);

/** @param {string} code */
export async function pair(code) {
  const session = await ask("POST", "session", { code });
  localStorage.setItem(storage, session.key);
  return session;
}
