/// What a claim leaves behind that goes against a word and takes the place of a lost one: the eighth step of the tables.
///
/// A copy that was removed is claimed to be sent again, and that station is lost: it may have sent it. Whoever took that
/// over and gave it back untried left the word alone that the copy was removed, and the next one sent it without asking.
/// A row remembers both now: the lost claim stands again, and the word behind it.
enum PutBackFunctions {
    static let all = [
        columns,
        DoubtFunctions.claim(remembers: LostClaimFunctions.remembers, isDumb: isDumb, also: remembered),
        DoubtFunctions.release(back()), DoubtFunctions.freeing(back()),
        ReportFunctions.report(
            "CREATE OR REPLACE", first: DoubtFunctions.removals(also: forgotten),
            also: ", rights = NULL, was = NULL, was_by = NULL\(forgotten)", unless: DoubtFunctions.isKept),
        "UPDATE catalog.meta SET schema = 8",
    ]

    /// Of a claim behind which a word stands (`was` is `d` or `r`): the claim of a lost station between the two, as `was`
    /// has it where no word does, and whose that was.
    private static let columns = """
        ALTER TABLE catalog.delivery ADD COLUMN IF NOT EXISTS lost "char", ADD COLUMN IF NOT EXISTS lost_by int
        """

    static let forgotten = ", lost = NULL, lost_by = NULL"

    static let isDumb = """
        (\(DoubtFunctions.isDumb) OR d.lost IS NOT DISTINCT FROM 'n')
        """

    /// It is the asking station's own already, and nothing was lost in between.
    static let isOwn =
        "d.token = excluded.token OR d.station = excluded.station AND (excluded.rights & 16) <> 0"

    static let remembered = """
        ,
                        lost = CASE WHEN d.state <> 'c' THEN NULL WHEN \(isOwn) THEN d.lost
                            WHEN d.was IN ('d', 'r') THEN (CASE WHEN \(isDumb) THEN 'n' ELSE 'c' END)::"char" END,
                        lost_by = CASE WHEN d.state <> 'c' THEN NULL WHEN \(isOwn) THEN d.lost_by WHEN d.was IN ('d', 'r') THEN d.station END
        """

    /// What stood there before the claim stands again: a lost claim first, and what was told before that behind it.
    ///
    /// `at`: since when; `also` is set beside.
    static func back(at: String = "now()", also: String = "") -> String {
        """
        state = CASE WHEN coalesce(d.lost, d.was) IN ('c', 'n') THEN 'c' ELSE d.was END,
                    rights = CASE coalesce(d.lost, d.was) WHEN 'c' THEN 1 WHEN 'n' THEN 0 END, station = coalesce(d.lost_by, d.was_by),
                    token = 0, at = \(at), was = CASE WHEN d.lost IS NOT NULL THEN d.was END,
                    was_by = CASE WHEN d.lost IS NOT NULL THEN d.was_by END, lost = NULL, lost_by = NULL\(also)
        """
    }
}
