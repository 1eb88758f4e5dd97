/// Whether whoever has a claim is there, asked anew for each row: the ninth step of the tables.
///
/// A statement sees the sessions as they were when it began, and each row that it has waited for as it is now. A claim of
/// a station whose session began in between was nobody's to such a statement: another one took it away, and both sent
/// the picture.
enum FreshClaimFunctions {
    static let all =
        [living] + ClaimTimeFunctions.all + [
            ReportFunctions.report(
                "CREATE OR REPLACE", also: ", rights = NULL, was = NULL, was_by = NULL\(ClaimTimeFunctions.forgotten)",
                unless: isKept, last: removals),
            permissions, "UPDATE catalog.meta SET schema = 9",
        ]

    /// What a volatile function asks, it asks of the sessions as they are at that moment.
    ///
    /// Not for stations.
    private static let living = """
        CREATE OR REPLACE FUNCTION catalog.is_living(of_token bigint) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
        BEGIN
            RETURN EXISTS (SELECT FROM catalog.session s WHERE s.token = of_token AND s.until > clock_timestamp());
        END $$
        """

    /// What is told of a removal does not end a claim that lasts.
    private static let isKept = "WHEN excluded.state = 'r' AND t.state = 'c' THEN NOT is_living(t.token)"

    /// After the rows are written: a claim that is there still was kept, and nobody changes it before this is done.
    private static let removals =
        "\n            "
        + DoubtFunctions.removals(also: ", was_at = now()\(PutBackFunctions.forgotten), lost_at = NULL", living: "")

    private static let permissions = "REVOKE ALL ON FUNCTION catalog.is_living(bigint) FROM PUBLIC"
}
