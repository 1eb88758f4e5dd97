/// Who may take what somebody else may have sent, saw removed or says to have delivered: the fifth step of the tables.
///
/// What a lost station had claimed is given to whoever can settle whether it sent that; which is a matter of who asks,
/// and not of what was once said of the target. Else a person has to look, whose word comes with the wish, and one
/// station of all that are told so has the claim. A claim that takes the place of a word, or of a lost
/// claim, remembers it: given back untried, that stands again.
///
/// `claim_v1`, `release_v1`, `report_v1` and `copies_v1` keep their names and what they take and return, so that a
/// program of before goes by the same rules.
enum DoubtFunctions {
    static let all = [
        columns, doubt, taking, claim(remembers: remembers), earlierClaim, release(back), earlierRelease,
        freeing(back),
        ReportFunctions.report(
            "CREATE OR REPLACE", first: removals(), also: ", rights = NULL, was = NULL, was_by = NULL", unless: isKept),
        CatalogReading.copies("CREATE OR REPLACE", first: AdmissionFunctions.reading, state: copyState), permissions,
        "UPDATE catalog.meta SET schema = 5",
    ]

    /// By the sessions as they were when the statement began; rows that it locks may be newer.
    static func lives(_ row: String) -> String {
        "EXISTS (SELECT FROM session s WHERE s.token = \(row).token AND s.until > clock_timestamp())"
    }

    /// What is told of a removal does not end a claim that lasts.
    static let isKept = "WHEN excluded.state = 'r' AND t.state = 'c' THEN NOT \(lives("t"))"

    /// Of a claim: what its wish said (as in `claim_v2`), and what stood there before it, by whom: `d`, `r`, or the claim
    /// of a lost station that could settle doubt (`c`) or could not (`n`).
    private static let columns = """
        ALTER TABLE catalog.delivery ADD COLUMN IF NOT EXISTS rights smallint, ADD COLUMN IF NOT EXISTS was "char",
            ADD COLUMN IF NOT EXISTS was_by int
        """

    /// Whether that is a word without proof of a station that was shut out; `shut`: the numbers of those.
    ///
    /// Not for stations.
    private static let doubt = """
        CREATE OR REPLACE FUNCTION catalog.is_doubted(word "char", proof "char", teller int, shut int[]) RETURNS boolean
        LANGUAGE sql IMMUTABLE AS $$
            SELECT teller = ANY (shut) AND (word = 'r' OR word = 'd' AND proof IS DISTINCT FROM 's' AND proof IS DISTINCT FROM 'r')
        $$
        """

    /// Whether a wish with these rights takes a row that stands so.
    ///
    /// `own`: it is the asking station's; `dumb`: whoever claimed it could neither ask nor send twice without harm.
    /// What a lost station had claimed to send it again, or against a word that it is done, needs the same order.
    ///
    /// Not for stations.
    private static let taking = """
        CREATE OR REPLACE FUNCTION catalog.may_take(
            word "char", was "char", lives boolean, own boolean, dumb boolean, rights int) RETURNS boolean
        LANGUAGE sql IMMUTABLE AS $$
            SELECT CASE word
                WHEN 'r' THEN (rights & 4) <> 0
                WHEN 'd' THEN (rights & 32) <> 0
                WHEN 'c' THEN NOT lives AND (own AND (rights & 16) <> 0
                    OR CASE coalesce(was, ' ') WHEN 'r' THEN (rights & 4) <> 0 WHEN 'd' THEN (rights & 32) <> 0 ELSE true END
                        AND ((rights & 10) <> 0 OR (rights & 1) <> 0 AND NOT dumb))
                ELSE false END
        $$
        """

