import FilmgateCore
import Synchronization
import Testing

@testable import FilmgateEngine

/// `--wait`: for cameras that are not there, and for those that are and not ready.
@Suite struct ReadinessTests {
    private final class Camera: SourceDriver {
        let answers: Mutex<[Result<[SourcePlace], IngestError>]>
        var traits: SourceTraits { SourceTraits(backlog: .all) }
        static let place = SourcePlace(source: "ptp", address: "ptpip://camera", label: "Camera")

        init(_ answers: [Result<[SourcePlace], IngestError>]) { self.answers = Mutex(answers) }

        func places() async throws(IngestError) -> [SourcePlace] {
            try answers.withLock { $0.isEmpty ? .success([Self.place]) : $0.removeFirst() }.get()
        }
        func open(_ place: SourcePlace) async throws(IngestError) -> any SourceSession {
            throw IngestError(.unexpected, "not here")
        }
    }

    private let stopping = CancelToken(), hub = EventHub()

    private func readiness(_ wait: Duration?, awaitsBusy: Bool = true) -> Readiness {
        var options = RunOptions(verb: "import", state: "")
        (options.arrival, options.awaitsBusy) = (wait, awaitsBusy)
        return Readiness(options, stopping, hub)
    }

    private func search(_ answers: [Result<[SourcePlace], IngestError>], _ readiness: Readiness) async throws
        -> [SourcePlace]
    {
        try await PlaceSearch(sources: [Camera(answers)], stopping: stopping, readiness: readiness).run().map(\.place)
    }

    private static func failure(_ code: IngestError.Code) -> Result<[SourcePlace], IngestError> {
        .failure(IngestError(code, "not yet: \(code.rawValue)"))
    }

    @Test(arguments: [IngestError.Code.deviceBusy, .deviceGone, .notFound]) func aCameraThatIsNotReadyIsWaitedFor(
        code: IngestError.Code
    ) async throws {
        let told = Mutex<[String]>([])
        hub.watch { if case .waiting(let reason) = $0 { told.withLock { $0.append(reason.message) } } }
        #expect(try await search([Self.failure(code), .success([])], readiness(.seconds(600))) == [Camera.place])
        await hub.rest()
        #expect(told.withLock(\.self).first == "not yet: \(code.rawValue)")
    }

    @Test func withoutALimitItMustBeReady() async {
        await #expect(throws: IngestError.self) { try await search([Self.failure(.deviceBusy)], readiness(nil)) }
        #expect(await !readiness(nil).mayPass(IngestError(.deviceBusy, "busy")))
        #expect(await !readiness(.zero).mayPass(IngestError(.deviceBusy, "busy")))
    }

    /// What this very program has in hand it will not let go of by waiting.
    @Test func aCameraInOurOwnHandsIsNotWaitedFor() async {
        await #expect(throws: IngestError.self) {
            try await search([Self.failure(.deviceBusy)], readiness(.seconds(600), awaitsBusy: false))
        }
    }

    @Test func aMistakeIsToldAtOnce() async {
        await #expect(throws: IngestError.self) {
            try await search([Self.failure(.misconfigured)], readiness(.seconds(600)))
        }
    }

    @Test func aListingWithoutACardIsAskedForAgain() async {
        let ready = readiness(.seconds(600)), noCard = IngestError(.notFound, "no card")
        let busy = IngestError(.deviceBusy, "busy")
        let origin = Origin(source: "ptp", volume: "v", root: "r", path: "A.JPG", size: 1, modified: 0)
        let entry = SourceEntry(origin: origin, kind: .jpeg, shot: ShotPlace(key: "a", stem: "A"))
        #expect(await ready.mayPass(.success([]), gap: noCard))
        #expect(await ready.mayPass(.failure(busy), gap: nil))
        // An empty card, and a card of which only a part is missing, are what they are.
        #expect(await !ready.mayPass(.success([]), gap: nil))
        #expect(await !ready.mayPass(.success([entry]), gap: noCard))
        #expect(await !ready.mayPass(.failure(IngestError(.protocolViolation, "nonsense")), gap: nil))
    }
}
