/// Who delivers what to a shared target.
///
/// The claim is the row of the delivery itself.
enum ClaimFunctions {
    static let all = [targets, claim, release]

    /// The numbers of targets by identity; those that are new get one.
    ///
    /// Not for stations.
    private static let targets = """
        CREATE FUNCTION catalog.number_targets(identities text[], names text[], owners int[], are_dumb boolean[]) RETURNS void
        LANGUAGE sql \(SessionFunctions.head) AS $$
            INSERT INTO target (identity, name, owner, dumb)
            SELECT DISTINCT ON (x.identity) left(x.identity, 1024), left(x.name, 64), x.owner, coalesce(x.dumb, false)
            FROM unnest(identities, names, owners, are_dumb) AS x (identity, name, owner, dumb)
            WHERE NOT EXISTS (SELECT FROM target t WHERE t.identity = left(x.identity, 1024)) ORDER BY x.identity
            ON CONFLICT (identity) DO NOTHING
        $$
        """

    /// Answers per wish, in their order: `y` granted, `t` taken over, `c` held, `d` done, `u` unsure, `r` removed,
    /// nothing = ask again.
    ///
    /// The insert decides a race, never a look beforehand. Rows are taken in one order, so that two who want the same
    /// do not lock each other up. The last SELECT sees the rows as they were when the statement began: what another
    /// station committed after that has no state there, and must be asked for again.
    private static let claim = """
        CREATE FUNCTION catalog.claim_v1(
            mine bigint, shas bytea[], besides bytea[], targets text[], names text[], are_dumb boolean[])
        RETURNS TABLE (verdict "char", holder text, receipt text) LANGUAGE plpgsql \(SessionFunctions.head) AS $$
        #variable_conflict use_column
        DECLARE who int;
        BEGIN
            SELECT m.station INTO who FROM me(mine) m;
            IF who IS NULL THEN RAISE EXCEPTION 'the session is over' USING ERRCODE = 'FG007'; END IF;
            IF cardinality(shas) > 256 THEN RAISE EXCEPTION 'more than 256 claims at once' USING ERRCODE = '22023'; END IF;
            PERFORM number_targets(targets, names, array_fill(NULL::int, ARRAY[cardinality(targets)]), are_dumb);
            RETURN QUERY
            WITH ask AS (
                SELECT a.sha, a.beside, t.id AS target, t.dumb, a.ord
                FROM unnest(shas, besides, targets) WITH ORDINALITY AS a (sha, beside, identity, ord)
                LEFT JOIN target t ON t.identity = left(a.identity, 1024)),
            won AS (
                INSERT INTO delivery AS d (sha, beside, target, station, token, state)
                SELECT DISTINCT a.sha, a.beside, a.target, who, mine, 'c'::"char" FROM ask a WHERE a.target IS NOT NULL
                ORDER BY a.sha, a.target, a.beside
                ON CONFLICT (sha, target, beside) DO UPDATE SET station = excluded.station, token = excluded.token, at = now()
                WHERE d.state = 'c' AND (d.token = excluded.token OR NOT (
                    EXISTS (SELECT FROM session s WHERE s.token = d.token AND s.until > clock_timestamp())
                    OR EXISTS (SELECT FROM target t WHERE t.id = d.target AND t.dumb)))
                RETURNING d.sha, d.beside, d.target, d.xmax <> 0 AS over),
            was AS (SELECT d.sha, d.beside, d.target, d.token, d.station, d.state, d.receipt FROM delivery d JOIN ask USING (sha, beside, target))
            SELECT CASE WHEN w.sha IS NOT NULL THEN (CASE WHEN w.over AND b.token IS DISTINCT FROM mine THEN 't' ELSE 'y' END)::"char"
                WHEN b.state = 'c' AND a.dumb
                    AND NOT EXISTS (SELECT FROM session s WHERE s.token = b.token AND s.until > clock_timestamp()) THEN 'u'::"char"
                ELSE b.state END, s.name, b.receipt
            FROM ask a LEFT JOIN won w USING (sha, beside, target)
            LEFT JOIN LATERAL (SELECT * FROM was x WHERE x.sha = a.sha AND x.beside = a.beside AND x.target = a.target LIMIT 1) b ON true
            LEFT JOIN station s ON s.id = b.station ORDER BY a.ord;
        END $$
        """

    private static let release = """
        CREATE FUNCTION catalog.release_v1(mine bigint, shas bytea[], besides bytea[], targets text[]) RETURNS int
        LANGUAGE sql \(SessionFunctions.head) AS $$
            WITH gone AS (
                DELETE FROM delivery d USING unnest(shas, besides, targets) AS a (sha, beside, identity), target t, me(mine) m
                WHERE t.identity = left(a.identity, 1024) AND d.sha = a.sha AND d.beside = a.beside AND d.target = t.id
                    AND d.state = 'c' AND d.token = mine AND d.station = m.station RETURNING 1)
            SELECT count(*)::int FROM gone
        $$
        """
}