    /// Answers per wish, in their order: `y` granted, `t` taken over, `c` held, `d` done, `u` unsure, `r` removed,
    /// nothing = ask again; whether it was the asking station itself; and, as `claim_v3`, since when a claim lasts or when
    /// it was made that is in doubt.
    ///
    /// `all_rights` has a sum for each wish: 1 the target takes the same bytes twice without harm, 2 it can be asked for
    /// them, 4 what was removed is sent again, 8 what may have been sent is sent all the same, 16 the station knows what
    /// became of its own claims of before, 32 what is said to be done is sent all the same.
    ///
    /// The insert decides a race, never a look beforehand. Rows are taken in one order, so that two who want the same
    /// do not lock each other up. The last SELECT sees the rows as they were when the statement began: what another
    /// station committed after that has no state there, or one that could be taken, and must be asked for again.
    ///
    /// `remembers`: where a claim leaves what stood before the one that it takes the place of; `also` is set of a row that
    /// is taken; `living`: whether whoever has such a row is there.
    static func claim(
        remembers: String, isDumb: String = isDumb, also: String = "", living: String = lives("d"),
        isTimed: Bool = false
    ) -> String {
        let (name, column, time) = isTimed ? ("claim_v3", ", at timestamptz", timeOfClaim) : ("claim_v2", "", "")
        return """
            CREATE OR REPLACE FUNCTION catalog.\(name)(
                mine bigint, shas bytea[], besides bytea[], targets text[], names text[], all_rights smallint[])
            RETURNS TABLE (verdict "char", holder text, receipt text, own boolean\(column)) LANGUAGE plpgsql \(SessionFunctions.head) AS $$
            #variable_conflict use_column
            DECLARE who int; shut int[];
            BEGIN
                SELECT m.station INTO who FROM me(mine) m;
                IF who IS NULL THEN RAISE EXCEPTION 'the session is over' USING ERRCODE = 'FG007'; END IF;
                IF cardinality(shas) > 256 THEN RAISE EXCEPTION 'more than 256 claims at once' USING ERRCODE = '22023'; END IF;
                SELECT array_agg(u.id) INTO shut FROM station u WHERE u.revoked IS NOT NULL;
                PERFORM number_targets(targets, names, array_fill(NULL::int, ARRAY[cardinality(targets)]),
                    ARRAY(SELECT (x.rights & 3) = 0 FROM unnest(all_rights) WITH ORDINALITY AS x (rights, ord) ORDER BY x.ord));
                RETURN QUERY
                WITH ask AS (
                    SELECT a.sha, a.beside, t.id AS target, a.rights, a.ord
                    FROM unnest(shas, besides, targets, all_rights) WITH ORDINALITY AS a (sha, beside, identity, rights, ord)
                    LEFT JOIN target t ON t.identity = left(a.identity, 1024)),
                won AS (
                    INSERT INTO delivery AS d (sha, beside, target, station, token, state, rights)
                    SELECT a.sha, a.beside, a.target, who, mine, 'c'::"char", (bit_and(a.rights) & 3) | (bit_or(a.rights) & 60)
                    FROM ask a WHERE a.target IS NOT NULL GROUP BY a.sha, a.target, a.beside ORDER BY a.sha, a.target, a.beside
                    ON CONFLICT (sha, target, beside) DO UPDATE SET station = excluded.station, token = excluded.token, at = \(isTimed ? since : "now()"),
                        state = excluded.state, rights = excluded.rights,
                        was = CASE WHEN d.state <> 'c' THEN d.state WHEN \(remembers) THEN d.was WHEN \(isDumb) THEN 'n' ELSE 'c' END,
                        was_by = CASE WHEN d.state = 'c' AND (\(remembers)) THEN d.was_by ELSE d.station END\(also)
                    WHERE d.state = 'c' AND d.token = excluded.token OR may_take(
                        CASE WHEN is_doubted(d.state, d.proof, d.station, shut) THEN 'c'::"char" ELSE d.state END,
                        CASE WHEN is_doubted(d.was, d.proof, d.was_by, shut) THEN NULL ELSE d.was END,
                        \(living), d.station = excluded.station, \(isDumb), excluded.rights)
                    RETURNING d.sha, d.beside, d.target, d.xmax <> 0 AS over),
                present AS (
                    SELECT d.sha, d.beside, d.target, d.token, d.station, d.receipt, d.was_by\(isTimed ? ", d.at" : ""), \(lives("d")) AS lives,
                        CASE WHEN is_doubted(d.state, d.proof, d.station, shut) THEN 'c'::"char" ELSE d.state END AS word,
                        CASE WHEN is_doubted(d.was, d.proof, d.was_by, shut) THEN NULL ELSE d.was END AS was,
                        \(isDumb) AS dumb
                    FROM delivery d JOIN ask USING (sha, beside, target))
                \(answering(time))
            END $$
            """
    }

