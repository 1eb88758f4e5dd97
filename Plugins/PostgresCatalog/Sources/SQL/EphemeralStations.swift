/// Stations that come and go, as workers in a cloud do: a day after its last session ended, such a one is retired, and
/// its name is free for the next.
///
/// What it told stays, under its name and number, and one that comes back goes on where it was. Nobody keeps a clock
/// for that: whoever begins a session, or joins, retires those whose time is up.
enum EphemeralStations {
    static let all = [
        columns, retire("CREATE", waits: untold), join, beginSession, hello, stations(), rights,
        "UPDATE catalog.meta SET schema = 2",
    ]

    /// From the third step on, who still has to deliver something is not retired either; who was shut out is.
    static let keepingWhoDelivers = [
        retire("CREATE OR REPLACE", waits: "(\(untold) OR \(undelivered)) AND t.revoked IS NULL"),
        "UPDATE catalog.meta SET schema = 3",
    ]

    private static let untold = "coalesce(s.status->>'untold', '0') ~ '^[1-9]'"
    private static let undelivered = "coalesce(s.status->>'waiting', '0') ~ '^[1-9]'"

    private static let columns = """
        ALTER TABLE catalog.station ADD COLUMN ephemeral boolean NOT NULL DEFAULT false, ADD COLUMN retired timestamptz, ADD COLUMN was text
        """

    /// Those whose time is up, and with `called` also those of that name which are not there any more: a newcomer of
    /// the same role has it.
    ///
    /// One that said last that something waits is never retired: only it can tell that. It gives its name to a
    /// newcomer, and stays listed under another. Who joined and had no session yet is given ten minutes for it. What one
    /// had claimed is another's to take, as after any lost session.
    ///
    /// Not for stations.
    private static func retire(_ create: String, waits: String) -> String {
        """
        \(create) FUNCTION catalog.retire_ephemeral(newcomer uuid DEFAULT NULL, called text DEFAULT NULL) RETURNS void LANGUAGE sql \(SessionFunctions.head) AS $$
            WITH passing AS (
                SELECT t.id, t.name, \(waits) AS waits,
                    CASE WHEN octet_length(t.name) <= 50 THEN t.name ELSE left(t.name, 12) END || '~' || t.id AS kept,
                    greatest(t.joined, s.until) < clock_timestamp() - interval '24 hours' AS is_old,
                    coalesce(t.name = called AND t.uuid <> newcomer AND t.role = session_user, false)
                        AND coalesce(s.until, t.joined + interval '10 minutes') < clock_timestamp() AS is_followed
                FROM station t LEFT JOIN session s ON s.station = t.id
                WHERE t.ephemeral AND t.retired IS NULL AND coalesce(s.until, t.joined) < clock_timestamp()
                FOR UPDATE OF t SKIP LOCKED),
            over AS (
                SELECT p.* FROM passing p
                WHERE (p.is_followed OR p.is_old AND NOT p.waits) AND NOT EXISTS (SELECT FROM station u WHERE u.name = p.kept)),
            gone AS (DELETE FROM session s USING over o WHERE s.station = o.id AND NOT o.waits)
            UPDATE station t SET name = o.kept, was = coalesce(t.was, o.name), retired = CASE WHEN NOT o.waits THEN clock_timestamp() END
            FROM over o WHERE t.id = o.id
        $$
        """
    }

    /// As `join_v1`, and says whether the station is one of those; one that was retired is back.
    private static let join = """
        CREATE FUNCTION catalog.join_v2(own uuid, called text, at_site text, anew boolean, passing boolean)
        RETURNS TABLE (epoch int, applied bigint, catalog uuid) LANGUAGE plpgsql \(SessionFunctions.head) AS $$
        DECLARE found record;
        BEGIN
            PERFORM retire_ephemeral(own, called);
            SELECT * INTO found FROM join_v1(own, called, at_site, anew);
            UPDATE station t SET ephemeral = passing, was = NULL, retired = NULL, joined = CASE WHEN t.retired IS NULL THEN t.joined ELSE now() END
            WHERE t.uuid = own;
            RETURN QUERY SELECT found.epoch, found.applied, found.catalog;
        END $$
        """

    private static let beginSession =
        "ALTER FUNCTION catalog.hello_v1(uuid, int, bigint, text, timestamptz) RENAME TO begin_session"

    /// As before, and retires those whose time is up.
    ///
    /// One that was retired is back, as after a day without a catalogue, and has its name again where nobody took it.
    private static let hello = """
        CREATE FUNCTION catalog.hello_v1(own uuid, of_epoch int, last bigint, program text, station_time timestamptz)
        RETURNS TABLE (token bigint, applied bigint, seconds int, clock_ms int) LANGUAGE plpgsql \(SessionFunctions.head) AS $$
        DECLARE begun record;
        BEGIN
            SELECT * INTO begun FROM begin_session(own, of_epoch, last, program, station_time);
            UPDATE station t SET retired = NULL, joined = clock_timestamp(), name = CASE WHEN o.is_taken THEN t.name ELSE t.was END,
                was = CASE WHEN o.is_taken THEN t.was END
            FROM (SELECT EXISTS (SELECT FROM station u JOIN station me ON u.name = me.was AND u.id <> me.id WHERE me.uuid = own) AS is_taken) o
            WHERE t.uuid = own AND t.was IS NOT NULL;
            PERFORM retire_ephemeral();
            RETURN QUERY SELECT begun.token, begun.applied, begun.seconds, begun.clock_ms;
        END $$
        """

    /// `first` is done before anything is read.
    static func stations(first: String = "") -> String {
        """
        CREATE OR REPLACE FUNCTION catalog.stations_v1()
        RETURNS TABLE (name text, site text, version text, silence float8, present boolean, clock_ms int, applied bigint, revoked boolean,
            status text) LANGUAGE sql STABLE \(SessionFunctions.head) AS $$
            \(first)SELECT t.name, t.site, s.version, extract(epoch FROM clock_timestamp() - s.heard)::float8,
                coalesce(s.until > clock_timestamp(), false), s.clock_ms, t.applied, t.revoked IS NOT NULL, s.status::text
            FROM station t LEFT JOIN session s ON s.station = t.id WHERE t.retired IS NULL ORDER BY t.name LIMIT 10000
        $$
        """
    }

    private static let rights = """
        REVOKE ALL ON FUNCTION catalog.begin_session(uuid, int, bigint, text, timestamptz) FROM filmgate_station;
        REVOKE ALL ON FUNCTION catalog.retire_ephemeral(uuid, text), catalog.join_v2(uuid, text, text, boolean, boolean),
            catalog.hello_v1(uuid, int, bigint, text, timestamptz) FROM PUBLIC;
        GRANT EXECUTE ON FUNCTION catalog.join_v2(uuid, text, text, boolean, boolean),
            catalog.hello_v1(uuid, int, bigint, text, timestamptz) TO filmgate_station
        """
}
