import FileKit
import FilmgateCore
import Foundation

/// Which accounts' choices were followed here, and what they were then.
struct FollowedChoices {
    struct Entry: Codable, Equatable {
        /// Who was signed in.
        var account: String
        /// The measured clocks on which this machine and the account agreed.
        var clocks: String
    }
    let state: String

    private var path: String { state + "/followed.json" }

    /// By the identity of the target that keeps them; what cannot be read is as if nobody had been followed.
    var entries: [String: Entry] {
        guard let data = FileManager.default.contents(atPath: path) else { return [:] }
        return (try? JSONDecoder().decode([String: Entry].self, from: data)) ?? [:]
    }

    func keep(_ entry: Entry, of identity: String) throws(IngestError) {
        var all = entries
        guard all.updateValue(entry, forKey: identity) != entry else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(all) else { return }
        try DurableFile.makeDirectories(state, mode: 0o700)
        try DurableFile.atomicWrite(Array(data).span.bytes, to: path, mode: 0o600)
    }
}
