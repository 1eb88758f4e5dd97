import FilmgateCore
import Synchronization

/// A camera that gives one object, breaks off where it is told to, and remembers what it was asked for.
final class FakeCamera: RangeReadingSession {
    struct State {
        var content: [UInt8]
        var breaksAt: Int?
        var givesParts = true
        /// Offsets that fetches began at.
        var fetches: [UInt64] = []
        var asked: [Range<UInt64>] = []
        var failure: IngestError?
        /// How the first fetch ends.
        var firstEnd: IngestError?
    }
    let place = SourcePlace(source: "ptp", address: "ptpip://camera", label: "Camera")
    let volume = "ptp:Acme:One:7"
    let traits = SessionTraits(identifiesDevice: true, parallelFetches: 1)
    let state: Mutex<State>
    /// Called in the middle of an object.
    let halfway: @Sendable () async -> Void

    init(_ content: [UInt8], breaksAt: Int? = nil, halfway: @escaping @Sendable () async -> Void = {}) {
        state = Mutex(State(content: content, breaksAt: breaksAt))
        self.halfway = halfway
    }

    func origin(size: Int, modified: Int64 = 1_700_000_000_000_000_000) -> Origin {
        Origin(
            source: "ptp", volume: volume, root: place.address, path: "DCIM/CLIP.MOV", size: UInt64(size),
            modified: modified)
    }

    func entries() async throws(IngestError) -> [SourceEntry] { [] }
    func localPath(_ origin: Origin) -> String? { nil }
    func close() async {}

    func fetch(_ origin: Origin, from offset: UInt64, into sink: any ByteSink) async throws(IngestError) {
        let (content, end) = state.withLock { state in
            state.fetches.append(offset)
            return (state.content, state.breaksAt)
        }
        var place = Int(offset)
        while place < content.count {
            if place >= content.count / 2, let error = state.withLock({ $0.firstEnd.take() }) { throw error }
            if let end, place >= end { throw IngestError(.deviceGone, "The camera is gone.") }
            let next = min(content.count, place + 8192, end ?? .max)
            try sink.write(content.span.bytes.extracting(place..<next))
            if place < content.count / 2, next >= content.count / 2 { await halfway() }
            place = next
        }
    }

    func bytes(of origin: Origin, in range: Range<UInt64>) async throws(IngestError) -> [UInt8]? {
        let (content, gives, failure) = state.withLock { state in
            state.asked.append(range)
            return (state.content, state.givesParts, state.failure)
        }
        if let failure { throw failure }
        return gives ? Array(content[Int(range.lowerBound)..<Int(range.upperBound)]) : nil
    }
}
