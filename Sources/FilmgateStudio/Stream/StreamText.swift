import FilmgateCore

/// What one reader is sent: server-sent events, of which each carries whole values.
struct StreamText: Sendable {
    private let view: StudioStream.View
    /// How many files there are, and in which picture of the list, as told last.
    private var list: (total: Int, revision: Int)?

    /// `list`: what was told last of the list as a whole, to anybody.
    init(_ view: StudioStream.View, list: (total: Int, revision: Int)? = nil) { (self.view, self.list) = (view, list) }

    /// The first message: whose numbers follow.
    static func hello(_ place: StudioStream.Place, version: String) -> String {
        var object = JSONWriter()
        object.add("type", "hello")
        object.add("instance", place.instance)
        object.add("version", version)
        return message("hello", object.finished, at: place)
    }

    /// Everything has to be read anew.
    static func reset(_ place: StudioStream.Place) -> String { message("reset", anew, at: place) }
    private static let anew = #"{"type":"reset"}"#

    /// One message for each kind of thing; files are told together.
    mutating func messages(_ changes: [ChangeRing<StudioStream.Item>.Change], at place: StudioStream.Place) -> String {
        var text = "", frames: [String] = [], isListed = false
        for change in changes {
            switch change.value {
            case .board(let whole, let shown):
                text += Self.message("board", view.isTrusted ? whole : view.scope.board(shown))
            case .frame(let frame):
                guard view.scope.holds(event: frame.event, since: frame.since) else { continue }
                frames.append(view.isTrusted ? frame.whole : frame.shown)
            case .list(let total, let revision): (list, isListed) = ((total, revision), true)
            case .reset: text += Self.message("reset", Self.anew)
            case .cards: if view.isTrusted { text += Self.message("cards", #"{"type":"cards"}"#) }
            case .job(let job): if view.isTrusted { text += Self.message("job", job) }
            }
        }
        if isListed || !frames.isEmpty {
            text += Self.frames(frames, list, view)
        }
        // Whoever reads up to here needs none of it again, also when there was nothing for this role.
        return text.isEmpty ? "" : text.dropLast() + "id: \(place.text)\n\n"
    }

    /// How many there are of others is not said.
    static func frames(
        _ frames: [String], _ list: (total: Int, revision: Int)?, _ view: StudioStream.View,
        at place: StudioStream.Place? = nil
    ) -> String {
        let total = list.flatMap { view.scope.isEverything ? String($0.total) : nil } ?? "null"
        let revision = list.map { String($0.revision) } ?? "null"
        let object =
            #"{"type":"frames","total":\#(total),"revision":\#(revision),"frames":[\#(frames.joined(separator: ","))]}"#
        return message("frames", object, at: place)
    }

    static func message(_ name: String, _ object: String, at place: StudioStream.Place? = nil) -> String {
        // JSON of this house has no line ends in it.
        (place.map { "id: \($0.text)\n" } ?? "") + "event: \(name)\ndata: \(object)\n\n"
    }
}
