"""The catalogue's own functions, called by pgbench as the program calls them: one statement, parsed and planned anew each time.

What they are called with is made beforehand, so that only the functions are measured, and what pgbench needs to read it.
"""
import glob
import hashlib
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Shared"))
from cluster import made_for_owner  # noqa: E402
from proof import Failure  # noqa: E402

ROLE = "bench"
# Tokens of sessions: this, and the station's number.
TOKEN = 1_000_000
# The program tells 1,000 lines of its ledger at once: a file and two deliveries are three lines.
BATCH = 333
CLAIMS = 256
GALLERY = "http|https://gallery.example/api/assets|press"

PREPARED = f"""
CREATE SCHEMA bench;
CREATE FUNCTION bench.sha(n bigint) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT sha256(int8send(n)) $$;
CREATE TABLE bench.report (number int PRIMARY KEY, c_sha bytea[], c_size bigint[], c_captured bigint[], c_kind smallint[], s_origin uuid[],
    s_volume bigint[], s_at bigint[], s_ending "char"[], s_sha bytea[], s_path text[], d_sha bytea[], d_beside bytea[], d_target text[],
    d_name text[], d_shared boolean[], d_state "char"[], d_proof "char"[], d_size bigint[], d_sent bytea[], d_receipt text[]);
CREATE TABLE bench.claim (number int PRIMARY KEY, shas bytea[], besides bytea[], targets text[], names text[], rights smallint[]);
CREATE TABLE bench.question (number int PRIMARY KEY, shas bytea[]);
DO $$ DECLARE c record; BEGIN
    FOR c IN SELECT attrelid::regclass AS t, attname FROM pg_attribute JOIN pg_class ON oid = attrelid
        WHERE relnamespace = 'bench'::regnamespace AND relkind = 'r' AND attnum > 1
    LOOP EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET STORAGE EXTERNAL', c.t, c.attname); END LOOP;
END $$;
CREATE ROLE {ROLE} LOGIN; GRANT filmgate_station TO {ROLE};
GRANT USAGE ON SCHEMA bench TO {ROLE}; GRANT SELECT ON ALL TABLES IN SCHEMA bench TO {ROLE};
"""
FACTS = """SELECT n, bench.sha(n) AS sha, encode(substr(bench.sha(-n), 1, 16), 'hex')::uuid AS origin, 12000000 + n % 9000000 AS size,
    1760000000 + n AS captured, 1760000000000000000 + n AS at, 'DCIM/100CANON/IMG_' || lpad(n::text, 10, '0') || '.CR3' AS path,
    '/home/ann/Pictures/2026-11-21/IMG_' || lpad(n::text, 10, '0') || '.CR3' AS copy,
    'https://gallery.example/assets/' || encode(substr(bench.sha(-n), 1, 16), 'hex') AS address
FROM generate_series({first}::bigint, {last}) AS n"""


def stations(server, count):
    """Stations with sessions that last; their numbers are 1 … `count`."""
    every = f"FROM generate_series(1, {count}) AS n"
    server.sql(f"SELECT catalog.join_v1(md5(n::text)::uuid, 'station-' || n, 'bench', false) {every}", role=ROLE)
    server.sql(f"SELECT catalog.hello_v1(md5(n::text)::uuid, 1, NULL, 'bench', now()) {every}", role=ROLE)
    server.sql(f"UPDATE catalog.session SET token = {TOKEN} + station, until = now() + interval '1 day'")
    if server.sql("SELECT min(id), max(id), count(*) FROM catalog.station") != f"1|{count}|{count}":
        raise Failure("the stations have other numbers")


def prepare_reports(server, first, count):
    """`count` reports of new files, from the file `first` on; replaces what was there."""
    last = first + count * BATCH - 1
    both = "array_agg({0} ORDER BY n) || array_agg({0} ORDER BY n)"
    halves = "array_fill({0}, ARRAY[count(*)::int]) || array_fill({1}, ARRAY[count(*)::int])"
    server.sql(f"""TRUNCATE bench.report;
INSERT INTO bench.report
SELECT (n - {first}) / {BATCH}, array_agg(sha ORDER BY n), array_agg(size ORDER BY n), array_agg(captured ORDER BY n),
    array_fill(1::smallint, ARRAY[count(*)::int]), array_agg(origin ORDER BY n), array_fill(77::bigint, ARRAY[count(*)::int]),
    array_agg(at ORDER BY n), array_fill('d'::"char", ARRAY[count(*)::int]), array_agg(sha ORDER BY n), array_agg(path ORDER BY n),
    {both.format("sha")}, {both.format("''::bytea")}, {halves.format("'folder|/home/ann/Pictures'::text", f"'{GALLERY}'::text")},
    {halves.format("'archive'::text", "'gallery'::text")}, {halves.format("false", "true")}, {both.format("'d'::" + '"char"')},
    {halves.format("'r'::" + '"char"', "'s'::" + '"char"')}, {both.format("size")}, {both.format("NULL::bytea")},
    array_agg(copy ORDER BY n) || array_agg(address ORDER BY n)
FROM ({FACTS.format(first=first, last=last)}) f GROUP BY 1;
VACUUM ANALYZE bench.report""")


