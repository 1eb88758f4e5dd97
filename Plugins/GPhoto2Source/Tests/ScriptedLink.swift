import FilmgateCore
import GPhoto2Wire
import Synchronization

@testable import GPhoto2Source

/// A camera in memory, as libgphoto2's process would tell of it.
final class ScriptedCamera: Sendable {
    struct State {
        var cameras = [(model: "Body 5", port: "usb:001,004")]
        var body = GPhotoBody(make: "Maker", model: "Body 5", serial: "0042")
        var files: [(file: GPhotoFile, bytes: [UInt8])] = []
        var news: [GPhotoFile] = []
        /// Small pictures, by the names of their files; what has none is refused.
        var previews: [String: [UInt8]] = [:]
        /// Those of them that come again and again, until the process is ended.
        var endless: Set<String> = []
        /// The process ends after so many bytes of a file, once for each.
        var crashes: [Int] = []
        /// What happens to the camera then.
        var onCrash: (@Sendable (inout State) -> Void)?
        /// What every question is answered with.
        var failure: IngestError?
        var connections = 0, open = 0
        var asked: [GPhotoRequest] = []
    }
    let state = Mutex(State())

    func put(_ folder: String, _ name: String, _ bytes: [UInt8], size: UInt64? = nil) {
        let path = GPhotoPath(folder: Array(folder.utf8), name: Array(name.utf8))
        let file = GPhotoFile(path: path, size: size ?? UInt64(bytes.count), seconds: 1_700_000_000)
        state.withLock { $0.files.append((file, bytes)) }
    }

    var connect: GPhotoConnect { { ScriptedLink(self) } }
}

final class ScriptedLink: GPhotoLink {
    private let camera: ScriptedCamera
    private let isDead = Mutex(false)

    init(_ camera: ScriptedCamera) {
        self.camera = camera
        camera.state.withLock { ($0.connections, $0.open) = ($0.connections + 1, $0.open + 1) }
    }

    func ask(
        _ request: GPhotoRequest, silence: Duration, _ each: (GPhotoReply) throws(IngestError) -> Void
    ) throws(IngestError) {
        if isDead.withLock({ $0 }) { throw IngestError(.deviceGone, "libgphoto2's process ended.") }
        camera.state.withLock { $0.asked.append(request) }
        if let failure = camera.state.withLock({ $0.failure }) { throw failure }
        for reply in replies(request) { try each(reply) }
        if case .read(let path, let offset) = request { try read(path, offset, each) }
        if case .show(let path) = request { try show(path, each) }
    }

    private func replies(_ request: GPhotoRequest) -> [GPhotoReply] {
        camera.state.withLock { state in
            switch request {
            case .detect: return state.cameras.map { .camera(model: $0.model, port: $0.port) }
            case .open: return [.opened(state.body)]
            case .list: return state.files.map { .file($0.file) }
            case .wait:
                defer { state.news = [] }
                return state.news.map { .file($0) }
            case .read, .show: return []
            }
        }
    }

    /// The process ends here, too, where a crash is due.
    private func show(
        _ path: GPhotoPath, _ each: (GPhotoReply) throws(IngestError) -> Void
    ) throws(IngestError) {
        let name = String(decoding: path.name, as: UTF8.self)
        let (found, isEndless, crashes) = camera.state.withLock { state in
            (
                state.previews[name], state.endless.contains(name),
                !state.crashes.isEmpty && state.crashes.removeFirst() == 0
            )
        }
        if crashes {
            isDead.withLock { $0 = true }
            throw IngestError(.deviceGone, "libgphoto2's process hung.")
        }
        guard let found else { throw IngestError(gphoto: -6, "Unsupported operation") }
        guard isEndless else { return try each(.data(found)) }
        do throws(IngestError) { for _ in 0..<1000 { try each(.data(found)) } } catch {
            isDead.withLock { $0 = true }
            throw error
        }
    }

    private func read(
        _ path: GPhotoPath, _ offset: UInt64, _ each: (GPhotoReply) throws(IngestError) -> Void
    ) throws(IngestError) {
        let (found, crash) = camera.state.withLock { state in
            (
                state.files.first { $0.file.path == path }?.bytes,
                state.crashes.isEmpty ? nil : state.crashes.removeFirst()
            )
        }
        guard let found else { throw IngestError(gphoto: -108, "File not found") }
        var position = Int(offset)
        while position < found.count {
            if let crash, position >= crash {
                isDead.withLock { $0 = true }
                camera.state.withLock { state in state.onCrash?(&state) }
                throw IngestError(.deviceGone, "libgphoto2's process ended with signal 11.")
            }
            let end = min(found.count, position + 1000)
            try each(.data(Array(found[position..<end])))
            position = end
        }
    }

    var isOver: Bool { isDead.withLock { $0 } }

    func end() {
        let was = isDead.withLock { dead in
            defer { dead = true }
            return dead
        }
        if !was { camera.state.withLock { $0.open -= 1 } }
    }
}

/// What was received, and perhaps a disk that is full.
final class Received: ByteSink {
    private let state = Mutex<[UInt8]>([])
    var bytes: [UInt8] { state.withLock { $0 } }
    let limit: Int
    init(limit: Int = .max) { self.limit = limit }

    func write(_ bytes: RawSpan) throws(IngestError) {
        let count = state.withLock { state in
            bytes.withUnsafeBytes { state.append(contentsOf: $0) }
            return state.count
        }
        if count > limit { throw IngestError(.storageFull, "The disk is full.") }
    }
}
