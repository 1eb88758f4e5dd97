public import FilmgateCore
import Synchronization

/// A server of files, over SSH or FTP, and how to sign in there.
public struct FileServer: Sendable {
    public enum Way: String, Sendable { case sftp, ftp, ftps }
    /// `ftp` is explicit TLS unless `cleartext`, `ftps` implicit.
    public var way: Way
    public var host: String, port: Int, user: String
    public var password: StaticCredential?
    /// Private key file, and the file of the hosts' keys; SFTP only.
    public var key: String?, knownHosts: String?
    public var cleartext = false

    public init(_ way: Way, host: String, port: Int, user: String) {
        (self.way, self.host, self.port, self.user) = (way, host, port, user)
    }

    public var origin: String {
        "\(way.rawValue)://\(host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host):\(port)"
    }

    /// The address of a path: absolute with a leading `/`, else below the account's own folder.
    func url(_ path: String) -> String {
        let text = Percent.encode(path: path)
        if way == .sftp { return origin + (path.hasPrefix("/") ? text : "/~/" + text) }
        return origin + "/" + (path.hasPrefix("/") ? "%2F" + text.dropFirst() : text)
    }
}

/// Files to and from such a server, over a few connections that stay open.
public final class FileTransport: Sendable {
    public let server: FileServer
    private let options: TransportOptions
    private let limiter: BandwidthLimiter?
    private let seats: ByteBudget
    private let idle = Mutex<[FileTransferWorker]>([])

    public init(_ server: FileServer, _ options: TransportOptions) {
        (self.server, self.options) = (server, options)
        limiter = options.bytesPerSecond.map { BandwidthLimiter(bytesPerSecond: $0, clock: options.clock) }
        seats = ByteBudget(limit: UInt64(min(64, max(1, options.lanes))))
    }

    /// Sends a file to `path` and renames it to `final` when the server has all of it; folders are made.
    ///
    /// `nameTaken` when the server says that `final` exists, `untrusted` when it cannot prove who it is,
    /// `unauthorized`, `storageFull`, `network`, `corruptData` when the file no longer holds the promised bytes.
    public func put(_ slice: FileSlice, to path: String, thenRenameTo final: String) async throws(IngestError) {
        _ = try await perform(FileTransferWorker.FileCommand(.put(slice, final: final), path))
    }

    /// Downloads and hashes a file; nothing is kept.
    public func compare(_ path: String, size: UInt64, sha256: String) async throws(IngestError) -> RemoteCopy {
        let answer = try await perform(FileTransferWorker.FileCommand(.digest(upTo: size), path))
        switch answer {
        case .missing: return .missing
        case .untold: return .unknown
        case .read(let response):
            if response.truncated { return .other("It is larger than what was sent.") }
            if response.length != size { return .other("It has \(response.length) bytes instead of \(size).") }
            return response.digest == sha256 ? .equal : .other("Its SHA-256 is \(response.digest ?? "unknown").")
        }
    }

    /// The names in a folder, with the bytes that they have there; none when it is not there, nil when there are too
    /// many, one of them is not told rightly, or the server does not tell.
    public func names(in folder: String) async throws(IngestError) -> Set<String>? {
        switch try await perform(
            FileTransferWorker.FileCommand(.list, folder.isEmpty || folder.hasSuffix("/") ? folder : folder + "/"))
        {
        case .missing: return []
        case .untold: return nil
        case .read(let response):
            if response.truncated { return nil }
            // Some servers put the folder before each name.
            let lines = response.body.split(whereSeparator: { $0 == 10 || $0 == 13 })
            let names = lines.compactMap { $0.split(separator: 0x2F).last }
            let told = names.compactMap { ListedName.of($0) }
            return told.count == names.count ? Set(told) : nil
        }
    }

    /// Removes a file; fine when it is not there.
    public func remove(_ path: String) async { _ = try? await perform(FileTransferWorker.FileCommand(.remove, path)) }

    /// A refused password is looked up again, and tried once more where it is another one by now.
    private func perform(_ command: FileTransferWorker.FileCommand) async throws(IngestError)
        -> FileTransferWorker.Answer
    {
        var command = command
        command.password = try await server.password?.value()
        do throws(IngestError) { return try await carry(command) } catch {
            guard error.code == .unauthorized, let used = command.password,
                let fresh = await server.password?.refreshed(),
                fresh.reveal() != used.reveal()
            else { throw error }
            command.password = fresh
            return try await carry(command)
        }
    }

    private func carry(_ command: FileTransferWorker.FileCommand) async throws(IngestError) -> FileTransferWorker.Answer
    {
        try await seats.take(1)
        defer { seats.give(1) }
        let worker: FileTransferWorker
        if let warm = idle.withLock({ $0.popLast() }) {
            worker = warm
        } else {
            worker = try FileTransferWorker(server, options, limiter: limiter)
        }
        defer { idle.withLock { $0.append(worker) } }
        return try await StopFlag.raisedOnCancel { stop async throws(IngestError) in
            try await worker.perform(command, stop)
        }
    }
}
