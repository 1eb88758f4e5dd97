public import FilmgateCore
import HTTPKit

extension ConvexTarget: AccountPreferences {
    public var keepsPreferences: Bool { !options.preferences.isEmpty }

    /// What the query returns: an object with a member for each, or null where nothing was kept yet.
    public func preferences() async throws(IngestError) -> [String: Preference] {
        let answer = try await call("query", options.preferences, [:])
        switch answer {
        case .null: return [:]
        case .object: return Preference.all(in: answer)
        default: throw IngestError(.rejected, "`\(options.preferences)` returned no object of preferences.")
        }
    }

    public func keep(_ preference: Preference, as name: String) async throws(IngestError) {
        _ = try await call(
            "mutation", options.keepPreference,
            ["name": .string(name), "value": .string(preference.value), "changed": .integer(preference.changed)])
    }
}
