import FilmgateCore

/// The jobs that run, and those that ended within a day.
struct JobList: Sendable {
    enum Refusal: Error, Equatable {
        /// So many run already.
        case tooMany
        /// Another one does the same thing just now.
        case isRunning(String)
        /// Another one does something else, beside which this cannot be done.
        case mustWait(String)
        /// The key was used for another request.
        case otherOrder
    }
    /// Jobs that run at once, and that are kept after their end.
    static let mostRunning = 4, mostKept = 100
    /// Bytes of what all jobs said: of older ones less is kept where it is more.
    static let mostBytes = 8 << 20
    /// Nanoseconds that a job is kept after its end, and a key with it.
    static let life: Int64 = 24 * 3600 * 1_000_000_000

    private var jobs: [String: Job] = [:], order: [String] = []
    private var keys: [String: String] = [:]

    /// Where the key began a job before, that one is the answer, however many run.
    func isFull(for by: String, key: String?) -> Bool {
        if let key, keys[by + " " + key] != nil { return false }
        return jobs.values.count { $0.state == .running } >= Self.mostRunning
    }

    var all: [Job] { order.reversed().compactMap { jobs[$0] } }
    subscript(id: String) -> Job? { jobs[id] }

    /// The job to begin; or the one that began with the same `key`, which is not begun again.
    mutating func begin(_ wanted: Job.Order, id: String, by: String, key: String?, at now: Int64) throws(Refusal) -> (
        job: Job, isNew: Bool
    ) {
        forget(now)
        let key = key.map { by + " " + $0 }
        if let known = key.flatMap({ keys[$0] }).flatMap({ jobs[$0] }) {
            guard known.order == wanted else { throw .otherOrder }
            return (known, false)
        }
        let running = jobs.values.filter { $0.state == .running }
        if let exclusive = wanted.exclusive, let other = running.first(where: { $0.order.exclusive == exclusive }) {
            throw other.order == wanted ? Refusal.isRunning(other.id) : .mustWait(other.id)
        }
        guard running.count < Self.mostRunning else { throw .tooMany }
        let job = Job(id: id, order: wanted, by: by, at: now)
        jobs[id] = job
        order.append(id)
        if let key { keys[key] = id }
        return (job, true)
    }

    mutating func change(_ id: String, _ body: (inout Job) -> Void) -> Job? {
        // Taken out meanwhile: nothing of it is copied.
        guard var job = jobs.removeValue(forKey: id) else { return nil }
        body(&job)
        jobs[id] = job
        shorten()
        return job
    }

    private mutating func shorten() {
        var size = jobs.values.reduce(0) { $0 + $1.size }
        for id in order where size > Self.mostBytes {
            guard var job = jobs[id], job.state != .running, !job.isShortened else { continue }
            size -= job.size
            job.shorten()
            size += job.size
            jobs[id] = job
        }
    }

    private mutating func forget(_ now: Int64) {
        let ended = order.filter { jobs[$0]?.state != .running }
        let many = ended.dropLast(Self.mostKept - 1), old = ended.filter { (jobs[$0]?.ended ?? now) < now - Self.life }
        let gone = Set(many).union(old)
        guard !gone.isEmpty else { return }
        for id in gone { jobs[id] = nil }
        order.removeAll { gone.contains($0) }
        keys = keys.filter { !gone.contains($0.value) }
    }
}
