import FilmgateCore
import FilmgateLedger

/// The files that a client may see: of one event, or from some moment on; without either, all of them.
public struct GrantScope: Sendable, Hashable {
    public var event: String?
    /// Seconds since 1970: files that were first met then or later.
    public var from: Int64?

    public init(event: String? = nil, from: Int64? = nil) { (self.event, self.from) = (event, from) }

    var isEverything: Bool { event == nil && from == nil }

    func holds(event: String?, since nanoseconds: Int64) -> Bool {
        (self.event == nil || self.event == event) && (from == nil || nanoseconds >= start)
    }

    /// Leaves nothing in that is not in here.
    func narrow(_ filter: inout FrameFilter) {
        if let event { (filter.event, filter.isWithoutEvent) = (event, false) }
        if from != nil { filter.from = max(filter.from ?? .min, start) }
    }

    private var start: Int64 { from.map { $0.multipliedReportingOverflow(by: 1_000_000_000).partialValue } ?? .min }
}

extension GrantScope {
    func add(to object: inout JSONWriter) {
        object.add("event", event)
        object.add("from", from.flatMap { CivilTime(unixSeconds: $0)?.description })
    }
}

extension GrantScope {
    /// Of the board what says nothing of other files: `shown`, without counts where not all of them are in here.
    func board(_ shown: String) -> String {
        guard !isEverything, var object = JSONValue(Array(shown.utf8))?.members else { return shown }
        if let counts = object["assets"]?.members {
            object["assets"] = .object(JSONObject(counts.map { ($0.key, JSONValue.integer(0)) }))
        }
        if object["unfinished"] != nil { object["unfinished"] = .integer(0) }
        return JSONValue.object(object).serialized
    }
}
