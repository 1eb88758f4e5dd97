import FilmgateCore
import HTTPKit

/// A folder at a WebDAV server (RFC 4918).
struct WebDAVServer: Sendable {
    /// Ends in `/`.
    let base: String
    let client: HTTPClient, probe: AddressProbe

    init(base: String, client: HTTPClient) { (self.base, self.client, probe) = (base, client, AddressProbe(client)) }

    func url(_ path: String) -> String { base + Percent.encode(path: path) }

    /// The names directly in a folder, none when it is not there; nil when the server does not list.
    func names(in folder: String) async throws(IngestError) -> Set<String>? {
        let address = folder.isEmpty ? base : url(folder) + "/"
        var exchange = HTTPExchange(HTTPRequest("PROPFIND", address, headers: [("Depth", "1")]), body: Self.question)
        exchange.reception = .collect(16 << 20)
        let response = try await client.look(exchange)
        switch response.status {
        case 207: return Self.names(response, at: address)
        case 404, 410: return []
        case 400, 405, 501: return nil
        case 200..<300 where !response.isPage: throw Self.noList(response, at: address)
        default: throw HTTPStatus.error(for: response)
        }
    }

    /// Whoever says yes to a question that it did not understand is no WebDAV server, and would say so of every file.
    private static func noList(_ response: HTTPResponse, at address: String) -> IngestError {
        let words = ServerWords.of(response), said = words.isEmpty ? "" : " It says: \(words)"
        return IngestError(
            .untrusted,
            "\(address) answers \(response.status) where a WebDAV server lists a folder (207); nothing was sent.\(said)",
            advice:
                "See whether `url` is the address of a WebDAV folder, and whether the network wants a sign-in first; then run "
                + "`filmgate retry`.")
    }

    private static let question = HTTPBody.text(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><propfind xmlns=\"DAV:\"><prop><resourcetype/></prop></propfind>",
        type: "application/xml")

    /// Nil for a list that is cut or cannot be read to its last entry: what it leaves out would count as free.
    private static func names(_ response: HTTPResponse, at address: String) -> Set<String>? {
        let answer = response.xml
        guard !response.truncated, answer.isWhole, let list = answer.pieces("multistatus").first else { return nil }
        let entries = list.pieces("response"), own = WebAddress(address)?.path ?? ""
        var names: Set<String> = [], unread = list.all("href").count
        guard unread > 0 else { return nil }
        for entry in entries {
            let texts = entry.all("href")
            guard !texts.isEmpty, !isRefused(entry) else { return nil }
            unread -= texts.count
            for text in texts {
                guard !text.isEmpty, let path = WebAddress(text, relativeTo: address)?.path else { return nil }
                if path == own { continue }
                guard let name = path.split(separator: "/").last.flatMap({ ListedName.decoded($0) }) else { return nil }
                names.insert(name)
            }
        }
        return unread == 0 ? names : nil
    }

    /// A status for the entry itself, such as 507: the list ends there.
    private static func isRefused(_ entry: XMLReply) -> Bool {
        guard entry.pieces("propstat").isEmpty, let status = entry.first("status") else { return false }
        return !status.contains(" 200")
    }

    /// Creates one folder; fine when it is there.
    func makeFolder(_ folder: String) async throws(IngestError) {
        let response = try await client.send(HTTPExchange(HTTPRequest("MKCOL", url(folder) + "/")))
        // 405: it exists. Some servers say so in other ways; the upload itself tells whether it really does.
        if [200, 201, 204, 301, 405, 409].contains(response.status), !response.isPage { return }
        throw HTTPStatus.error(for: response)
    }

    /// Sends a file; false when `onlyNew` and something is there.
    @discardableResult
    func put(_ job: UploadJob, at path: String, onlyNew: Bool) async throws(IngestError) -> Bool {
        var request = HTTPRequest("PUT", url(path))
        if onlyNew { request.set("If-None-Match", "*") }
        // Nextcloud and ownCloud keep the file's own time by this header; others ignore it.
        let modified = job.asset.origin.modified / 1_000_000_000
        if modified > 0 { request.set("X-OC-Mtime", String(modified)) }
        let response = try await client.deliver(
            HTTPExchange(request, body: .file(job.slice, type: MediaType.of(fileName: job.name))))
        // A busy server may begin only now with what came over the connection that ended, and would cut this: the next
        // try has another name, or looks.
        if response.wasRepeated, response.status < 300 || response.status == 412 {
            throw IngestError(.network, "The connection to \(url(path)) ended while the file was sent.")
        }
        switch response.status {
        case 200 where response.isPage: throw await error(for: response)
        case 200, 201, 204: return true
        case 412 where onlyNew: return false
        default: throw await error(for: response)
        }
    }