    /// One that is repeated in its session lasts since it was made.
    private static let since = "CASE WHEN d.state = 'c' AND d.token = excluded.token THEN d.at ELSE now() END"

    private static let timeOfClaim = ", CASE WHEN b.word = 'c' AND b.stands IS NOT TRUE THEN b.at END"

    /// The end of a claim: what became of each wish; `more`: what is said beside.
    private static func answering(_ more: String) -> String {
        """
        SELECT CASE
                    WHEN w.sha IS NOT NULL THEN (CASE
                        WHEN w.over AND (b.word IS NULL OR b.word = 'c' AND b.token <> mine AND NOT (b.station = who AND (a.rights & 16) <> 0))
                            THEN 't' ELSE 'y' END)::"char"
                    WHEN b.word = 'c' AND b.lives THEN (CASE WHEN b.token <> mine THEN 'c' END)::"char"
                    WHEN b.is_free THEN NULL::"char"
                    WHEN b.stands THEN b.was
                    WHEN b.word = 'c' THEN 'u'::"char"
                    ELSE b.word END,
                s.name, b.receipt, coalesce(s.id = who, false)\(more)
            FROM ask a LEFT JOIN won w USING (sha, beside, target)
            LEFT JOIN LATERAL (
                SELECT x.*, may_take(x.word, x.was, x.lives, x.station = who, x.dumb, a.rights) AS is_free,
                    x.word = 'c' AND NOT x.lives AND (x.was = 'r' AND (a.rights & 4) = 0
                        OR x.was = 'd' AND (a.rights & 32) = 0) AS stands
                FROM present x WHERE x.sha = a.sha AND x.beside = a.beside AND x.target = a.target LIMIT 1) b ON true
            LEFT JOIN station s ON s.id = CASE WHEN b.stands THEN b.was_by ELSE b.station END ORDER BY a.ord;
        """
    }

    /// Whoever had it could neither ask nor send twice without harm, or so could one before.
    static let isDumb = """
        (coalesce((d.rights & 3) = 0, (SELECT t.dumb FROM target t WHERE t.id = d.target)) OR d.was IS NOT DISTINCT FROM 'n')
        """

    /// It is the asking station's own already, or what was there before is known.
    private static let remembers = """
        d.was IS NOT NULL OR d.token = excluded.token OR d.station = excluded.station AND (excluded.rights & 16) <> 0
        """

    /// For programs of before, which say less: nobody knows of a target that settles doubt whether it can be asked.
    private static let earlierClaim = """
        CREATE OR REPLACE FUNCTION catalog.claim_v1(
            mine bigint, shas bytea[], besides bytea[], targets text[], names text[], are_dumb boolean[])
        RETURNS TABLE (verdict "char", holder text, receipt text) LANGUAGE sql \(SessionFunctions.head) AS $$
            SELECT c.verdict, c.holder, c.receipt FROM claim_v2(mine, shas, besides, targets, names,
                ARRAY(SELECT (CASE WHEN x.dumb THEN 0 ELSE 1 END)::smallint
                    FROM unnest(are_dumb) WITH ORDINALITY AS x (dumb, ord) ORDER BY x.ord)) c
        $$
        """

    /// What stood there before the claim stands again.
    private static let back = """
        state = CASE WHEN d.was IN ('c', 'n') THEN 'c' ELSE d.was END, rights = CASE d.was WHEN 'c' THEN 1 WHEN 'n' THEN 0 END,
                    station = d.was_by, token = 0, at = now(), was = NULL, was_by = NULL
        """

    /// Gives claims back; one that was tried is as good as that of a lost station.
    ///
    /// `back`: what is set of the others where something stood there before; `first` is done before that.
    static func release(_ back: String, first: String = "") -> String {
        """
        CREATE OR REPLACE FUNCTION catalog.release_v2(
            mine bigint, shas bytea[], besides bytea[], targets text[], were_tried boolean[]) RETURNS int
        LANGUAGE sql \(SessionFunctions.head) AS $$\(first)
            WITH given AS (
                SELECT d.sha, d.target, d.beside, d.token, bool_or(a.tried) AS tried
                FROM unnest(shas, besides, targets, were_tried) AS a (sha, beside, identity, tried)
                JOIN target t ON t.identity = left(a.identity, 1024)
                JOIN delivery d ON d.sha = a.sha AND d.target = t.id AND d.beside = a.beside, me(mine) m
                WHERE d.state = 'c' AND d.token = mine AND d.station = m.station GROUP BY d.sha, d.target, d.beside, d.token),
            \(givingBack(back))
        $$
        """
    }