def prepare_claims(server, first, count, size=CLAIMS):
    """`count` times as many claims as the program makes at once, or `size`, of files that nobody has claimed."""
    last = first + count * size - 1
    server.sql(f"""TRUNCATE bench.claim;
INSERT INTO bench.claim
SELECT (n - {first}) / {size}, array_agg(bench.sha(n) ORDER BY n), array_agg(''::bytea), array_agg('{GALLERY}'::text),
    array_agg('gallery'::text), array_agg(3::smallint)
FROM generate_series({first}::bigint, {last}) AS n GROUP BY 1;
VACUUM ANALYZE bench.claim""")


def prepare_questions(server, rows, count):
    """`count` times 64 of the first `rows` files, anywhere among them."""
    server.sql(f"""TRUNCATE bench.question;
INSERT INTO bench.question
SELECT q, array_agg(bench.sha(1 + ('x' || substr(md5(q || ' ' || k), 1, 15))::bit(60)::bigint % {rows}))
FROM generate_series(0, {count - 1}) AS q, generate_series(1, 64) AS k GROUP BY q;
VACUUM ANALYZE bench.question""")


# A client is a station; `each` is what a client has of its own, `i` counts them.
REPORT = ("\\set i :i + 1\n\\set b :client_id * :each + :i - 1\n\\set token {token} + 1 + :client_id\n"
          "SELECT catalog.report_v1(:token::bigint, :i::bigint - 1, :i::bigint, {columns}) FROM bench.report r WHERE r.number = :b::int;\n")
CLAIM = ("\\set i :i + 1\n\\set b :client_id * :each + :i - 1\n\\set token {token} + 1 + :client_id\n"
         "SELECT c.* FROM bench.claim w, LATERAL catalog.claim_v3(:token::bigint, w.shas, w.besides, w.targets, w.names, w.rights) c "
         "WHERE w.number = :b::int;\n")
QUESTION = ("\\set i :i + 1\n\\set b :client_id * :each + :i - 1\n"
            "SELECT c.* FROM bench.question q, LATERAL catalog.copies_v1(q.shas) c WHERE q.number = :b::int;\n")
RENEWAL = ("\\set token {token} + 1 + :client_id\n"
           "SELECT catalog.renew_v1(:token::bigint, NULL::jsonb, now()) IS TRUE;\n")


def report_script(server):
    columns = server.sql("SELECT string_agg('r.' || attname, ', ' ORDER BY attnum) FROM pg_attribute "
                         "WHERE attrelid = 'bench.report'::regclass AND attnum > 1 AND NOT attisdropped")
    return REPORT.format(token=TOKEN, columns=columns)


class Calls:
    """What a run of pgbench took: milliseconds of each call, by client, and seconds of all."""

    def __init__(self, each, seconds):
        self.each, self.seconds = each, seconds

    @property
    def all(self):
        return sorted(one for calls in self.each.values() for one in calls)

    def quantile(self, part):
        calls = self.all
        return calls[min(len(calls) - 1, int(len(calls) * part))]


