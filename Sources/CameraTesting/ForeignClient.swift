import FilmgateCore
import Glibc
public import PTPKit
public import VirtualCamera

/// Debian's gphoto2 as a client of our virtual cameras: a judge that we did not write.
public enum ForeignClient {
    public static let path = "/usr/bin/gphoto2"
    public static var isInstalled: Bool { access(path, X_OK) == 0 }

    /// Serves a card as `personality`, lets gphoto2 download all of it, and compares every byte.
    ///
    /// `model` is its name for the transport.
    public static func check(
        _ personality: any Personality, model: String = "PTP/IP Camera", port: String? = nil,
        serve: (VirtualCamera) throws(PTPError) -> any CameraServer = { camera throws(PTPError) in
            try camera.personality.serve(camera, address: "127.0.0.1", port: 0)
        }
    ) async throws {
        let state = try TemporaryState()
        defer { state.remove() }
        var card = VirtualCard(firstHandle: personality.firstHandle)
        let files = CardFiles.few + CardFiles.kinds
        for (folder, file) in files { card.add(file, in: folder.isEmpty ? personality.folder : folder) }
        let camera = VirtualCamera(personality, cards: [card])
        let server = try serve(camera)
        defer { server.stop() }
        let address = port ?? "ptpip:127.0.0.1:\(server.port):\(server.port)"
        let arguments = ["--camera", model, "--port", address, "--get-all-files", "--force-overwrite", "--quiet"]
        let status = await withCheckedContinuation { continuation in
            BlockingThread.run { continuation.resume(returning: run(arguments, in: state.path)) }
        }
        try expect(status == 0, "gphoto2 ended with \(status): \(complaint(in: state.path))")
        for (_, file) in files {
            let content = Content.file(path: state.path + "/" + file.name, size: file.content.size)
            let bytes = content.slice(at: 0, count: Int(file.content.size) + 1)
            try expect(bytes == file.content.slice(at: 0, count: Int(file.content.size)), "\(file.name) differs")
        }
    }

    private static let errors = "errors.txt"

    /// The end of what it wrote to standard error.
    private static func complaint(in folder: String) -> String {
        let bytes = Content.file(path: folder + "/" + errors, size: 1 << 20).slice(at: 0, count: 1 << 20)
        return String(decoding: bytes.suffix(2000), as: UTF8.self)
    }

    /// Runs it with its own HOME in `folder`; its exit status, or 124 after five minutes.
    private static func run(_ arguments: [String], in folder: String) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, folder + "/" + errors, O_WRONLY | O_CREAT, 0o600)
        // Its working directory is where the files go.
        let line = "cd '\(folder)' && exec timeout 300 \(path) \"$@\""
        var words = (["/bin/sh", "-c", line, "sh"] + arguments).map { (word: String) in strdup(word) } + [nil]
        var environment =
            ["HOME=\(folder)", "PATH=/usr/bin:/bin", "LANG=C"].map { (word: String) in strdup(word) } + [nil]
        defer { for word in words + environment { free(word) } }
        var child = pid_t()
        guard posix_spawn(&child, "/bin/sh", &actions, nil, &words, &environment) == 0 else { return 127 }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128
    }
}
