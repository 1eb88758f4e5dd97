import FileKit
import FilmgateCore
import Glibc

/// A named pipe that a child writes a file's bytes into, in a folder that nobody else may enter.
final class Fifo: Sendable {
    let path: String
    private let folder: String, descriptor: Descriptor
    private let sink: @Sendable (ArraySlice<UInt8>) throws(IngestError) -> Void

    init(_ sink: @escaping @Sendable (ArraySlice<UInt8>) throws(IngestError) -> Void) throws(IngestError) {
        var name = Array("\(ChildEnvironment.value("TMPDIR") ?? "/tmp")/filmgate-XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else {
            throw IngestError(
                .unavailable, "No folder can be made for a pipe in \(ChildEnvironment.value("TMPDIR") ?? "/tmp").")
        }
        let folder = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let path = folder + "/bytes"
        guard mkfifo(path, 0o600) == 0 else {
            rmdir(folder)
            throw IngestError(.unavailable, "No pipe can be made in \(folder).")
        }
        // Reading without a writer does not wait for one.
        descriptor = Descriptor(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
        (self.folder, self.path, self.sink) = (folder, path, sink)
        guard descriptor.number >= 0 else {
            remove()
            throw IngestError(
                .unavailable, "The pipe in \(folder) cannot be opened: \(String(cString: strerror(errno))).")
        }
    }

    deinit { remove() }

    /// Also what a child made in its place.
    func remove() {
        for _ in 0..<3 {
            for name in (try? FileSystem.names(in: folder)) ?? [] { FileSystem.remove(folder + "/" + name) }
            if rmdir(folder) == 0 || errno == ENOENT { return }
        }
    }

    var side: LineChannel.Side { LineChannel.Side(descriptor: descriptor, take: sink) }
}
