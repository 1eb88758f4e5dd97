/// Who may ask and join, and who is still the station that it was: the fourth step of the tables.
///
/// `join_v1`, `copies_v1` and `stations_v1` keep their names and what they take and return, so that a program of before
/// is refused like one of now.
enum AdmissionFunctions {
    static let all = [
        // Each question looks there, and as a rule nobody is shut out.
        "CREATE INDEX IF NOT EXISTS station_shut_out ON catalog.station (role) WHERE revoked IS NOT NULL",
        refusal, standing, SessionFunctions.join("CREATE OR REPLACE", newcomer: " PERFORM refuse_shut_out(true);"),
        CatalogReading.copies("CREATE OR REPLACE", first: reading), EphemeralStations.stations(first: reading), rights,
        "UPDATE catalog.meta SET schema = 4",
    ]

    static let reading = "SELECT refuse_shut_out(false); "

    /// Refuses a role that has nothing but stations that were shut out; the owner's never is.
    ///
    /// A new station is refused to a role already when one of its stations was shut out: whoever has that one has the
    /// role's password. Workers that come and go share a role, and a dead one is shut out so that it is retired: that
    /// must not stop the others.
    ///
    /// Not for stations.
    private static let refusal = """
        CREATE OR REPLACE FUNCTION catalog.refuse_shut_out(joining boolean) RETURNS void
        LANGUAGE plpgsql STABLE \(SessionFunctions.head) AS $$
        DECLARE shut text;
        BEGIN
            SELECT t.name INTO shut FROM station t
            WHERE t.role = session_user AND t.revoked IS NOT NULL AND CASE WHEN joining THEN NOT t.ephemeral
                ELSE NOT EXISTS (SELECT FROM station u WHERE u.role = session_user AND u.revoked IS NULL) END
            ORDER BY t.revoked DESC LIMIT 1;
            IF shut IS NOT NULL AND NOT pg_has_role(session_user, 'filmgate_owner', 'MEMBER') THEN
                RAISE EXCEPTION 'the station % was shut out', shut USING ERRCODE = 'FG004';
            END IF;
        END $$
        """

    /// Refuses what `hello_v1` would refuse, in the same order and words, and changes nothing.
    private static let standing = """
        CREATE OR REPLACE FUNCTION catalog.standing_v1(own uuid, of_epoch int, last bigint) RETURNS bigint
        LANGUAGE plpgsql STABLE \(SessionFunctions.head) AS $$
        DECLARE found station;
        BEGIN
            SELECT * INTO found FROM station t WHERE t.uuid = own AND t.role = session_user;
            IF found.id IS NULL THEN
                RAISE EXCEPTION 'this state directory has not joined' USING ERRCODE = 'FG001';
            END IF;
            IF found.revoked IS NOT NULL THEN
                RAISE EXCEPTION 'the station % was shut out', found.name USING ERRCODE = 'FG004';
            END IF;
            IF found.epoch <> of_epoch THEN
                RAISE EXCEPTION 'the identity of % was taken anew elsewhere', found.name USING ERRCODE = 'FG003';
            END IF;
            IF EXISTS (SELECT FROM session s WHERE s.station = found.id AND s.until > clock_timestamp()
                AND s.token IS DISTINCT FROM last) THEN
                RAISE EXCEPTION 'the identity of % is in use by another process', found.name USING ERRCODE = 'FG002';
            END IF;
            RETURN found.applied;
        END $$
        """

    private static let rights = """
        REVOKE ALL ON FUNCTION catalog.refuse_shut_out(boolean), catalog.standing_v1(uuid, int, bigint) FROM PUBLIC;
        GRANT EXECUTE ON FUNCTION catalog.standing_v1(uuid, int, bigint) TO filmgate_station, filmgate_reader
        """
}
