// What changes, as it happens: one stream for all tabs of this browser. One tab reads it and tells the others.

// The server says at least every two seconds that it is there.
const name = "filmgate-stream", quiet = 5000, gone = 10000, first = 500, soon = 2000, longest = 15000;
const channel = new BroadcastChannel(name);
// What every page may hear; the rest is for the frame around them.
const forAll = ["frames", "job", "cards"];
// The latest message of each kind that stands for a whole.
/** @type {Map<string, any>} */
const latest = new Map();
let since = "", seen = 0, begun = 0, isLeading = false, isOn = false;
/** @type {AbortController | null} */
let reading = null;
/** @type {(() => void) | null} */
let hurry = null;

/** When something was heard last; 0 = the connection is lost, or was never there. */
export const heard = () => (seen && Date.now() - seen < quiet ? seen : 0);

// The board as it was told last.
/** @returns {any} */
export const board = () => latest.get("board");

/** @param {string} kind @param {any} data */
function tell(kind, data) {
  seen = Date.now();
  if (kind === "hello" || kind === "board") latest.set(kind, data);
  if (kind !== "alive") dispatchEvent(new CustomEvent(forAll.includes(kind) ? kind : `stream-${kind}`, { detail: data }));
}

function lost() {
  seen = 0;
  dispatchEvent(new Event("stream-lost"));
}

channel.onmessage = ({ data }) => {
  if (data.kind === "join") {
    if (isLeading && seen) for (const [kind, value] of latest) channel.postMessage({ kind, data: value });
  } else if (isOn && !isLeading) {
    if (data.kind === "lost") lost(); else tell(data.kind, data.data);
  }
};

/** @param {string} kind @param {any} [data] */
function pass(kind, data) {
  channel.postMessage({ kind, data });
  if (kind === "lost") lost(); else tell(kind, data);
}

// One event of the stream as it comes over the line.
/** @param {string} text */
function take(text) {
  let kind = "", data = "";
  for (const line of text.split("\n")) {
    if (line.startsWith("id: ")) since = line.slice(4);
    if (line.startsWith("event: ")) kind = line.slice(7);
    if (line.startsWith("data: ")) data += line.slice(6);
  }
  pass(kind && data ? kind : "alive", data ? JSON.parse(data) : undefined);
}

// Reads until the stream ends.
/** @param {() => Record<string, string>} headers @param {AbortSignal} signal */
async function read(headers, signal) {
  const answer = await fetch("/api/v1/stream", {
    headers: since ? { ...headers(), "Last-Event-ID": since } : headers(), signal, cache: "no-store", credentials: "same-origin", redirect: "error",
  });
  if (answer.status === 401) return dispatchEvent(new Event("unpaired"));
  if (!answer.ok || !answer.body) throw new Error(String(answer.status));
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      take(text.slice(0, end));
      text = text.slice(end + 2);
    }
  }
}

/** @param {number} time */
const pause = (time) => new Promise((resolve) => { const timer = setTimeout(resolve, time); hurry = () => { clearTimeout(timer); resolve(undefined); }; });

// Reads for this tab and all others, for as long as it is there.
/** @param {() => Record<string, string>} headers */
async function lead(headers) {
  isLeading = true;
  let wait = first, lostAt = Date.now();
  while (isOn) {
    reading = new AbortController();
    begun = Date.now();
    try {
      await read(headers, reading.signal);
    } catch { /* It is tried again. */ }
    if (seen) { wait = first; lostAt = Date.now(); pass("lost"); }
    if (!isOn) break;
    await pause(wait * Math.random());
    // What was restarted is back within a minute, and then nobody should have to wait for the page.
    wait = Math.min(Date.now() - lostAt < 60000 ? soon : longest, wait * 2);
  }
  isLeading = false;
}

/** A connection that says nothing, as after sleep or on a network that is dead, is taken up anew. */
const give = () => { if (isLeading && Date.now() - Math.max(seen, begun) > gone) reading?.abort(); };

function look() {
  if (!isOn || document.hidden) return;
  give();
  hurry?.();
}

addEventListener("online", look);
document.addEventListener("visibilitychange", look);
setInterval(give, 1000);

// Begins to listen, as leader when no other tab is.
/** @param {() => Record<string, string>} headers */
export function listen(headers) {
  if (isOn) return;
  isOn = true;
  channel.postMessage({ kind: "join" });
  // By a name that is no address of this machine there are no locks: then each tab reads for itself.
  if (navigator.locks) navigator.locks.request(name, () => lead(headers)); else lead(headers);
}

export function stop() {
  isOn = false;
  since = "";
  latest.clear();
  reading?.abort();
  hurry?.();
}
