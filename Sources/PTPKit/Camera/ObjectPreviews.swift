public import FilmgateCore
import Synchronization

/// The camera's own small pictures of files that are still to be read, for whoever looks on.
///
/// The files come first: one picture is asked for between two of them and never while one is on its way, and however
/// many are wanted, all of them take a twentieth of the time. A body that is silent or hangs up at the question, or answers
/// what is no answer, is not asked again. A handle is asked whose it is behind each picture: the card may have been
/// changed, and what nobody knows to be a frame's picture is shown for none.
final class ObjectPreviews: Sendable {
    private struct State {
        var isAsking = false, isOver = false, pace = PreviewPace()
    }
    /// How long a pause is waited for, how long a turn, and how long the camera's answer.
    private static let patience = Duration.seconds(5), longest = Duration.seconds(120), silence = Duration.seconds(3)
    private let connection: ReconnectingCamera, objects: KnownObjects, turn: ByteBudget
    private let state = Mutex(State())

    /// `turn` is held by the file that is on its way.
    init(_ connection: ReconnectingCamera, _ objects: KnownObjects, _ turn: ByteBudget) {
        (self.connection, self.objects, self.turn) = (connection, objects, turn)
    }

    /// As ``PreviewingSession`` says.
    func picture(of origin: Origin, upTo limit: Int) async throws(IngestError) -> [UInt8]? {
        if state.withLock(\.isOver) { return nil }
        let due: ContinuousClock.Instant? = state.withLock { state in
            guard !state.isAsking, state.pace.due - .now < Self.patience else { return nil }
            state.isAsking = true
            return state.pace.due
        }
        guard let due else { throw Self.later }
        defer { state.withLock { $0.isAsking = false } }
        let pause: Duration = due - .now
        if pause > .zero { try? await Task.sleep(for: pause) }
        try await takeTurn()
        defer { turn.give(1) }
        return try await ask(origin, limit)
    }

    private static var later: IngestError {
        IngestError(.unavailable, "The camera has other things to do.", advice: "Ask again in a moment.")
    }

    /// Behind the files that wait already, and before those that come later, however long one takes: who gave this place
    /// up would stand behind them each time.
    ///
    /// Until nobody asks any more.
    private func takeTurn() async throws(IngestError) {
        let taking = Task { [turn] in await Result { () async throws(IngestError) in try await turn.take(1) } }
        let ending = Task {
            try? await Task.sleep(for: Self.longest)
            taking.cancel()
        }
        let taken = await withTaskCancellationHandler {
            await taking.value
        } onCancel: {
            taking.cancel()
        }
        ending.cancel()
        if case .failure = taken { throw Self.later }
    }

    private func ask(_ origin: Origin, _ limit: Int) async throws(IngestError) -> [UInt8]? {
        // Over another connection, handles may name other files until these are listed.
        guard let (object, camera) = connection.withCamera({ objects.object(origin) }) else { throw Self.later }
        let asked = await Result { () async throws(PTPError) -> [UInt8]? in
            try await connection.waiting { () async throws(PTPError) -> [UInt8]? in
                try await camera.run { camera throws(PTPError) -> [UInt8]? in
                    // Not what others had the camera for before, such as a listing.
                    let begun = ContinuousClock.now
                    defer { state.withLock { $0.pace.asked(at: begun) } }
                    return try Self.read(object, upTo: limit, camera)
                }
            }
        }
        do throws(PTPError) { return try asked.get() } catch {
            switch error {
            case .refused(let code, _):
                if connection.quirks.busy.contains(code) { throw Self.later }
                return nil
            case .absent, .gone, .busy, .denied, .sink: throw Self.later
            case .truncated, .malformed, .unsupported, .length, .timedOut, .missing:
                state.withLock { $0.isOver = true }
                return nil
            }
        }
    }

    /// Nil where the camera has none, one of more than `limit` bytes, or another file's by that handle; a busy camera is
    /// not waited for.
    private static func read(
        _ object: CameraObject, upTo limit: Int, _ camera: isolated PTPCamera
    ) throws(PTPError) -> [UInt8]? {
        let usual = camera.quirks
        guard usual.previews, camera.info.offers(.getThumb), !object.isHeld, !object.isUnfinished else { return nil }
        guard camera.failure == nil else { throw .gone("the connection broke before") }
        defer { camera.quirks = usual }
        (camera.quirks.answer, camera.quirks.silence) = (min(usual.answer, silence), min(usual.silence, silence))
        camera.quirks.patience = .zero
        var bytes: [UInt8] = [], isLonger = false
        // What is too much is heard to its end: to break off would cost the connection.
        let question = Operation(.getThumb, [object.handle.rawValue])
        do throws(PTPError) {
            _ = try camera.stream(question, expecting: 0) { part throws(PTPError) in
                isLonger = isLonger || part.byteCount > limit - bytes.count
                if !isLonger { part.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) } }
            }
        } catch {
            // Whoever hangs up here would do so at each question, and files would wait for a new connection each time.
            if case .gone = error { throw .malformed("it hangs up at \(question.code)") }
            throw error
        }
        guard !bytes.isEmpty, !isLonger, try isStill(object, camera) else { return nil }
        return bytes
    }

    /// Whether the handle names the file that was listed.
    ///
    /// Name, size and time are told apart as where files are known again, and so is the card's label, which is asked for
    /// anew. Asked behind the picture: before it, the card could still be changed in between.
    private static func isStill(
        _ object: CameraObject, _ camera: isolated PTPCamera
    ) throws(PTPError) -> Bool {
        let info = try camera.objectInfo(object.handle), size = try camera.size(of: object.handle, info)
        var now = CameraObject(object.handle, info, folders: [], size: size)
        // Some bodies say another store than the one that they list it in.
        now.storage = object.storage
        camera[StoreLabels.self] = StoreLabels()
        now = camera.marked(now)
        try StoreLabels.confirm(camera)
        return now.name == object.name && now.size == object.size && now.isDated(like: object)
            && now.medium.isSame(as: object.medium)
    }
}

extension CameraObject {
    /// An event and a listing may date one file a second or two apart.
    fileprivate func isDated(like other: CameraObject) -> Bool {
        guard let own = modified, let listed = other.modified else { return modified == other.modified }
        return abs(own / 1_000_000_000 - listed / 1_000_000_000) <= 2
    }
}

extension CameraSession: PreviewingSession {
    public func preview(of origin: Origin, upTo limit: Int) async throws(IngestError) -> [UInt8]? {
        try await previews.picture(of: origin, upTo: limit)
    }
}
