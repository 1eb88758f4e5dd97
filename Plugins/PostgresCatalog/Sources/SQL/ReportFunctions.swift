/// What stations tell.
enum ReportFunctions {
    static let all = [report("CREATE")]

    /// All of a report or nothing, and each report once.
    ///
    /// The update of the station lets it in only where the catalogue knows the station exactly up to `since`. A report
    /// whose answer was lost is settled by what is returned the next time.
    ///
    /// Facts belong to the station that tells them: the newer `seq` of the same station wins, and no clock decides.
    /// Where the target is shared, the first who says done stands, and whoever saw a copy removed may say so.
    ///
    /// `first` is done before deliveries are written, and `last` after that; `also` is set of a row that is replaced, and
    /// `unless` decides beforehand about rows that it speaks of.
    static func report(
        _ create: String, first: String = "", also: String = "", unless: String? = nil, last: String = ""
    ) -> String {
        let condition = unless.map { "CASE \($0) ELSE \(newer) END" } ?? newer
        return """
            \(create) FUNCTION catalog.report_v1(
            \(beginning)
            \(first)
            \(writing)\(also)
                WHERE \(condition);\(last)
                RETURN upto;
            END $$
            """
    }

    /// Up to where deliveries are written.
    private static let beginning = """
            mine bigint, since bigint, upto bigint,
            c_sha bytea[], c_size bigint[], c_captured bigint[], c_kind smallint[],
            s_origin uuid[], s_volume bigint[], s_at bigint[], s_ending "char"[], s_sha bytea[], s_path text[],
            d_sha bytea[], d_beside bytea[], d_target text[], d_name text[], d_shared boolean[], d_state "char"[], d_proof "char"[],
            d_size bigint[], d_sent bytea[], d_receipt text[])
        RETURNS bigint LANGUAGE plpgsql \(SessionFunctions.head) AS $$
        #variable_conflict use_column
        DECLARE who int; own uuid; identities text[]; known bigint;
        BEGIN
            SELECT m.station INTO who FROM me(mine) m;
            IF who IS NULL THEN RETURN NULL; END IF;
            IF upto <= since OR cardinality(s_origin) > 10000 OR cardinality(d_sha) > 20000 OR cardinality(c_sha) > 20000 THEN
                RAISE EXCEPTION 'a report of this size or order makes no sense' USING ERRCODE = '22023';
            END IF;
            UPDATE station t SET applied = upto WHERE t.id = who AND t.applied = since RETURNING t.uuid INTO own;
            IF own IS NULL THEN
                SELECT t.applied INTO known FROM station t WHERE t.id = who;
                RETURN known;
            END IF;
            -- Two stations' `~/Pictures` are two places: only a shared target goes by its identity alone.
            SELECT array_agg(CASE WHEN x.shared THEN left(x.identity, 1024) ELSE left(own || '|' || x.identity, 1024) END ORDER BY x.ord)
                INTO identities FROM unnest(d_target, d_shared) WITH ORDINALITY AS x (identity, shared, ord);
            IF identities IS NOT NULL THEN
                PERFORM number_targets(identities, d_name,
                    (SELECT array_agg(CASE WHEN x.shared THEN NULL ELSE who END ORDER BY x.ord)
                        FROM unnest(d_shared) WITH ORDINALITY AS x (shared, ord)), NULL);
            END IF;
            INSERT INTO content (sha, size, captured, kind, station)
            SELECT DISTINCT ON (x.sha) x.sha, x.size, x.captured, x.kind, who
            FROM unnest(c_sha, c_size, c_captured, c_kind) AS x (sha, size, captured, kind) ORDER BY x.sha
            ON CONFLICT DO NOTHING;
            INSERT INTO seen AS t (origin, volume, seq, at, station, ending, sha, path)
            SELECT DISTINCT ON (x.origin) x.origin, x.volume, upto, x.at, who, x.ending, x.sha, left(x.path, 4096)
            FROM unnest(s_origin, s_volume, s_at, s_ending, s_sha, s_path) AS x (origin, volume, at, ending, sha, path) ORDER BY x.origin
            ON CONFLICT (origin, station) DO UPDATE SET seq = excluded.seq, at = excluded.at, ending = excluded.ending,
                sha = coalesce(excluded.sha, t.sha) WHERE t.seq < excluded.seq;
            DELETE FROM delivery d USING unnest(d_sha, d_beside, identities, d_state) AS x (sha, beside, identity, state), target t
            WHERE x.state = 'w' AND t.identity = x.identity AND d.sha = x.sha AND d.beside = x.beside AND d.target = t.id
                AND d.station = who AND d.state <> 'c' AND d.seq < upto;
        """

