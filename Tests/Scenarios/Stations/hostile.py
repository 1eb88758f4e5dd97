"""A catalogue whose owner lies: every function answers with false, endless, huge, late or malformed words, to imports, runs and proofs."""
import os
import re
import shutil
import time
from collections import Counter

from invariants import Invariants
from proof import Failure, folder as files_below, ledger
from sharer import ended, interrupted, wait_until

# KiB that a catalogue may cost beyond an honest one: libpq keeps a row while it comes, in buffers that double, until twice 16 MiB are there.
MORE_MEMORY = 176 << 10
# No answer is waited for longer than ten seconds, nor many of them one after the other.
LONGEST = 100
EVIL = r"E'\u2400\u202Egnp\u001b[2J\u001b]0;title\u0007\r\nok    all delivered'"
DONE = "SELECT 'd'::\"char\", 'desk9', 'https://gallery.example/1', {own}, now() FROM unnest(shas)"
CLAIMED = "SELECT {word}, {holder}, {receipt}, false, {at} FROM unnest(shas)"
COPIES = ("SELECT u.sha, {station}, 'd'::\"char\", place, 'https://gallery.example/1', {proof}::\"char\", {size}, {at}, {shared}, ''::bytea "
          "FROM unnest(shas) u (sha), unnest(ARRAY['gallery', 'archive', 'nas']) place")
TRUE = {"station": "'desk9'", "proof": "'r'", "size": "2024", "at": "now()", "shared": "(SELECT max(identity) FROM target WHERE owner IS NULL)"}


def claimed(word, holder="'desk9'", receipt="NULL", at="now()"):
    return CLAIMED.format(word=f"{word}::\"char\"", holder=holder, receipt=receipt, at=at)


def copies(**other):
    return COPIES.format(**{**TRUE, **other})


def refusal(state):
    return f"BEGIN RAISE EXCEPTION 'no: %', {EVIL} USING ERRCODE = '{state}'; END"


def late(seconds):
    return f"BEGIN PERFORM pg_sleep({seconds}); RETURN; END"


