// Every text of the page, by key. Text in braces is filled in; where a bar stands, the first form is for one, the other for any other number `n`.
const english = {
  capture: "Capture", deliveries: "Deliveries", history: "History", profile: "Profile",
  noEvent: "No event", taking: "Taking", paused: "Paused", noRun: "No run", well: "All well",
  setAside: "{n} set aside", held: "{n} held", failed: "{n} failed", waiting: "{n} waiting",
  lost: "Lost connection, last seen {n} s ago",
  pairTitle: "Pair this browser", pairHelp: "Open the link that filmgate studio printed, or type its code. It counts once, for five minutes.",
  code: "Code", pair: "Pair",
  frames: "1 file|{n} files", shots: "1 shot|{n} shots", with: "with {files}", newFrames: "1 new file|{n} new files", above: "▲ {n} new", newest: "Newest", nothing: "Nothing here.", nothingYet: "Nothing has been taken yet.",
  kinds: "Show", kindsSeen: "Pictures and clips", kindsAll: "Every file", endings: "State", any: "Any", search: "Search by name, SHA-256 or serial number",
  noPicture: "No picture of it can be shown.", pictureOf: "Picture of {name}", follow: "Follow the newest", big: "One frame", close: "Close", secondScreen: "Second screen",
  loading: "Loading …", list: "Files, newest first",
  delivered: "delivered", duplicate: "duplicate", alreadySeen: "already seen", filtered: "filtered", pending: "pending", unfinished: "on its way",
  setAsideWord: "set aside", done: "done", heldWord: "held", failedWord: "failed", excluded: "excluded",
  verdictWell: "Nothing waits", verdictWaiting: "{n} on the way", verdictHeld: "Held: 1 waits|Held: {n} wait", verdictFailed: "{n} failed",
  bytesWaiting: "Waiting", oldest: "Since", nextTry: "Next try", reason: "Reason", counts: "Files",
  countsOf: "{done} there, {pending} waiting, {held} held, {failed} failed", denied: "{n} not there any more",
  open: "Not done", more: "Show more", state: "State",
  runs: "Runs", run: "Run {n}", started: "Began", ended: "Ended", exit: "Exit code", running: "under way", brokeOff: "broke off", back: "Back",
  cards: "Where files came from", last: "Last", files: "1 file, {bytes}|{n} files, {bytes}",
  copies: "Copies and receipts", places: "Where these bytes were found", decided: "What decided", notes: "Notes", facts: "Facts", wanted: "Wanted by",
  path: "Path", sha256: "SHA-256", size: "Size", captured: "Captured", camera: "Camera", serial: "Serial number", ending: "State", flags: "Flags", eventWord: "Event",
  verified: "proof: {how}", at: "at {time}",
  you: "This browser", role: "Role", until: "Until", leave: "Sign this browser out", others: "Who may come in", end: "End", link: "Let another browser in",
  cardsTab: "Cards", events: "Events", pipeline: "Pipeline", doctor: "Doctor", no: "No, leave it", stop: "Stop", said: "What the command said",
  jobRunning: "under way", jobStopped: "stopped", "verb retry": "Try again", "verb cancel": "Take back", "verb assign": "Assign", "verb events use": "Choose event", "verb events list": "Ask galleries",
  "verb pause": "Pause", "verb resume": "Continue", pause: "Pause", goOn: "Continue", "verb plan": "Plan", "verb import": "Import", "verb safe-to-format": "Prove", "verb check": "Check", "verb doctor": "Doctor",
  exit0: "done", exit2: "the command did not understand it", exit3: "finished, some files were set aside", exit4: "sign-in is needed, or was refused", exit5: "the source is not there, or was lost",
  exit6: "a copy differs", exit7: "a disk or target is full", exit8: "not everything is done or proven", exit9: "nothing to do", exit10: "another Filmgate holds the state", exit78: "the pipeline has mistakes",
  exitOther: "failed (exit code {n})", retry: "Try again", retryFailed: "Try refused ones again", retryAll: "Try everything again", takeBack: "Take back …",
  takeBackAsk: "Take back 1 delivery that {target} does not have yet? It is not delivered there then.|Take back {n} deliveries that {target} does not have yet? They are not delivered there then.", takeBackOneAsk: "Take back {name} for {target}? It is not delivered there then.",
  eventsHelp: "A run keeps the event that it began with; the chosen one is for the next.", unassigned: "1 delivery is held without an event: assign it below.|{n} deliveries are held without an event: assign them below.", noEvents: "No event was chosen or read yet.",
  chosen: "chosen", use: "Use", useNow: "Use now …", useNowAsk: "Begin anew with {event}? The run goes on with it within a second; what it took before stays with its event.", assign: "Assign held …", assignTo: "Assign to event …", assignSome: "Give 1 file to an event, as far as it is held without one? RAW, JPEG, sidecars and memos of its shot go with it.|Give {n} files to an event, as far as they are held without one? RAW, JPEG, sidecars and memos of their shots go with them.",
  assignAsk: "Give everything that is held without an event to {event}, and send it?", runsOf: "1 run|{n} runs", otherEvent: "Another event", eventName: "Its name, or its id at a gallery", askGalleries: "Ask the galleries again",
  noCards: "No card is mounted.", unreadable: "It cannot be read by this user.", plan: "Plan", import: "Import", prove: "May I format it?", noPipeline: "To import here, start the page with a pipeline: ",
  notProven: "Not proven. Nothing is known before it is read.", proofLost: "Not known now: nothing is heard of it. At {time} it was YES.", proofOld: "Not known any more: the proof of {time} is older than ten minutes.",
  proofChecking: "Every file and every copy is read now.", proofYes: "It may be formatted: proven at {time}, counts until {until} or until something changes.", proofNo: "Do not format it, as of {time}. {reason}", noAnswer: "No answer comes.",
  proofWithdrawn: "Do not format it: it was proven at {time}, but counts no more. {reason}", proven: "proven", exempt: "exempt", not_proven: "not proven", removed: "removed",
  foundProblems: "problems were found", fine: "good", problem: "problem", look: "Look now", lookedAt: "Looked at {time}.", doctorHelp: "Looks for what would go wrong: state, ledger, disk, clock, cards, cameras, targets.", check: "Check again", pipelineHelp: "The file is changed in an editor; here it is only read, with what check says of it.",
  profiles: "What holds for each camera", profilesHelp: "As filmgate profile show says of the cameras that were seen here last, with the line that decided it.", profilesNone: "No camera was seen yet.", profilesMore: "Others were seen before these.", profileNone: "No rule fits it.",
  accounts: "Accounts", accountsHelp: "The sign-ins of the pipeline. Signing in shows an address here, which any device may open.", noAccounts: "The pipeline has no sign-ins.", allSignedIn: "Nobody has to sign in: all are signed in.", signIn: "Sign in", signIns: "Who is signed in",
  "account signedIn": "signed in", "account signedOut": "signed out", "account signingIn": "signing in", "account expired": "ended", "account locked": "locked", "account error": "in trouble", "verb login": "Sign in", "verb logout": "Sign out", signOut: "Sign out …", signOutAsk: "Sign out of {name} here? What is for it is held then until somebody signs in.", "verb whoami": "Accounts",
  invited: "Open this address on any device:", invitedCode: "and enter the code", qrOf: "The address as a QR code",
  makeLink: "Make a code", linkMade: "Type this code there within five minutes:", clientMade: "For the client, until it is over or ended below:", sees: "Shows", everything: "everything", fromNow: "what comes in from now on", eventIs: "the event {event}", hours: "For", client: "Name of the client", "for 8h": "8 hours", "for 24h": "1 day", "for 7d": "7 days", "for 30d": "30 days", unfit: "This session may not see it.",
  picked: "picked", rejected: "rejected", stars: "1 star|{n} stars", noStars: "no stars", colour0: "no colour", colour1: "purple", colour2: "red", colour3: "orange", colour4: "yellow", colour5: "green", colour6: "turquoise", colour7: "blue", colour8: "grey",
  marked: "Marked: {words}", cleared: "nothing", undo: "Undo", pick: "Pick", reject: "Reject", unpick: "Neither", rating: "Stars", colour: "Colour", marking: "Marks", choose: "Select", chooseAll: "Select all", chooseNone: "Select none", selected: "{n} selected",
  keys: "Keys", letters: "Single letters and digits are keys, too", keysMove: "Arrows, Page, Home, End", keyMove: "another frame; with Shift, all between are selected", keysOpen: "Space, Enter, Esc", keyOpen: "as large as the window, its page, back", keysRate: "0 – 5", keyRate: "stars", keysPick: "T, X, U", keyPick: "picked or no more, rejected, neither", keysTag: "Ctrl + and Ctrl −", keyTag: "picked, neither", keysColour: "Alt 0 – 8", keyColour: "colour", keysSelect: "Ctrl A, Ctrl Space, Esc", keySelect: "all of this list, this one, none", keysUndo: "Ctrl Z", keyUndo: "take back what was marked last", keysFollow: "F, /, ?", keyFollow: "follow the newest, search, these keys", byWhom: "Marked by",
  keysLook: "Z, C, F3", keyLook: "one by one pixels in the large view, compare what is selected, only what is picked (also G, T)", keysRetry: "R, P", keyRetry: "send again what was refused, of all or of what is selected; pause or continue the run", keysTabs: "G, then E C A D H S I O P", keyTabs: "Events, Capture, Cards, Deliveries, History, Stations, Pipeline, Doctor, Profile",
  whole: "1:1", wholeLoading: "{width} × {height} pixels; all of them are on their way …", wholeAll: "{width} × {height} pixels", wholePreview: "A preview of {width} × {height} pixels; the whole picture cannot be shown.", compare: "Compare", compareSome: "Select two to four frames first.", chooseFirst: "Select a frame first.", pauseAsk: "Pause? The run takes nothing new then, while deliveries continue.", goOnAsk: "Continue? The run takes new files again.",
  filters: "More filters", picks: "Picks", target: "Target", there: "There", starsOrMore: "{n} and up", sources: "Sources", battery: "battery {n} %", free: "{room} free", gone: "lost", takenBy: "taken by {module}", perMinute: "{n} a minute", leftSoon: "about a minute left", leftMinutes: "about {n} minutes left", leftHours: "about {n} hours left", sparkOf: "Files in each ten seconds of the last ten minutes, at most {n}",
  locked: "locked", lockedOf: "{event} is locked: the run goes on with it.", unlockedOf: "{event} is unlocked: with Use now the run begins anew with another event.", lock: "Lock", unlock: "Unlock",
  chooseFor: "Choose one here, or", withoutEvent: "capture without an event",
  noneChosen: "No event is chosen, so what is taken belongs to none.", chooseEvent: "Choose an event", endCapture: "End capture …", endAsk: "End the capture? Sources give nothing more then; what was taken is delivered.",
  endWaits: "On the way: {n}.", endOver: "Nothing is on its way.", endHeld: "Held or refused: {n}.",
  stations: "Stations", noCatalog: "The pipeline names no catalogue.", noCatalogYet: "Start the page with a pipeline that names one: ", notJoined: "This state directory has not joined: ",
  connected: "connected since {time}", away: "away since {time}", untelling: "no run tells it now", asOf: "As of {time}.", untold: "Not told yet", heldFor: "Held for it", claims: "Claims", catalogue: "Catalogue",
  thereNow: "there now", lastSeen: "last seen {time}", neverSeen: "never seen", shutOut: "shut out", site: "Place", taken: "Cards taken", whoHas: "Who has it", ask: "Ask the catalogue", nobody: "nobody",
  upcoming: "Still on the camera", toCome: "1 frame is still to come|{n} frames are still to come", seen: "seen", claimed: "sends it", unsure: "may have sent it", answerWas: "The answer was {status}.",
};