    private static let newer = """
        t.state NOT IN ('d', 'r') OR excluded.state = 'r' OR (t.station = excluded.station AND t.seq < excluded.seq)
        """

    private static let writing = """
            INSERT INTO delivery AS t (sha, beside, target, station, token, seq, state, proof, size, sent, receipt)
            SELECT DISTINCT ON (x.sha, g.id, x.beside)
                x.sha, x.beside, g.id, who, mine, upto, x.state, x.proof, x.size, x.sent, left(x.receipt, 2048)
            FROM unnest(d_sha, d_beside, identities, d_state, d_proof, d_size, d_sent, d_receipt)
                AS x (sha, beside, identity, state, proof, size, sent, receipt) JOIN target g ON g.identity = x.identity
            WHERE x.state IN ('d', 'r') ORDER BY x.sha, g.id, x.beside
            ON CONFLICT (sha, target, beside) DO UPDATE SET station = excluded.station, token = excluded.token, seq = excluded.seq, at = now(),
                state = excluded.state, proof = excluded.proof, size = excluded.size, sent = excluded.sent, receipt = excluded.receipt
        """
}

/// What anybody of the stations may ask.
enum CatalogReading {
    static let all = [copies("CREATE"), stations]

    /// `first` is done before anything is read; `state` is what is told of how a copy stands.
    static func copies(_ create: String, first: String = "", state: String = "q.state") -> String {
        """
        \(create) FUNCTION catalog.copies_v1(shas bytea[])
        RETURNS TABLE (sha bytea, station text, state "char", place text, detail text, proof "char", size bigint, at timestamptz,
            shared text, beside bytea)
        LANGUAGE sql STABLE \(SessionFunctions.head) AS $$
            \(first)SELECT q.sha, t.name, \(state), q.place, q.detail, q.proof, coalesce(q.size, c.size), q.at, q.shared, q.beside FROM (
                SELECT s.sha, s.station, 's'::"char" AS state, s.path AS place, s.ending::text AS detail, NULL::"char" AS proof,
                    NULL::bigint AS size, to_timestamp(s.at / 1000000000.0) AS at, NULL::text AS shared, ''::bytea AS beside
                FROM seen s WHERE s.sha = ANY (shas)
                UNION ALL
                SELECT d.sha, d.station, CASE WHEN d.state = 'c' AND NOT EXISTS (
                        SELECT FROM session x WHERE x.token = d.token AND x.until > clock_timestamp()) THEN 'u' ELSE d.state END,
                    g.name, d.receipt, d.proof, d.size, d.at, CASE WHEN g.owner IS NULL THEN g.identity END, d.beside
                FROM delivery d JOIN target g ON g.id = d.target WHERE d.sha = ANY (shas)) q
            JOIN station t ON t.id = q.station LEFT JOIN content c ON c.sha = q.sha
            ORDER BY q.sha, t.name, q.state DESC, q.at LIMIT 10000
        $$
        """
    }

    private static let stations = """
        CREATE FUNCTION catalog.stations_v1()
        RETURNS TABLE (name text, site text, version text, silence float8, present boolean, clock_ms int, applied bigint, revoked boolean,
            status text) LANGUAGE sql STABLE \(SessionFunctions.head) AS $$
            SELECT t.name, t.site, s.version, extract(epoch FROM clock_timestamp() - s.heard)::float8,
                coalesce(s.until > clock_timestamp(), false), s.clock_ms, t.applied, t.revoked IS NOT NULL, s.status::text
            FROM station t LEFT JOIN session s ON s.station = t.id ORDER BY t.name LIMIT 10000
        $$
        """
}