# What each function says in place of the truth; those that begin with BEGIN are programs.
LIES = {
    "all is done by another": {"claim_v3": DONE.format(own="false")},
    "all is done by yourself": {"claim_v3": DONE.format(own="true")},
    "ask again, for ever": {"claim_v3": claimed("NULL")},
    "another one sends it, for ever": {"claim_v3": claimed("'c'")},
    "nobody knows whether it was sent": {"claim_v3": claimed("'u'")},
    "all was removed": {"claim_v3": claimed("'r'")},
    "a word that nobody knows": {"claim_v3": claimed("'Z'", "NULL")},
    "no answers to claims": {"claim_v3": claimed("'y'") + " LIMIT 0"},
    "an answer too few": {"claim_v3": claimed("'y'") + " LIMIT greatest(0, cardinality(shas) - 1)"},
    "answers for others, too": {"claim_v3": claimed("'y'") + ", generate_series(1, 3)"},
    "a million answers": {"claim_v3": claimed("'d'") + ", generate_series(1, 1000000)"},
    "a name of 200 MB": {"claim_v3": claimed("'d'", "repeat('x', 200000000)")},
    "an address of 10 MB": {"claim_v3": claimed("'d'", receipt="repeat('x', 10000000)")},
    "names that command a terminal": {
        "claim_v3": claimed("'d'", EVIL, EVIL), "card_v1": f"SELECT {EVIL}, 'd'::\"char\", 3, 1::bigint",
        "stations_v1": f"SELECT {EVIL}, {EVIL}, {EVIL}, 'NaN'::float8, true, 1, 1::bigint, false, {EVIL}",
        "copies_v1": copies(station=EVIL)},
    "claims of no time": {"claim_v3": claimed("'c'", at="'infinity'::timestamptz")},
    "claims are late": {"claim_v3": late(300)},
    "claims are refused as over": {"claim_v3": refusal("FG007")},
    "claims are to be repeated at once": {"claim_v3": refusal("40001")},
    "claims are not allowed": {"claim_v3": refusal("42501")},
    "sessions are late": {"hello_v1": late(300)},
    "no session": {"hello_v1": "SELECT 1::bigint, 1::bigint, 1, 1 LIMIT 0"},
    "a session of nothing": {"hello_v1": "SELECT NULL::bigint, NULL::bigint, NULL::int, NULL::int"},
    "a session with mad numbers": {"hello_v1": "SELECT -1::bigint, 9223372036854775807, -2147483648, -2147483648"},
    "nothing was ever told": {"hello_v1": "SELECT 1::bigint, -9223372036854775808, 2147483647, 2147483647"},
    "renewals are refused": {"renew_v1": "SELECT false"},
    "reports are late": {"report_v1": late(300).replace("RETURN;", "RETURN NULL;")},
    "reports say nothing": {"report_v1": "SELECT NULL::bigint"},
    "reports say too much": {"report_v1": "SELECT 9223372036854775807"},
    "reports say less": {"report_v1": "SELECT -1::bigint"},
    "reports are thrown away": {"report_v1": "SELECT $3"},
    "cards are late": {"card_v1": late(300)},
    "cards with mad numbers": {"card_v1": "SELECT repeat('x', 1000000), 'd'::\"char\", -2147483648, -9223372036854775808"},
    "a million stations": {
        "card_v1": "SELECT 'desk' || n, 'd'::\"char\", 2147483647, 1::bigint FROM generate_series(1, 1000000) n",
        "stations_v1": "SELECT 'desk' || n, NULL, NULL, 1::float8, true, 1, 1::bigint, false, NULL FROM generate_series(1, 1000000) n",
        "copies_v1": copies() + ", generate_series(1, 1000000)"},
    "all copies are proven": {"copies_v1": copies(), "claim_v3": DONE.format(own="false")},
    "copies that cannot be": {"copies_v1": copies(size="-1", at="'infinity'::timestamptz", proof="'Z'", shared="repeat('x', 100000)")},
    "copies of others": {"copies_v1": copies().replace("u.sha,", "sha256(u.sha),")},
    "copies whose digests are none": {"copies_v1": copies().replace("u.sha,", "''::bytea,")},
    "copies are late": {"copies_v1": late(300)},
    "a schema of later": {"about_v1": "SELECT gen_random_uuid(), 2147483647, NULL::int[]"},
}
# Pictures wait or are held for the gallery under some of them, because nobody can know better.
WAIT = ("--wait", "4s")


class Liar:
    """Replaces functions of a catalogue, and puts them back."""

    def __init__(self, server):
        self.server = server
        self.honest = server.sql("SELECT string_agg(pg_get_functiondef(p.oid), E';\\n') FROM pg_proc p "
                                 "JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = 'catalog'")

    def lie(self, lies):
        for name, body in lies.items():
            head = self.server.sql(f"SELECT pg_get_function_arguments(oid) || ') RETURNS ' || pg_get_function_result(oid) FROM pg_proc "
                                   f"WHERE oid = (SELECT max(oid) FROM pg_proc WHERE proname = '{name}')")
            language = "plpgsql" if body.startswith("BEGIN") else "sql"
            self.server.sql(f"CREATE OR REPLACE FUNCTION catalog.{name}({head} LANGUAGE {language} SECURITY DEFINER "
                            f"SET search_path = catalog, pg_temp AS $lie$ {body} $lie$")

    def end(self):
        self.server.sql(self.honest)