    /// What a server says of a renaming.
    enum Renaming {
        case done
        /// Something has the new name.
        case taken
        /// Nothing has the old one: this very request may have been carried out before and its answer lost, or nothing
        /// was ever stored.
        case gone
    }

    func move(_ path: String, to new: String) async throws(IngestError) -> Renaming {
        let request = HTTPRequest("MOVE", url(path), headers: [("Destination", url(new)), ("Overwrite", "F")])
        let response = try await client.deliver(HTTPExchange(request))
        switch response.status {
        case 200 where response.isPage: throw await error(for: response)
        case 200, 201, 204: return .done
        case 412: return .taken
        case 404: return .gone
        default: throw await error(for: response)
        }
    }

    /// Removes what is left of a try; false when the server says that nothing was.
    @discardableResult
    func remove(_ path: String) async -> Bool {
        let response = try? await client.send(HTTPExchange(HTTPRequest("DELETE", url(path))))
        return response?.status != 404 && response?.status != 410
    }

    /// What stands at a path, compared with the job's bytes; by size first, then by reading it.
    func compare(_ path: String, _ job: UploadJob) async throws(IngestError) -> RemoteCopy {
        let head = try await probe.look(at: url(path))
        if head.status == 404 || head.status == 410 { return .missing }
        if head.status == 200, let length = head[header: "Content-Length"].flatMap({ UInt64($0) }),
            length != job.file.size
        {
            return .other("It has \(length) bytes instead of \(job.file.size).")
        }
        return try await client.compare(url(path), size: job.file.size, sha256: job.digests.sha256)
    }

    private func error(for response: HTTPResponse) async -> IngestError {
        var error = HTTPStatus.error(for: response)
        switch response.status {
        // Locked by somebody at this moment.
        case 423: error.code = .unavailable
        // A parent that is missing (RFC 4918 §9.7.1), or was removed since it was made.
        case 409:
            error.cause = MissingFolder()
            if await isMissing() {
                let message = "The folder of `url`, \(base), is not there (409); it is not made."
                return IngestError(
                    .untrusted, message,
                    advice: "Create the folder at the server, or correct `url`; then run `filmgate retry`.",
                    cause: error.cause)
            }
            (error.code, error.advice) = (.unavailable, "See whether the folder of `url` is there; it is not made.")
        // The address itself: every file would hear the same.
        case 404, 410:
            (error.code, error.advice) = (
                .untrusted, "Check `url`, and whether its folder is there; then run `filmgate retry`."
            )
        default: break
        }
        return error
    }
}

extension WebDAVServer {
    /// True when the server says that the folder of `url` itself is not there, which every file would hear.
    private func isMissing() async -> Bool {
        let question = HTTPExchange(HTTPRequest("PROPFIND", base, headers: [("Depth", "0")]), body: Self.question)
        let answer = try? await client.look(question)
        return answer?.status == 404 || answer?.status == 410
    }
}

/// The cause of an error: a folder that something was sent into is not there.
struct MissingFolder: Error {}

/// Creates each folder once, parents first, until it is found missing.
actor MadeFolders {
    private let make: @Sendable (String) async throws(IngestError) -> Void
    private var made: [String: Task<IngestError?, Never>] = ["": Task { nil }]

    init(_ make: @escaping @Sendable (String) async throws(IngestError) -> Void) { self.make = make }

    /// The server says that it is not there: it, and those above it, are made again when they are needed next.
    func forget(_ folder: String) {
        var path = folder
        while !path.isEmpty {
            made[path] = nil
            path = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        }
    }

    func need(_ folder: String) async throws(IngestError) {
        var path = ""
        for part in folder.split(separator: "/") {
            path += (path.isEmpty ? "" : "/") + part
            try await one(path)
        }
    }

    private func one(_ path: String) async throws(IngestError) {
        let task: Task<IngestError?, Never>
        if let running = made[path] {
            task = running
        } else {
            let make = make
            task = Task {
                do throws(IngestError) {
                    try await make(path)
                    return nil
                } catch {
                    return error
                }
            }
            made[path] = task
        }
        if let error = await task.value {
            made[path] = nil
            throw error
        }
    }
}
