/// Since when somebody has a claim, and when one was made that is in doubt: part of the ninth step of the tables.
///
/// A claim that takes the place of another remembers when that was made, as it remembers whose it was: given back
/// untried, it stands again with its own time.
enum ClaimTimeFunctions {
    static let all = [
        columns,
        DoubtFunctions.claim(
            remembers: LostClaimFunctions.remembers, isDumb: PutBackFunctions.isDumb,
            also: PutBackFunctions.remembered + remembered, living: "is_living(d.token)", isTimed: true),
        earlierClaim, DoubtFunctions.freeing(back), permissions,
    ]

    /// Beside `was` and `lost`.
    private static let columns = """
        ALTER TABLE catalog.delivery ADD COLUMN IF NOT EXISTS was_at timestamptz, ADD COLUMN IF NOT EXISTS lost_at timestamptz
        """

    static let forgotten = ", was_at = NULL\(PutBackFunctions.forgotten), lost_at = NULL"

    private static let remembered = """
        ,
                        was_at = CASE WHEN d.state = 'c' AND (\(LostClaimFunctions.remembers)) THEN d.was_at ELSE d.at END,
                        lost_at = CASE WHEN d.state <> 'c' THEN NULL WHEN \(PutBackFunctions.isOwn) THEN d.lost_at
                            WHEN d.was IN ('d', 'r') THEN d.at END
        """

    /// What tables of before remembered has no time.
    static let back = PutBackFunctions.back(
        at: "coalesce(CASE WHEN d.lost IS NULL THEN d.was_at ELSE d.lost_at END, now())",
        also: ", was_at = CASE WHEN d.lost IS NOT NULL THEN d.was_at END, lost_at = NULL")

    /// For programs of before, which ask for no time.
    private static let earlierClaim = """
        CREATE OR REPLACE FUNCTION catalog.claim_v2(
            mine bigint, shas bytea[], besides bytea[], targets text[], names text[], all_rights smallint[])
        RETURNS TABLE (verdict "char", holder text, receipt text, own boolean) LANGUAGE sql \(SessionFunctions.head) AS $$
            SELECT c.verdict, c.holder, c.receipt, c.own FROM claim_v3(mine, shas, besides, targets, names, all_rights) c
        $$
        """

    private static let permissions = """
        REVOKE ALL ON FUNCTION catalog.claim_v3(bigint, bytea[], bytea[], text[], text[], smallint[]) FROM PUBLIC;
        GRANT EXECUTE ON FUNCTION catalog.claim_v3(bigint, bytea[], bytea[], text[], text[], smallint[]) TO filmgate_station
        """
}
