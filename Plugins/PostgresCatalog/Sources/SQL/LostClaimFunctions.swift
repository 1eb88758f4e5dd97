/// What a claim leaves behind that takes the place of a lost one: the seventh step of the tables.
enum LostClaimFunctions {
    static let all = [DoubtFunctions.claim(remembers: remembers), "UPDATE catalog.meta SET schema = 7"]

    /// Of several that were lost one after the other, the last may have been sent.
    ///
    /// Before, the first was what stood again when the next gave it back untried, and a station that knew of that one
    /// that nothing had come of it sent what the second had sent. What is told, and not only claimed, stands as before.
    static let remembers = """
        d.was IN ('d', 'r') OR d.token = excluded.token OR d.station = excluded.station AND (excluded.rights & 16) <> 0
        """
}
