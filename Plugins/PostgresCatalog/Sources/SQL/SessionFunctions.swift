/// Who a station is, and for how long.
///
/// `session_user` is the role that signed in, whatever a function runs as. Refusals have states of their own, which
/// `CatalogRefusal` reads.
enum SessionFunctions {
    static let all = [clock, about, me, join("CREATE"), hello, renew, leave]

    /// How every function begins: with the owner's rights, and no names but the catalogue's own.
    static let head = "SECURITY DEFINER SET search_path = catalog, pg_temp"

    private static let about = """
        CREATE FUNCTION catalog.about_v1() RETURNS TABLE (id uuid, schema int, speaks int[]) LANGUAGE sql STABLE \(head) AS $$
            SELECT id, schema, speaks FROM meta
        $$
        """

    /// The station of a living session of the role that asks, else no row.
    ///
    /// Not for stations.
    private static let me = """
        CREATE FUNCTION catalog.me(mine bigint) RETURNS TABLE (station int, token bigint) LANGUAGE sql STABLE \(head) AS $$
            SELECT s.station, s.token FROM session s JOIN station t ON t.id = s.station
            WHERE s.token = mine AND s.until > clock_timestamp() AND t.role = session_user AND t.revoked IS NULL
        $$
        """

    /// `newcomer` is done before a station is made.
    static func join(_ create: String, newcomer: String = "") -> String {
        """
        \(create) FUNCTION catalog.join_v1(own uuid, called text, at_site text, anew boolean)
        RETURNS TABLE (epoch int, applied bigint, catalog uuid) LANGUAGE plpgsql \(head) AS $$
        DECLARE found station;
        BEGIN
            SELECT * INTO found FROM station t WHERE t.uuid = own FOR UPDATE;
            IF found.id IS NULL THEN\(newcomer)
                INSERT INTO station (uuid, role, name, site) VALUES (own, session_user, called, at_site) RETURNING * INTO found;
            ELSIF found.role <> session_user THEN
                RAISE EXCEPTION 'this identity belongs to the role %', found.role USING ERRCODE = 'FG006';
            ELSIF found.revoked IS NOT NULL THEN
                RAISE EXCEPTION 'the station % was shut out', found.name USING ERRCODE = 'FG004';
            ELSE
                UPDATE station t SET name = called, site = at_site, epoch = t.epoch + CASE WHEN anew THEN 1 ELSE 0 END
                WHERE t.id = found.id RETURNING * INTO found;
                IF anew THEN DELETE FROM session s WHERE s.station = found.id; END IF;
            END IF;
            RETURN QUERY SELECT found.epoch, found.applied, m.id FROM meta m;
        EXCEPTION WHEN unique_violation THEN
            RAISE EXCEPTION 'another station is called %', called USING ERRCODE = 'FG005';
        END $$
        """
    }

    /// A session of the same identity that lives and is not the caller's last one is another process: a copied state
    /// directory.
    private static let hello = """
        CREATE FUNCTION catalog.hello_v1(own uuid, of_epoch int, last bigint, program text, station_time timestamptz)
        RETURNS TABLE (token bigint, applied bigint, seconds int, clock_ms int) LANGUAGE plpgsql \(head) AS $$
        DECLARE found station; present session; fresh bigint;
        BEGIN
            SELECT * INTO found FROM station t WHERE t.uuid = own AND t.role = session_user FOR UPDATE;
            IF found.id IS NULL THEN RAISE EXCEPTION 'this state directory has not joined' USING ERRCODE = 'FG001'; END IF;
            IF found.revoked IS NOT NULL THEN RAISE EXCEPTION 'the station % was shut out', found.name USING ERRCODE = 'FG004'; END IF;
            IF found.epoch <> of_epoch THEN
                RAISE EXCEPTION 'the identity of % was taken anew elsewhere', found.name USING ERRCODE = 'FG003';
            END IF;
            SELECT * INTO present FROM session s WHERE s.station = found.id;
            IF present.until > clock_timestamp() AND present.token IS DISTINCT FROM last THEN
                RAISE EXCEPTION 'the identity of % is in use by another process', found.name USING ERRCODE = 'FG002';
            END IF;
            -- 62 random bits: nobody else guesses it.
            fresh := ('x' || substr(replace(gen_random_uuid()::text, '-', ''), 1, 8) || substr(replace(gen_random_uuid()::text, '-', ''), 1, 8))
                ::bit(64)::bigint & 4611686018427387903;
            INSERT INTO session AS s (station, token, until, version, clock_ms)
            VALUES (found.id, fresh, clock_timestamp() + interval '60 seconds', left(program, 64), catalog.clock_difference(station_time))
            ON CONFLICT (station) DO UPDATE SET token = excluded.token, until = excluded.until, heard = clock_timestamp(), version = excluded.version,
                clock_ms = excluded.clock_ms, status = NULL;
            RETURN QUERY SELECT fresh, found.applied, 60, catalog.clock_difference(station_time);
        END $$
        """

    /// A session that is over stays over: what it had claimed may be another's by now.
    private static let renew = """
        CREATE FUNCTION catalog.renew_v1(mine bigint, how jsonb, station_time timestamptz) RETURNS boolean LANGUAGE sql \(head) AS $$
            UPDATE session s SET until = clock_timestamp() + interval '60 seconds', heard = clock_timestamp(), clock_ms = catalog.clock_difference(station_time),
                status = CASE WHEN pg_column_size(how) <= 65536 THEN how ELSE s.status END
            FROM me(mine) m WHERE s.station = m.station RETURNING true
        $$
        """

    private static let leave = """
        CREATE FUNCTION catalog.leave_v1(mine bigint) RETURNS boolean LANGUAGE sql \(head) AS $$
            UPDATE session s SET until = clock_timestamp(), heard = clock_timestamp() FROM me(mine) m WHERE s.station = m.station RETURNING true
        $$
        """

    /// Milliseconds by which that clock is ahead, or nothing where it is away by weeks.
    private static let clock = """
        CREATE FUNCTION catalog.clock_difference(theirs timestamptz) RETURNS int LANGUAGE sql STABLE AS $$
            SELECT CASE WHEN abs(extract(epoch FROM theirs - clock_timestamp())) < 2000000
                THEN (extract(epoch FROM theirs - clock_timestamp()) * 1000)::int END
        $$
        """
}
