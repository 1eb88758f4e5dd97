import FilmgateCore

/// Finds the places of a one-shot run's sources; where it may, looks again for cameras that are not there yet.
struct PlaceSearch: Sendable {
    typealias Found = (driver: any SourceDriver, place: SourcePlace)
    let sources: [any SourceDriver]
    let stopping: CancelFlag
    /// How long; nil: what is asked for must be there.
    let arrival: Duration?
    /// A camera that was just plugged in may belong to root, or be looked at by the desktop, for a moment.
    private static let settling = Duration.seconds(3)
    private static let pause = Duration.milliseconds(500)

    /// What was found when the run is stopped meanwhile.
    func run() async throws(IngestError) -> [Found] {
        guard let arrival, sources.contains(where: Self.comesAndGoes) else { return try await look(within: nil) }
        let end = ContinuousClock.now + arrival
        var held: ContinuousClock.Instant?
        while true {
            let left = end - .now
            let result = await Result { () async throws(IngestError) in try await look(within: max(left, .seconds(2))) }
            if case .failure(let error) = result, Self.settles(error) { held = held ?? .now }
            let isSettled = held.map { .now - $0 > Self.settling } ?? false
            guard Self.mayCome(result), !isSettled, ContinuousClock.now < end, await stopping.sleep(min(Self.pause, max(.zero, end - .now)))
            else { return try result.get() }
        }
    }

    /// Cameras are switched on and off; a folder that is not there is a mistake.
    private static func comesAndGoes(_ driver: any SourceDriver) -> Bool { driver.traits.backlog != nil }

    private static func settles(_ error: IngestError) -> Bool { error.code == .deviceBusy || error.code == .accessDenied }

    private static func mayCome(_ result: Result<[Found], IngestError>) -> Bool {
        switch result {
        case .success(let found): found.isEmpty
        case .failure(let error): error.code == .notFound || error.code == .deviceGone || settles(error)
        }
    }

    /// Where two sources see the same camera, the first has it.
    private func look(within limit: Duration?) async throws(IngestError) -> [Found] {
        var found: [Found] = []
        var seen: Set<String> = []
        for source in sources {
            let limit = Self.comesAndGoes(source) ? limit : nil
            guard let answer = await stopping.answer(within: limit, { () async throws(IngestError) in try await source.places() }) else {
                if stopping.isSet { break }
                throw IngestError(
                    .deviceGone, "No camera answered in time.", advice: "Confirm the connection on the camera, or wait longer.")
            }
            for place in try answer.get() where seen.insert("\(place.address)\u{1F}\(place.visit)").inserted {
                found.append((source, place))
            }
        }
        return found
    }
}
