import FilmgateCore
import HTTPKit

/// Albums and stacks: each album is looked up or created once per run, each frame's files are joined when the second
/// one arrives.
actor ImmichGroups {
    private let api: ImmichAPI
    private var albums: [String: Task<Result<String, IngestError>, Never>] = [:]
    private var shots: [String: [String]] = [:]
    /// Files that the server has, but not in their album; by SHA-1.
    private var outside: [String: String] = [:]

    init(_ api: ImmichAPI) { self.api = api }

    /// True when the asset is in an own album of that name; else it is noted that it need not be sent to get there.
    func holds(_ id: String, _ sha1: String, in name: String) async throws(IngestError) -> Bool {
        if try await api.ownAlbums(with: id).contains(where: { $0["albumName"]?.text == name }) { return true }
        outside[sha1] = id
        return false
    }

    /// The id of a file that was found outside of its album.
    func takeOutside(_ sha1: String) -> String? { outside.removeValue(forKey: sha1) }

    func add(_ id: String, toAlbum name: String) async throws(IngestError) {
        let album = try await albumID(name)
        let answer = try await api.ask("PUT", "albums/\(album)/assets", .object(["ids": .array([.string(id)])]))
        let result = answer.at("0")
        if result?["success"] == .bool(true) || result?["error"]?.text == "duplicate" { return }
        let why = HeaderText.clean(String((result?["error"]?.text ?? "it does not say why").prefix(80)))
        throw IngestError(.rejected, "The file is at the server, but could not be put into the album \(name): \(why).")
    }

    private func albumID(_ name: String) async throws(IngestError) -> String {
        let task: Task<Result<String, IngestError>, Never>
        if let running = albums[name] {
            task = running
        } else {
            let api = api
            task = Task { await Result { () async throws(IngestError) in try await Self.findOrCreate(name, api) } }
            albums[name] = task
        }
        let result = await task.value
        if case .failure = result { albums[name] = nil }
        return try result.get()
    }

    private static func findOrCreate(_ name: String, _ api: ImmichAPI) async throws(IngestError) -> String {
        for item in try await api.ownAlbums() where item["albumName"]?.text == name {
            if let id = item["id"]?.text, api.isID(id) { return id }
        }
        let made = try await api.ask("POST", "albums", .object(["albumName": .string(name)]))
        guard let id = made["id"]?.text, api.isID(id) else {
            throw IngestError(.unavailable, "The server does not say what its new album is called.")
        }
        return id
    }

    /// The frame's primary comes first in its stack: the server shows that one.
    func add(_ id: String, toStackOf job: UploadJob) async throws(IngestError) {
        let shot = job.asset.origin.volume + "\u{1F}" + job.asset.shot.key
        var ids = shots[shot] ?? []
        guard !ids.contains(id) else { return }
        if job.asset.kind == .jpeg { ids.insert(id, at: 0) } else { ids.append(id) }
        shots[shot] = ids
        if ids.count > 1 {
            _ = try await api.ask("POST", "stacks", .object(["assetIds": .array(ids.map { .string($0) })]))
        }
    }
}
