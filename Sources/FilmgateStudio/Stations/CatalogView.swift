import FilmgateCore

/// The catalogue as the page reads it: what `catalog status` said last, asked anew while somebody looks.
///
/// Nobody waits for a catalogue that is away or slow: after a moment what was known before is the answer, with its
/// time.
actor CatalogView {
    struct Reading: Sendable {
        /// The station's own standing, which needs no catalogue; nil where this state directory has not joined.
        var own: JSONValue?
        /// All stations as the catalogue had them, and how many there were.
        var stations: [JSONValue] = [], total = 0
        /// When the catalogue told that: nanoseconds since 1970; nil = it never did.
        var at: Int64?
        /// Why it was not told anew; nil where it was.
        var trouble: Failure?
    }
    struct Failure: Sendable, Equatable { var code: String, message: String, advice: String? }

    /// How long an answer counts, how long whoever asks waits for a newer one, and how long the command may take.
    struct Pace: Sendable {
        var age = Duration.seconds(3), moment = Duration.seconds(2), patience = Duration.seconds(10)
    }

    private let inquiry: CommandInquiry, order: Job.Order, pace: Pace
    /// Nil before the first answer.
    private var reading: Reading?
    private var begun: ContinuousClock.Instant?, isAsking = false
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:], last = 0

    init(_ inquiry: CommandInquiry, pipeline: String?, pace: Pace = Pace()) {
        (self.inquiry, self.pace) = (inquiry, pace)
        order = JobOrders.stations(pipeline: pipeline)
    }

    /// What is known now, asked anew where it is older than it may be.
    func now() async -> Reading {
        if !isAsking, begun.map({ .now - $0 >= pace.age }) ?? true { ask() }
        if isAsking { await wait() }
        return reading ?? Reading(trouble: .early)
    }

    private func ask() {
        (isAsking, begun) = (true, .now)
        Task {
            let said = await inquiry.ask(order, within: pace.patience)
            isAsking = false
            take(said)
            for one in waiting.keys { wake(one) }
        }
    }

    private func wait() async {
        last += 1
        let mine = last
        let impatience = Task { if (try? await Task.sleep(for: pace.moment)) != nil { wake(mine) } }
        await withCheckedContinuation { waiting[mine] = $0 }
        impatience.cancel()
    }

    private func wake(_ one: Int) { waiting.removeValue(forKey: one)?.resume() }

    private func take(_ said: CommandInquiry.Said?) {
        // As many commands as may be asked at once are busy: the next look asks.
        guard let said else { return begun = nil }
        let own = said.all("membership").last, stations = said.all("station"), now = WallClock.nanoseconds
        let all = Reading(own: own, stations: stations, total: stations.count + said.left, at: now)
        if said.exit == 0 { return reading = all }
        // What is wrong with this station alone is told after the list of all.
        var kept = said.error == nil || stations.isEmpty ? reading ?? Reading() : all
        (kept.own, kept.trouble) = (own ?? kept.own, Failure(said, within: pace.patience))
        reading = kept
    }
}

extension CatalogView.Failure {
    /// Before the catalogue said anything.
    static let early = Self(
        code: IngestError.Code.unavailable.rawValue, message: "The catalogue has not answered yet.", advice: nil)

    /// Of a command that failed, or was ended because it took too long.
    init(_ said: CommandInquiry.Said, within patience: Duration) {
        if let error = said.error {
            let advice = error["advice"]?.string
            self.init(
                code: error["code"]?.string ?? "unexpected", message: error["message"]?.string ?? "It failed.",
                advice: advice)
        } else if said.wasEnded {
            self.init(
                code: IngestError.Code.unavailable.rawValue,
                message: "The catalogue did not answer within \(patience.components.seconds) seconds.",
                advice: "Nothing is lost: what happens here is told once it answers.")
        } else {
            self.init(code: "unexpected", message: said.lines.last ?? "The command failed.", advice: nil)
        }
    }
}
