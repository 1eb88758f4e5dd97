import FileKit
import FilmgateCore
import Foundation

/// What services said last of the credits that are left: `credits.json` in the state directory, for verbs that ask
/// nobody.
struct CreditStore {
    struct Entry: Codable, Hashable {
        /// The target, or the sign-in itself, and the sign-ins that it was asked with.
        var name: String, signIns: [String]
        var balance: Int
        var nearestExpiry: String?
        /// Seconds since 1970.
        var heard: Int

        var heardAt: String { CivilTime(unixSeconds: Int64(heard))?.description ?? "–" }

        /// For `status` and `whoami`.
        var object: JSONWriter {
            var object = JSONWriter()
            object.add("name", name)
            object.add("sign_ins", signIns)
            object.add("balance", balance)
            object.add("nearest_expiry", nearestExpiry)
            object.add("heard", heardAt)
            return object
        }
    }
    private let directory: String
    private var path: String { directory + "/credits.json" }
    /// Seconds after which nobody cares any more.
    private static let memory = 90 * 86_400

    init(state: String) { directory = state }

    /// By name; empty where nothing was heard or the file is of no use.
    func all() -> [Entry] {
        guard let data = FileManager.default.contents(atPath: path), data.count < 1 << 20 else { return [] }
        return ((try? JSONDecoder().decode([Entry].self, from: data)) ?? []).sorted {
            ($0.name, $0.heard) < ($1.name, $1.heard)
        }
    }

    /// Writes these down in place of what was heard before of the same.
    func note(_ heard: [Entry]) throws(IngestError) {
        guard !heard.isEmpty else { return }
        let oldest = Int(Date().timeIntervalSince1970) - Self.memory
        let others = all().filter { old in
            old.heard >= oldest && !heard.contains { $0.name == old.name && $0.signIns == old.signIns }
        }
        try write(others + heard)
    }

    /// Forgets what was heard with a sign-in: whoever comes next has another account.
    func forget(auth name: String) throws(IngestError) {
        let known = all(), kept = known.filter { !$0.signIns.contains(name) }
        if kept.count < known.count { try write(kept) }
    }

    private func write(_ entries: [Entry]) throws(IngestError) {
        guard let data = try? JSONEncoder().encode(entries) else { return }
        try DurableFile.makeDirectories(directory, mode: 0o700)
        try DurableFile.atomicWrite(Array(data).span.bytes, to: path, mode: 0o600)
    }
}
