import FilmgateCore

/// The shoot at a glance: what `status --watch` shows.
struct StatusSnapshot: Sendable, Equatable {
    struct Source: Sendable, Equatable {
        var name: String
        /// Within reach.
        var isUp = true
        /// What is wrong with it, or how many files it had.
        var words: String?
        var condition = DeviceCondition()
        /// Who takes what it gives, as pipelines name it; nil where no run says so.
        var module: String? = nil
    }
    struct Target: Sendable, Equatable {
        var name: String
        /// Which place it is; nil where only a queue of that name is known.
        var identity: String?
        /// Its folder, where the name alone says nothing.
        var folder: String?
        /// What tells it from others of that name, such as its event; nil where there are none.
        var apart: String?
        var done = 0, waiting = 0, held = 0, failed = 0
        /// Being sent now; nil where no run says so.
        var sending: Int?
        var bytesWaiting: UInt64 = 0
        /// Seconds that the oldest delivery has waited.
        var age: Double?
        var reason: String?
        /// Its folder on this machine, as far as that is one for all files; nil for targets elsewhere.
        var local: String?
        /// Bytes that are free there.
        var free: UInt64?
        /// What is said beside its name.
        var addition: String? { folder ?? apart.map { "(\($0))" } }
        var label: String { addition.map { "\(name) \($0)" } ?? name }
    }
    struct Frame: Sendable, Equatable {
        /// Nanoseconds since 1970, when its ending was written down.
        var at: Int64
        var name: String, camera: String?
        var ending: Ending?
        /// Targets that have it, and those that have not.
        var done: [String] = [], open: [String] = []
    }
    var sources: [Source] = [], targets: [Target] = [], frames: [Frame] = []
    var endings: [Ending: Int] = [:]
    var unfinished = 0
    /// What needs a person.
    var troubles: [String] = []
    var event: String?
    /// Nanoseconds since 1970: when the run that goes on began; nil when none does.
    var since: Int64?
    var lastRun: String?
    /// A run goes on that takes nothing new.
    var isPaused = false
    /// Frames that reached an ending in the last minute.
    var perMinute: Int?

    /// Files that reached an ending or are on their way.
    var seen: Int { endings.values.reduce(unfinished, +) }
}
