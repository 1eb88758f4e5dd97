/// Tables and functions, as a list of migrations that only ever grows: one that was released is never edited.
///
/// Stations know nothing of tables: they call functions whose names end in a version. A later migration adds `claim_v2`
/// beside `claim_v1`, and takes the older one away two releases later.
enum CatalogSchema {
    /// The versions of the functions that this program can call.
    static let understands = [1]
    static let schema = "catalog"

    /// The number of the newest tables.
    static var newest: Int { migrations.count }

    /// The statements of each step; the first brings the schema to 1.
    private static let migrations: [[String]] = [
        [CatalogTables.roles, CatalogTables.home] + CatalogTables.all + SessionFunctions.all + ClaimFunctions.all
            + ReportFunctions.all
            + CatalogReading.all + [CatalogTables.rights],
        [CatalogTables.home] + EphemeralStations.all,
        [CatalogTables.home] + EphemeralStations.keepingWhoDelivers,
        [CatalogTables.home] + AdmissionFunctions.all,
        [CatalogTables.home] + DoubtFunctions.all,
        [CatalogTables.home] + CardFunctions.all,
        [CatalogTables.home] + LostClaimFunctions.all,
        [CatalogTables.home] + PutBackFunctions.all,
        [CatalogTables.home] + FreshClaimFunctions.all + SizeLimitFunctions.all,
    ]

    /// What is to be run where the tables are at `present` (0 = none); empty when they are the newest.
    static func statements(from present: Int) -> [String] {
        guard present >= 0, present < newest else { return [] }
        return [
            // One at a time, and never a station that waits for a change of the tables.
            "SET LOCAL lock_timeout = '2s'", "SELECT pg_advisory_xact_lock(20260, 1)",
        ] + (present..<newest).flatMap { migrations[$0] }
    }
}

/// Tables, roles and rights.
enum CatalogTables {
    /// Roles belong to the whole cluster: another database of it may have made them already.
    static let roles = """
        DO $$
        DECLARE name text;
        BEGIN
            FOREACH name IN ARRAY ARRAY['filmgate_owner', 'filmgate_station', 'filmgate_reader'] LOOP
                IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
                    -- Another database of the cluster may be given a catalogue at the same moment.
                    BEGIN EXECUTE format('CREATE ROLE %I NOLOGIN', name); EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END;
                END IF;
            END LOOP;
            IF NOT pg_has_role(current_user, 'filmgate_owner', 'MEMBER') THEN
                EXECUTE format('GRANT filmgate_owner TO %I', current_user);
            END IF;
            EXECUTE format('GRANT CREATE ON DATABASE %I TO filmgate_owner', current_database());
        END $$
        """
    static let home = "SET LOCAL ROLE filmgate_owner"

    /// PostgreSQL lets everybody execute what is made: here nobody may but stations.
    static let all = [
        "CREATE SCHEMA catalog",
        "ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC",
        """
        CREATE TABLE catalog.meta (
            one boolean PRIMARY KEY DEFAULT true CHECK (one), id uuid NOT NULL DEFAULT gen_random_uuid(), schema int NOT NULL,
            speaks int[] NOT NULL)
        """,
        "INSERT INTO catalog.meta (schema, speaks) VALUES (1, '{1}')",
        """
        CREATE TABLE catalog.station (
            id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, uuid uuid NOT NULL UNIQUE, role name NOT NULL, name text NOT NULL UNIQUE,
            site text, epoch int NOT NULL DEFAULT 1, applied bigint NOT NULL DEFAULT 0, revoked timestamptz,
            joined timestamptz NOT NULL DEFAULT now(), CHECK (octet_length(name) BETWEEN 1 AND 64), CHECK (octet_length(site) <= 64))
        """,
        // Renewed every 15 seconds by each station: no index holds what changes, and half of each page is free, so that
        // the row stays in it.
        """
        CREATE TABLE catalog.session (
            station int PRIMARY KEY REFERENCES catalog.station, token bigint NOT NULL UNIQUE, until timestamptz NOT NULL,
            heard timestamptz NOT NULL DEFAULT now(), version text NOT NULL, clock_ms int, status jsonb) WITH (fillfactor = 50)
        """,
        """
        CREATE TABLE catalog.target (
            id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, identity text NOT NULL UNIQUE, name text NOT NULL,
            owner int REFERENCES catalog.station, dumb boolean NOT NULL DEFAULT false)
        """,
        """
        CREATE TABLE catalog.content (
            size bigint NOT NULL, captured bigint, first_at timestamptz NOT NULL DEFAULT now(), station int NOT NULL, kind smallint NOT NULL,
            sha bytea PRIMARY KEY CHECK (octet_length(sha) = 32))
        """,
        """
        CREATE TABLE catalog.seen (
            origin uuid NOT NULL, volume bigint NOT NULL, seq bigint NOT NULL, at bigint NOT NULL, station int NOT NULL,
            ending "char" NOT NULL, sha bytea, path text COLLATE "C" NOT NULL, PRIMARY KEY (origin, station))
        """,
        "CREATE INDEX seen_volume ON catalog.seen (volume)",
        "CREATE INDEX seen_sha ON catalog.seen (sha) WHERE sha IS NOT NULL",
        """
        CREATE TABLE catalog.delivery (
            token bigint NOT NULL, seq bigint NOT NULL DEFAULT 0, at timestamptz NOT NULL DEFAULT now(), size bigint, target int NOT NULL,
            station int NOT NULL, state "char" NOT NULL, proof "char", sha bytea NOT NULL CHECK (octet_length(sha) = 32),
            beside bytea NOT NULL DEFAULT '', sent bytea, receipt text, PRIMARY KEY (sha, target, beside)) WITH (fillfactor = 90)
        """,
    ]

    static let rights = """
        REVOKE ALL ON ALL TABLES IN SCHEMA catalog FROM PUBLIC;
        REVOKE ALL ON ALL FUNCTIONS IN SCHEMA catalog FROM PUBLIC;
        GRANT USAGE ON SCHEMA catalog TO filmgate_station, filmgate_reader;
        GRANT EXECUTE ON FUNCTION catalog.about_v1(), catalog.join_v1(uuid, text, text, boolean),
            catalog.hello_v1(uuid, int, bigint, text, timestamptz), catalog.renew_v1(bigint, jsonb, timestamptz), catalog.leave_v1(bigint),
            catalog.claim_v1(bigint, bytea[], bytea[], text[], text[], boolean[]),
            catalog.release_v1(bigint, bytea[], bytea[], text[]),
            catalog.report_v1(bigint, bigint, bigint, bytea[], bigint[], bigint[], smallint[], uuid[], bigint[], bigint[], "char"[], bytea[],
                text[], bytea[], bytea[], text[], text[], boolean[], "char"[], "char"[], bigint[], bytea[], text[]),
            catalog.copies_v1(bytea[]), catalog.stations_v1() TO filmgate_station;
        GRANT EXECUTE ON FUNCTION catalog.about_v1(), catalog.copies_v1(bytea[]), catalog.stations_v1() TO filmgate_reader
        """
}
