import FilmgateCore

/// Follows the events of galleries: they are asked again at growing intervals, and what has changed is told.
struct EventFollowing {
    static let soonest = Duration.seconds(2), latest = Duration.seconds(60)

    let galleries: EventDirectories
    let directories: [EventDirectories.Directory]
    let json: Bool

    /// Goes on until the program ends, or a gallery lets nobody in: then why.
    ///
    /// `first`: what was told before, by the place in `directories`.
    func follow(_ first: [Int: EventList]) async -> IngestError? {
        var known = first, troubles: [Int: String] = [:], pause = Self.soonest
        while (try? await Task.sleep(for: pause)) != nil {
            var isChanged = false
            for (index, directory) in directories.enumerated() {
                guard let answer = await galleries.answer(directory, refresh: true) else { continue }
                if let trouble = answer.trouble {
                    if troubles.updateValue(trouble.message, forKey: index) != trouble.message {
                        tell(trouble, answer.target)
                    }
                    if trouble.code == .unauthorized { return trouble }
                    continue
                }
                troubles[index] = nil
                guard let list = answer.list else { continue }
                isChanged = tell(known[index], list, answer.target) || isChanged
                known[index] = list
            }
            pause = Self.pause(after: pause, isChanged: isChanged)
        }
        return nil
    }

    /// Twice as long each time that nothing has changed, up to a minute.
    static func pause(after pause: Duration, isChanged: Bool) -> Duration {
        isChanged ? soonest : min(pause * 2, latest)
    }

    private func tell(_ trouble: IngestError, _ target: String) {
        galleries.context.console.tell(
            IngestError(trouble.code, "\(target): \(trouble.message)", advice: trouble.advice), json: json)
    }

    /// False when nothing has changed.
    private func tell(_ old: EventList?, _ new: EventList, _ target: String) -> Bool {
        let before = Dictionary((old?.events ?? []).map { ($0.id, $0) }) { $1 }, now = Set(new.events.map(\.id))
        var changes: [(String, EventList.Item)] = []
        for item in new.events where before[item.id] != item {
            changes.append((before[item.id] == nil ? "added" : "changed", item))
        }
        // What a list that was cut off does not show may still be there.
        if new.isWhole { changes += (old?.events ?? []).filter { !now.contains($0.id) }.map { ("removed", $0) } }
        for (change, item) in changes { tell(change, item, target, new) }
        return !changes.isEmpty
    }

    private func tell(_ change: String, _ item: EventList.Item, _ target: String, _ list: EventList) {
        let console = galleries.context.console
        guard json else { return console.out(Describe.name("\(change): \(list.label(item))  (\(target))")) }
        var object = JSONWriter()
        object.add("type", "event")
        object.add("change", change)
        object.add("name", list.label(item))
        object.add("target", target)
        object.add("id", item.id)
        object.add("date", item.date)
        object.add("note", item.note)
        console.out(object.finished)
    }
}
