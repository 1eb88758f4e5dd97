import FilmgateCore
import FilmgateStudio
import Glibc

/// Asks the run that holds the state what it has still to read.
struct UpcomingClient: Sendable {
    let state: String
    /// A camera may be silent for a while; the list is asked for beside it.
    private let pool = BlockingPool(width: 2)
    /// Milliseconds after which a run that says nothing is taken for none; a picture stands in line for the camera, for
    /// two minutes at most, and has a few seconds of its own.
    private static let patience: Int32 = 1000, patienceForPictures: Int32 = 140_000

    init(state: String) { self.state = state }

    /// Nil where no run answers.
    func frames() async -> UpcomingList? {
        await answer(.frames, within: Self.patience).flatMap { UpcomingList($0) }
    }

    func picture(of asset: AssetID) async -> UpcomingPicture {
        let line = await answer(.picture(asset), within: Self.patienceForPictures)
        return line.flatMap { UpcomingPicture($0) } ?? .later
    }

    private func answer(_ question: UpcomingQuestion, within patience: Int32) async -> String? {
        let said = await Result { () async throws(IngestError) in
            try await pool.run { () throws(IngestError) in Self.ask(question, state, patience) }
        }
        return try? said.get()
    }

    private static func ask(_ question: UpcomingQuestion, _ state: String, _ patience: Int32) -> String? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        let stream = LineStream(owning: descriptor, patience: patience)
        // struct timeval: connecting waits where the queue of a run that does nothing any more is full.
        var limit = [1, 0]
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(2 * MemoryLayout<Int>.size))
        guard ControlPath.withAddress(in: state, { connect(descriptor, $0, $1) }) == 0, stream.send(question.line)
        else { return nil }
        var said: String?
        stream.lines { line in
            said = line
            return false
        }
        return said
    }
}
