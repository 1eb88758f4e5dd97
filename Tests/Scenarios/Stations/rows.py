"""Fills a catalogue with so many files as if stations had told of them, and says how large its indexes are."""
import json
import math

from calls import FACTS, GALLERY, digest

# Indexes of keys that come in no order are about so full, whatever they were built with.
FULLNESS = 70
INDEXES = [
    ("content", "content_pkey", "PRIMARY KEY", "(sha)"), ("seen", "seen_pkey", "PRIMARY KEY", "(origin, station)"),
    ("delivery", "delivery_pkey", "PRIMARY KEY", "(sha, target, beside)"),
]
PLAIN = [("seen", "seen_volume", "(volume)"), ("seen", "seen_sha", "(sha) WHERE sha IS NOT NULL")]


def fill(server, first, last):
    """Files `first` to `last`, by the stations in turn: what was seen, its content, its copy at the station and the one at the gallery.

    Rows are added in the order in which they came; indexes are made afterwards, which is faster than row by row.
    """
    drop = [f"ALTER TABLE catalog.{table} DROP CONSTRAINT {name}" for table, name, *_ in INDEXES]
    drop += [f"DROP INDEX catalog.{name}" for _, name, _ in PLAIN]
    make = [f"ALTER TABLE catalog.{table} ADD CONSTRAINT {name} {kind} {columns} WITH (fillfactor = {FULLNESS})"
            for table, name, kind, columns in INDEXES]
    make += [f"CREATE INDEX {name} ON catalog.{table} {columns.replace(' WHERE', f' WITH (fillfactor = {FULLNESS}) WHERE')}"
             for table, name, columns in PLAIN]
    make += [f"ALTER INDEX catalog.{name} RESET (fillfactor)" for _, name, *_ in INDEXES + PLAIN]
    facts = FACTS.format(first=first, last=last)
    server.sql(f"""SET synchronous_commit = off; SET maintenance_work_mem = '512MB'; SET work_mem = '64MB'; BEGIN;
{"; ".join(drop)};
SELECT catalog.number_targets(ARRAY['{GALLERY}'], ARRAY['gallery'], ARRAY[NULL::int], ARRAY[false]);
SELECT catalog.number_targets(array_agg(uuid || '|folder|/home/ann/Pictures'), array_agg('archive'::text), array_agg(id), NULL)
    FROM catalog.station;
CREATE TEMP TABLE who AS SELECT row_number() OVER (ORDER BY s.id) - 1 AS place, s.id AS station, t.id AS archive,
    (SELECT id FROM catalog.target WHERE identity = '{GALLERY}') AS gallery
    FROM catalog.station s JOIN catalog.target t ON t.owner = s.id;
CREATE TEMP TABLE facts AS SELECT f.*, w.station, w.archive, w.gallery FROM ({facts}) f
    JOIN who w ON w.place = f.n % (SELECT count(*) FROM who);
INSERT INTO catalog.content (sha, size, captured, kind, station) SELECT sha, size, captured, 1, station FROM facts;
INSERT INTO catalog.seen (origin, volume, seq, at, station, ending, sha, path)
    SELECT origin, n / 1000, n, at, station, 'd', sha, path FROM facts;
INSERT INTO catalog.delivery (token, seq, size, target, station, state, proof, sha, receipt)
    SELECT 1, n, size, target, station, 'd', proof, sha, receipt FROM facts,
        LATERAL (VALUES (archive, 'r'::"char", copy), (gallery, 's'::"char", address)) AS d (target, proof, receipt);
{"; ".join(make)};
COMMIT;
VACUUM ANALYZE catalog.content; VACUUM ANALYZE catalog.seen; VACUUM ANALYZE catalog.delivery; CHECKPOINT""")


def pages_per_key(server, rows):
    """Pages that are read for one content: of its index and its table, by EXPLAIN (BUFFERS), on average of 64 keys."""
    step = max(1, rows // 64)
    keys = ", ".join(f"'\\x{digest(1 + k * step)}'::bytea" for k in range(64))
    plan = json.loads(server.sql(
        f"SET enable_seqscan = off; SET enable_bitmapscan = off; "
        f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT size FROM catalog.content WHERE sha IN ({keys})"))[0]["Plan"]
    if plan["Actual Rows"] != 64:
        raise SystemExit(f"{plan['Actual Rows']} of 64 keys were found")
    return (plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]) / 64


def pages_of_look_up(server, rows):
    """The same of the whole function for 64 keys: what was seen, delivered and by whom."""
    step = max(1, rows // 64)
    keys = ", ".join(f"'\\x{digest(1 + k * step)}'::bytea" for k in range(64))
    plan = json.loads(server.sql(
        f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT * FROM catalog.copies_v1(ARRAY[{keys}])"))[0]["Plan"]
    return (plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]) / 64


def bytes_per_file(server, rows):
    """Of tables and indexes."""
    size = sum(int(server.sql(f"SELECT pg_total_relation_size('catalog.{table}')")) for table in ("content", "seen", "delivery"))
    return size / rows


def levels(server):
    """Levels of the index of contents that a model says for 10^5 to 10^9, by how many keys a page of it holds here."""
    keys = float(server.sql("SELECT count(*) / (pg_relation_size('catalog.content_pkey') / 8192.0) FROM catalog.content"))
    return {exponent: 1 + math.ceil(math.log(10 ** exponent / keys, keys)) for exponent in (5, 6, 7, 8, 9)}