def pgbench(server, script, clients=1, each=None, seconds=None, rate=None, role=ROLE, protocol="extended", name="calls"):
    """`each`: so many calls by every client; or for so many `seconds`, at a `rate` of all of them. Two at once have different names."""
    folder = f"{server.folder}/{name}"
    os.makedirs(folder, exist_ok=True)
    for name in glob.glob(f"{folder}/*"):
        os.unlink(name)
    with open(f"{folder}/script.sql", "w", encoding="utf-8") as file:
        file.write(script)
    until = ["-t", str(each)] if each else ["-T", str(seconds)]
    command = [*server.client("pgbench", role)[:-2], "-n", "-M", protocol, "-f", "script.sql", "-l", "--log-prefix=log", "-c",
               str(clients), "-D", "i=0", "-D", f"each={each or 0}", *until, *(["-R", str(rate)] if rate else []), "filmgate"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode or "aborted" in done.stderr:
        raise Failure(f"pgbench: {done.stdout}{done.stderr}")
    calls, begun, over = {}, float("inf"), 0.0
    for name in glob.glob(f"{folder}/log*"):
        with open(name, encoding="ascii") as file:
            for line in file:
                fields = line.split()
                # With a rate the time counts from when the call was due; what it came too late is the last field.
                took, end = int(fields[2]) - (int(fields[6]) if rate else 0), int(fields[4]) + int(fields[5]) / 1e6
                calls.setdefault(int(fields[0]), []).append(took / 1000)
                begun, over = min(begun, end - took / 1e6), max(over, end)
    if each and any(len(calls.get(client, [])) != each for client in range(clients)):
        raise Failure(f"pgbench made other calls than it was told: {done.stdout}{done.stderr}")
    return Calls(calls, over - begun)


def report(server, clients, each, first):
    """Reports of new files by so many stations at once; each was taken in, or this is a failure."""
    prepare_reports(server, first, clients * each)
    server.sql("UPDATE catalog.station SET applied = 0")
    before = int(server.sql("SELECT count(*) FROM catalog.content"))
    calls = pgbench(server, report_script(server), clients, each)
    new = int(server.sql("SELECT count(*) FROM catalog.content")) - before
    least = int(server.sql(f"SELECT min(applied) FROM catalog.station WHERE id <= {clients}"))
    if (new, least) != (clients * each * BATCH, each):
        raise Failure(f"{new} files came to the catalogue of {clients * each * BATCH}; a station is known up to {least} of {each}")
    return calls


def claim(server, clients, each, first):
    """Claims of files that nobody has; each was granted, or this is a failure."""
    prepare_claims(server, first, clients * each)
    before = int(server.sql("SELECT count(*) FROM catalog.delivery WHERE state = 'c'"))
    calls = pgbench(server, CLAIM.format(token=TOKEN), clients, each)
    new = int(server.sql("SELECT count(*) FROM catalog.delivery WHERE state = 'c'")) - before
    if new != clients * each * CLAIMS:
        raise Failure(f"{new} of {clients * each * CLAIMS} claims were granted")
    return calls


def look_up(server, rows, each):
    """Questions about 64 files each, all of which the catalogue has."""
    prepare_questions(server, rows, each)
    server.sql("VACUUM (ANALYZE) catalog.content, catalog.seen, catalog.delivery")
    return pgbench(server, QUESTION, 1, each)


def copy(server, each, first):
    """COPY of the rows of such reports, one transaction for each of them: no index is spared, but nobody looks whether a row is there."""
    folder = made_for_owner(f"{server.folder}/rows-{first}")
    facts = FACTS.format(first=first, last=first + each * BATCH - 1)
    archive, gallery = (int(server.sql(f"SELECT min(id) FROM catalog.target WHERE {which}")) for which in ("owner = 1", "owner IS NULL"))
    tables = {
        "content": ("sha, size, captured, kind, station", "sha, size, captured, 1::smallint, 1"),
        "seen": ("origin, volume, seq, at, station, ending, sha, path", "origin, 77::bigint, 1::bigint, at, 1, 'd'::\"char\", sha, path"),
        "delivery": ("token, seq, size, target, station, state, proof, sha, receipt",
                     "1::bigint, 1::bigint, size, target, 1, 'd'::\"char\", proof, sha, receipt"),
    }
    places = f"""(VALUES ({archive}, 'r'::"char", copy), ({gallery}, 's'::"char", address)) AS d (target, proof, receipt)"""
    loops = "".join(
        f"""EXECUTE format($q$COPY (SELECT {values} FROM facts{f", LATERAL {places}" if table == "delivery" else ""}
            WHERE n / {BATCH} = {first // BATCH} + %s) TO '{folder}/{table}-%s' (FORMAT binary)$q$, k, k);\n"""
        for table, (_, values) in tables.items())
    server.sql(f"CREATE TEMP TABLE facts AS {facts}; CREATE INDEX ON facts ((n / {BATCH})); ANALYZE facts;\n"
               f"DO $$ BEGIN FOR k IN 0..{each - 1} LOOP {loops} END LOOP; END $$")
    before = int(server.sql("SELECT count(*) FROM catalog.delivery"))
    script = "\\set i :i + 1\n\\set b :i - 1\nBEGIN;\n"
    for table, (names, _) in tables.items():
        script += f"COPY catalog.{table} ({names}) FROM '{folder}/{table}-:b' (FORMAT binary);\n"
    script += "COMMIT;\n"
    calls = pgbench(server, script, 1, each, role="postgres", protocol="simple")
    new = int(server.sql("SELECT count(*) FROM catalog.delivery")) - before
    if new != each * BATCH * 2:
        raise Failure(f"{new} deliveries were copied instead of {each * BATCH * 2}")
    return calls


def digest(number):
    """The same as `bench.sha`."""
    return hashlib.sha256(number.to_bytes(8, "big", signed=True)).hexdigest()
