import FilmgateCore

/// Finds the places of a one-shot run's sources; where it may, looks again for cameras that are not there yet, or in
/// other hands.
struct PlaceSearch: Sendable {
    typealias Found = (driver: any SourceDriver, place: SourcePlace)
    let sources: [any SourceDriver]
    let stopping: CancelToken
    let readiness: Readiness
    /// A camera that was just plugged in may belong to root for a moment; a right that is missing then does not come by
    /// itself.
    private static let settling = Duration.seconds(3)

    /// What was found when the run is stopped meanwhile.
    func run() async throws(IngestError) -> [Found] {
        guard readiness.left != nil, sources.contains(where: Self.comesAndGoes) else {
            return try await look(within: nil)
        }
        var denied: ContinuousClock.Instant?
        while true {
            let result = await Result { () async throws(IngestError) in
                try await look(within: max(readiness.left ?? .zero, .seconds(2)))
            }
            guard let trouble = Self.trouble(result) else { return try result.get() }
            if trouble.code == .accessDenied { denied = denied ?? stopping.clock.now.instant }
            let isSettled = denied.map { stopping.clock.now.instant - $0 > Self.settling } ?? false
            guard !isSettled, await readiness.mayPass(trouble) else { return try result.get() }
        }
    }

    /// Cameras are switched on and off; a folder that is not there is a mistake.
    static func comesAndGoes(_ driver: any SourceDriver) -> Bool { driver.traits.backlog != nil }

    /// Nil where there is something to take.
    private static func trouble(_ result: Result<[Found], IngestError>) -> IngestError? {
        switch result {
        case .success(let found): found.isEmpty ? IngestError(.notFound, Absence.nothingFound.message) : nil
        case .failure(let error): error
        }
    }

    /// Where two sources see the same camera, the first has it.
    private func look(within limit: Duration?) async throws(IngestError) -> [Found] {
        var found: [Found] = []
        var seen: Set<String> = []
        for source in sources {
            let limit = Self.comesAndGoes(source) ? limit : nil
            guard
                let answer = await stopping.answer(
                    within: limit, { () async throws(IngestError) in try await source.places() })
            else {
                if stopping.isSet { break }
                throw IngestError(
                    .deviceGone, "No camera answered in time.",
                    advice: "Confirm the connection on the camera, or give a longer --wait.")
            }
            for place in try answer.get() where seen.insert("\(place.address)\u{1F}\(place.visit)").inserted {
                found.append((source, place))
            }
        }
        return found
    }
}