/** @param {string} key @param {Record<string, string | number>} [values] */
export function t(key, values = {}) {
  const forms = english[key]?.split("|");
  if (!forms) throw new Error(`no text for ${key}`);
  return (String(values.n) === "1" ? forms[0] : forms.at(-1)).replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

// How many files.
/** @param {number} count */
export const files = (count) => t("frames", { n: number(count) });

// What an exit code means.
/** @param {number} code */
export const exitWord = (code) => (`exit${code}` in english ? t(`exit${code}`) : t("exitOther", { n: code }));

// A moment, by this clock.
/** @param {string | null} time */
export const clock = (time) => (time ? new Date(time).toLocaleTimeString("en-GB") : "");

const units = ["B", "kB", "MB", "GB", "TB", "PB"];

/** @param {number} count */
export function bytes(count) {
  let value = count, unit = 0;
  while (value >= 1000 && unit < units.length - 1) { value /= 1000; unit += 1; }
  return `${unit === 0 || value >= 10 ? Math.round(value) : Math.round(value * 10) / 10} ${units[unit]}`;
}

// A camera's name; many models name their maker themselves.
/** @param {{make: string | null, model: string | null}} frame */
export const camera = ({ make, model }) =>
  make && model && !model.toLowerCase().startsWith(make.split(" ")[0].toLowerCase()) ? `${make} ${model}` : model || make || "";

/** @param {number} count */
export const number = (count) => count.toLocaleString("en");

// A moment, by this clock; a time that carries no zone as it was written.
/** @param {string | null} time */
export const when = (time) => (!time ? "" : time.endsWith("Z") ? new Date(time).toLocaleString("sv") : time.replace("T", " "));

const marks = {
  delivered: ["✓", "good"], duplicate: ["＝", "good"], alreadySeen: ["✓", "good"], filtered: ["–", "quiet"], pending: ["…", "wait"], setAside: ["!", "bad"],
  done: ["✓", "good"], proven: ["✓", "good"], exempt: ["–", "quiet"], not_proven: ["!", "bad"], removed: ["!", "bad"], held: ["‖", "wait"], failed: ["!", "bad"], excluded: ["–", "quiet"],
};
const names = { setAside: "setAsideWord", held: "heldWord", failed: "failedWord" };

// A state as a sign, a word and a colour: never by colour alone.
/** @param {string} state */
export function mark(state) {
  const [sign, style] = marks[state] ?? ["?", "quiet"];
  return { sign, style, word: t(names[state] ?? (state in english ? state : "any")) };
}
