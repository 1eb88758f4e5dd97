/// What other stations told of a card: the sixth step of the tables.
///
/// No table is new: `seen` has a row for each file that a station has met.
enum CardFunctions {
    static let all = [card, rights, "UPDATE catalog.meta SET schema = 6"]

    /// For each station, and each way in which files ended there, how many of these files it has met on that volume,
    /// and when the last of them.
    ///
    /// Looked up file by file, so that it costs the same however many cards have the volume's number. The asking station
    /// itself says nothing here, nor does one that was shut out.
    private static let card = """
        CREATE OR REPLACE FUNCTION catalog.card_v1(mine bigint, of_volume bigint, origins uuid[])
        RETURNS TABLE (teller text, ending "char", files int, latest bigint)
        LANGUAGE plpgsql STABLE \(SessionFunctions.head) AS $$
        #variable_conflict use_column
        DECLARE who int;
        BEGIN
            SELECT m.station INTO who FROM me(mine) m;
            IF who IS NULL THEN RAISE EXCEPTION 'the session is over' USING ERRCODE = 'FG007'; END IF;
            IF cardinality(origins) > 256 THEN
                RAISE EXCEPTION 'more than 256 files at once' USING ERRCODE = '22023';
            END IF;
            RETURN QUERY
            SELECT t.name, s.ending, count(*)::int, max(s.at) FROM seen s JOIN station t ON t.id = s.station
            WHERE s.origin = ANY (origins) AND s.volume = of_volume AND s.station <> who AND t.revoked IS NULL
            GROUP BY t.name, s.ending ORDER BY t.name, s.ending LIMIT 1000;
        END $$
        """

    private static let rights = """
        REVOKE ALL ON FUNCTION catalog.card_v1(bigint, bigint, uuid[]) FROM PUBLIC;
        GRANT EXECUTE ON FUNCTION catalog.card_v1(bigint, bigint, uuid[]) TO filmgate_station
        """
}
