import FilmgateCore
import FilmgateEngine

/// The event that is chosen here, beside the one that an account keeps.
struct EventChoice {
    let gate: ChosenEvent
    /// The target that asks for the account, for people.
    let keeper: String
    /// Somebody chose it here this moment.
    let isNew: Bool
    /// What was chosen here before may be told to this account: it followed the same one, or nobody's yet.
    let isOwn: Bool
    let console: Console

    /// Takes over the account's choice where that counts; the one to keep there, where it is this machine's.
    func follow(_ kept: Preference?) throws(IngestError) -> Preference? {
        let there = kept.flatMap { $0.changed > 0 ? $0 : nil }
        // What somebody else chose here is nobody's choice to this account.
        if !isOwn, !isNew { ChoiceTime.set(gate.path, 0) }
        guard let time = gate.chosenAt else {
            if let there { try adopt(there) }
            return nil
        }
        var here = Preference(gate.chosen ?? "", changed: time)
        guard let there else { return here }
        if isNew, there.changed >= time, there.changed < .max {
            here.changed = there.changed + 1
            ChoiceTime.set(gate.path, here.changed)
        }
        if there.changed > here.changed { try adopt(there) }
        return here.changed > there.changed ? here : nil
    }

    /// What cannot be an event is left.
    private func adopt(_ there: Preference) throws(IngestError) {
        let event = there.value.isEmpty ? nil : there.value
        if let event, (try? ChosenEvent.checked(event)) == nil { return }
        guard event != gate.chosen else { return ChoiceTime.set(gate.path, there.changed) }
        try gate.choose(event, at: there.changed)
        let what = event.map { "the event \(Describe.name($0))" } ?? "that no event is chosen"
        console.err("\(keeper): your account says \(what), chosen on another machine; so it is here now.")
    }
}
