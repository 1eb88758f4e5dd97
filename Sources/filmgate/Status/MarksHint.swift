import FilmgateCore

/// What lets go of deliveries that wait for marks; `status` says it below their target.
enum MarksHint {
    /// Whether what was said last of what waits there is that a mark is missing.
    static func concerns(_ target: LedgerTotals.Target) -> Bool {
        target.lastReason.map([MarkRule.notPicked, MarkRule.notRated].contains) ?? false
    }

    /// `uses`: the target's own says for which event it is, if for one.
    static func text(_ target: LedgerTotals.Target, _ uses: [TargetUse]) -> String {
        let event = uses.first { $0.identity == target.identity }?.event ?? DeliveryRow.unassigned
        let option = event == DeliveryRow.unassigned ? "" : " --event \(ShellWord.quoted(Describe.name(event)))"
        return "  `filmgate mark` says what goes; all of it goes with `filmgate run PIPELINE\(option)`, "
            + "once that pipeline no longer waits"
    }
}