class Victim:
    """A gallery that can be asked, a station that takes a card under each lie, and one that is asked about that card."""

    def __init__(self, scene):
        self.scene, self.server, self.gallery = scene, scene.catalogue(), scene.gallery()
        self.used = f"{scene.folder}/memory"
        self.stations, self.most, self.longest = 0, 0, (0.0, "")
        self.two = self.station()
        self.liar = Liar(self.server)
        self.asked(self.two, "an honest catalogue", "import", scene.card(12), "--pipeline", self.two.file)
        self.limit = self.memory() + MORE_MEMORY

    def station(self, **options):
        self.stations += 1
        inside = ["/usr/bin/time", "-q", "-f", "%M", "-a", "-o", self.used]
        return self.scene.station(f"desk{self.stations}", self.server, self.gallery, inside=inside, **options)

    def memory(self):
        """Of all that was called since the last time, in KiB."""
        with open(self.used, "r+", encoding="ascii") as file:
            most = max([0, *(int(line) for line in file)])
            file.truncate(0)
        return most

    def asked(self, station, when, *words, exits=(0,)):
        begun = time.monotonic()
        said = ended(station.start(*words), f"{when}: {station.name}: {words[0]}", exits)
        lasted = time.monotonic() - begun
        self.longest = max(self.longest, (lasted, f"{words[0]}, {when}"))
        if lasted > LONGEST:
            raise Failure(f"{when}: {words[0]} took {lasted:.0f} s")
        self.readable(when, said)
        return said

    @staticmethod
    def readable(when, said):
        """Nothing that commands a terminal or looks like a line of the program's own, nothing without end."""
        found = re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", said)
        if found:
            raise Failure(f"{when}: the program says {found.group()!r} to a terminal")
        if "\nok    all delivered" in said:
            raise Failure(f"{when}: a name of the catalogue passes for a line of the program")
        if len(said) > 100_000 or max(map(len, said.splitlines()), default=0) > 5_000:
            raise Failure(f"{when}: the program says {len(said)} characters")

    def suffers(self, when, lies):
        one, card = self.station(), self.scene.card(12)
        truth = Invariants(self.server, [one], self.gallery)
        # A card before the first lie: there is something that it could be said to have forgotten.
        self.asked(one, when, "import", self.scene.card(3), "--pipeline", one.file)
        self.liar.lie(lies)
        one.cards.append(card)
        said = self.asked(one, when, "import", card, "--pipeline", one.file, *WAIT, exits=(0, 8))
        truth.own_copies(one, when)
        self.keeps(when, one, card, said)
        self.proves(when, one, card)
        self.asked(self.two, when, "stations", "--pipeline", self.two.file, exits=(0, 1, 5))
        most = self.memory()
        self.most = max(self.most, most)
        if most > self.limit:
            raise Failure(f"{when}: {most >> 10} MiB of memory, {self.limit >> 10} are the limit")
        self.liar.end()
        self.recovers(when, one, card)
        return said

    def keeps(self, when, one, card, said):
        """What is not at the gallery, the ledger does not call delivered, and the import or `status` says it."""
        rows = ledger(one.state).execute(
            "SELECT substr(c.key, 1, 64), d.state, d.reason FROM delivery d JOIN target t ON t.id = d.target_id "
            "JOIN content c ON c.id = d.content_id WHERE t.name = 'gallery'").fetchall()
        states = {sha: (state, reason) for sha, state, reason in rows}
        missing = set(files_below(card).values()) - set(self.gallery.kept)
        lost = [sha for sha in missing if states.get(sha, ("none", ""))[0] in ("done", "none")]
        if lost:
            raise Failure(f"{when}: {len(lost)} pictures are not at the gallery, and the ledger calls them {states.get(lost[0])}:\n{said}")
        said += self.asked(one, when, "status")
        if missing and not any(word in said for word in ("waiting", "held", "pending", "removed")):
            reasons = Counter(states[sha] for sha in missing)
            raise Failure(f"{when}: {len(missing)} pictures are not at the gallery, and nobody says so; the ledger does: {reasons}\n{said}")

    def proves(self, when, one, card):
        """Whoever asks whether the card may be formatted is not told yes while a picture is missing at the gallery."""
        gone = next(iter(files_below(card).values()))
        before = self.gallery.kept
        self.gallery.kept = [sha for sha in before if sha != gone]
        for station in (one, self.two):
            words = ("safe-to-format", card, "--pipeline", station.file, "--allow", "same-device")
            said = self.asked(station, when, *words, exits=(5, 8))
            if "YES" in said or "NO" not in said:
                raise Failure(f"{when}: {station.name} is asked about a card of which the gallery lacks a picture, and says:\n{said}")
        self.gallery.kept = before

    def recovers(self, when, one, card):
        """With the truth back, all is delivered and told; where a person has to help, the station says how."""
        said = ""
        self.server.sql("UPDATE catalog.session SET until = clock_timestamp()")
        for _ in range(5):
            said += self.asked(one, when, "import", card, "--pipeline", one.file, "--again", exits=(0, 8))
            said += self.asked(one, when, "retry", "--pipeline", one.file, "--anyway", exits=(0, 5, 8))
            missing = set(files_below(card).values()) - set(self.gallery.kept)
            if one.waiting() == 0 and not missing:
                break
            if "`filmgate catalog join --as-new`" in said:
                one.join("--as-new")
        else:
            raise Failure(f"{when}: with an honest catalogue again {len(missing)} pictures are not sent, {one.waiting()} changes not "
                          f"told:\n{said}")
        if "told it -" in said:
            raise Failure(f"{when}: an answer that cannot be was believed and kept, and is told to a person:\n{said}")

    def works(self):
        """A run under one lie after the other: it goes on, takes what comes, and delivers it in the end."""
        hot = f"{self.scene.folder}/hot"
        os.makedirs(hot)
        one = self.scene.station("runner", self.server, self.gallery, hot=hot)
        run = self.scene.started(one.run())
        for when, lies in LIES.items():
            self.liar.lie(lies)
            source = f"{self.scene.card(2)}/DCIM/100TEST"
            for name in os.listdir(source):
                shutil.copy(f"{source}/{name}", f"{hot}/.{name}")
                os.rename(f"{hot}/.{name}", f"{hot}/{name}")
            wait_until(f"{when}: a run's own copies", lambda: not set(files_below(hot)) - set(files_below(one.pictures)), 30)
            time.sleep(1)
            if run.poll() is not None:
                raise Failure(f"{when}: a run ended with {run.returncode}; see {one.log}")
            self.liar.end()
            played(when, "beside a run")
        with open(f"/proc/{run.pid}/status", encoding="ascii") as file:
            most = int(re.search(r"VmHWM:\s+(\d+)", file.read())[1])
        interrupted(run, "a run under a catalogue that lied")
        if most > self.limit:
            raise Failure(f"a run under a catalogue that lied took {most >> 10} MiB of memory, {self.limit >> 10} are the limit")
        with open(one.log, encoding="utf-8", errors="replace") as file:
            said = file.read()
        if "catalog: " not in said:
            raise Failure(f"a run says nothing of a catalogue that lies; see {one.log}")
        self.recovers("after a run", one, hot)
        return most


def played(lie, how):
    """Some take a minute, and all of them many: whoever waits sees that it goes on."""
    print(f"  {list(LIES).index(lie) + 1} of {len(LIES)}: {lie}: {how}", flush=True)


def hostile(scene):
    victim, wrong = Victim(scene), []
    for name, lies in LIES.items():
        begun = time.monotonic()
        try:
            victim.suffers(name, lies)
            played(name, f"{time.monotonic() - begun:.0f} s")
        except Failure as failure:
            # The others are played all the same.
            victim.liar.end()
            victim.memory()
            wrong.append(str(failure))
            played(name, wrong[-1].splitlines()[0])
    most = victim.works()
    if wrong:
        raise Failure(f"{len(wrong)} of {len(LIES)} lies of a catalogue do harm:\n" + "\n".join(wrong))
    print(f"a catalogue that lies in {len(LIES)} ways: no picture is lost, none called safe; {victim.most >> 10} MiB at most, "
          f"{victim.longest[0]:.0f} s at most ({victim.longest[1]}); a run under all of them takes {most >> 10} MiB")
