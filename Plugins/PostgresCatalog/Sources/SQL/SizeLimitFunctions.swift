/// No question and no order is about more than a few hundred things at once: part of the ninth step of the tables.
///
/// Claims, cards and reports had such a limit before.
enum SizeLimitFunctions {
    static let all = [
        refusal,
        CatalogReading.copies(
            "CREATE OR REPLACE", first: AdmissionFunctions.reading + "SELECT refuse_more(cardinality(shas), 256); ",
            state: DoubtFunctions.copyState),
        DoubtFunctions.release(
            ClaimTimeFunctions.back,
            first: "SELECT refuse_more(greatest(cardinality(shas), cardinality(targets)), 256);"),
        permissions,
    ]

    /// Not for stations.
    private static let refusal = """
        CREATE OR REPLACE FUNCTION catalog.refuse_more(count int, most int) RETURNS void LANGUAGE plpgsql STABLE AS $$
        BEGIN
            IF count > most THEN RAISE EXCEPTION 'more than % at once', most USING ERRCODE = '22023'; END IF;
        END $$
        """

    private static let permissions = "REVOKE ALL ON FUNCTION catalog.refuse_more(int, int) FROM PUBLIC"
}