    /// For programs of before, which do not say what was tried.
    private static let earlierRelease = """
        CREATE OR REPLACE FUNCTION catalog.release_v1(mine bigint, shas bytea[], besides bytea[], targets text[]) RETURNS int
        LANGUAGE sql \(SessionFunctions.head) AS $$
            SELECT release_v2(mine, shas, besides, targets, array_fill(false, ARRAY[cardinality(shas)]))
        $$
        """

    /// What that station had claimed and whose session is over; for whoever keeps the catalogue.
    static func freeing(_ back: String) -> String {
        """
        CREATE OR REPLACE FUNCTION catalog.give_free(called text) RETURNS int LANGUAGE sql \(SessionFunctions.head) AS $$
            WITH given AS (
                SELECT d.sha, d.target, d.beside, d.token, false AS tried FROM delivery d JOIN station t ON t.id = d.station
                WHERE t.name = called AND d.state = 'c' AND NOT \(lives("d"))),
            \(givingBack(back))
        $$
        """
    }

    private static func givingBack(_ back: String) -> String {
        """
        lost AS (UPDATE delivery d SET token = 0, at = now() FROM given g WHERE \(isGiven) AND g.tried RETURNING 1),
            back AS (
                UPDATE delivery d SET \(back) FROM given g
                WHERE \(isGiven) AND NOT g.tried AND d.was IS NOT NULL RETURNING 1),
            gone AS (DELETE FROM delivery d USING given g WHERE \(isGiven) AND NOT g.tried AND d.was IS NULL RETURNING 1)
            SELECT ((SELECT count(*) FROM lost) + (SELECT count(*) FROM back) + (SELECT count(*) FROM gone))::int
        """
    }

    /// Whoever took it meanwhile has another token.
    private static let isGiven = """
        d.sha = g.sha AND d.target = g.target AND d.beside = g.beside AND d.state = 'c' AND d.token = g.token
        """

    /// What somebody saw removed ends no claim that lasts: whoever has it may be sending it again.
    ///
    /// That claim leaves it behind when it is given back or lost.
    ///
    /// `also` is set of such a claim; `living`: what is asked beside whether it is one.
    static func removals(also: String = "", living: String = " AND \(lives("d"))") -> String {
        """
        IF 'r' = ANY (d_state) THEN
                UPDATE delivery d SET was = 'r', was_by = who, seq = upto\(also)
                FROM unnest(d_sha, d_beside, identities, d_state) AS x (sha, beside, identity, state), target g
                WHERE x.state = 'r' AND g.identity = x.identity AND d.sha = x.sha AND d.target = g.id AND d.beside = x.beside
                    AND d.state = 'c'\(living);
            END IF;
        """
    }

    /// What is doubted is told as what may be there.
    static let copyState = """
        CASE WHEN t.revoked IS NOT NULL AND q.shared IS NOT NULL AND (q.state = 'r' OR q.state = 'd'
                AND q.proof IS DISTINCT FROM 's' AND q.proof IS DISTINCT FROM 'r') THEN 'u'::"char" ELSE q.state END
        """

    private static let permissions = """
        REVOKE ALL ON FUNCTION catalog.is_doubted("char", "char", int, int[]),
            catalog.may_take("char", "char", boolean, boolean, boolean, int), catalog.give_free(text),
            catalog.claim_v2(bigint, bytea[], bytea[], text[], text[], smallint[]),
            catalog.release_v2(bigint, bytea[], bytea[], text[], boolean[]) FROM PUBLIC;
        GRANT EXECUTE ON FUNCTION catalog.claim_v2(bigint, bytea[], bytea[], text[], text[], smallint[]),
            catalog.release_v2(bigint, bytea[], bytea[], text[], boolean[]) TO filmgate_station
        """
}
