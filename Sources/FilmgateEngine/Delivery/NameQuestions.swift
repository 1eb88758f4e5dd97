import FilmgateCore

/// Deliveries whose target has to be asked for their names before they are sent, by shot and target.
struct NameQuestions: Sendable {
    private var unasked: [String: [Delivery.ID]] = [:]
    /// Those that wait for the answer; one question at a time for the shot.
    private var waiting: [String: [Delivery.ID]] = [:]

    mutating func add(_ id: Delivery.ID, of shot: String) {
        if unasked[shot]?.contains(id) != true { unasked[shot, default: []].append(id) }
    }

    mutating func forget(_ id: Delivery.ID, of shot: String) {
        guard var rest = unasked[shot] else { return }
        rest.removeAll { $0 == id }
        if rest.isEmpty { unasked.drop(shot) } else { unasked[shot] = rest }
    }

    /// The files to ask about, with this one; nil where the shot's question is under way.
    mutating func ask(for id: Delivery.ID, of shot: String) -> [Delivery.ID]? {
        add(id, of: shot)
        waiting[shot, default: []].append(id)
        return waiting[shot]?.count == 1 ? unasked[shot] : nil
    }

    /// Until the question that is under way for the shot has been answered and that is written down.
    mutating func wait(for id: Delivery.ID, of shot: String) { waiting[shot, default: []].append(id) }

    /// The question is answered: returns those that waited for that.
    mutating func end(of shot: String) -> [Delivery.ID] { waiting.drop(shot) ?? [] }
}
