import FilmgateCore
import HTTPKit
import Synchronization

/// Whose account it is, asked once.
final class KnownAccount: Sendable {
    let id = Mutex<String?>(nil)
}

/// Which albums are the account's own.
///
/// Up to release 2 the list of albums holds own ones, from 3 on also what others share with the account; the albums of
/// one file are, in each release, everybody's that the account may see. Whose a list's albums are is therefore asked
/// for, and looked at in each.
extension ImmichAPI {
    /// The account's own albums; `asset`: those of them that hold it.
    func ownAlbums(with asset: String? = nil) async throws(IngestError) -> [JSONValue] {
        let me = try await me()
        // Whose account it is may be kept from an API key, and what is shared with it stays out of this list only.
        guard let asset else { return try await list("albums").filter { isOwn($0, me) ?? true } }
        let all = try await albums("albums?assetId=\(asset)"), told = all.compactMap { isOwn($0, me) }
        if told.count == all.count { return all.filter { isOwn($0, me) == true } }
        let own = Set(try await list("albums").compactMap { $0["id"]?.text })
        return all.filter { isOwn($0, me) ?? own.contains($0["id"]?.text ?? "") }
    }

    /// Releases before 3 do not know the question, and ignore it or refuse it; their list holds own albums anyway.
    private func list(_ path: String) async throws(IngestError) -> [JSONValue] {
        do throws(IngestError) { return try await albums(path + "?isOwned=true") } catch {
            guard error.code == .rejected else { throw error }
            return try await albums(path)
        }
    }

    private func albums(_ path: String) async throws(IngestError) -> [JSONValue] {
        guard case .array(let items) = try await ask("GET", path) else {
            throw IngestError(.unavailable, "The server's answer holds no list of albums.")
        }
        return items
    }

    /// The account's id; nil where the key may not know it.
    private func me() async throws(IngestError) -> String? {
        if let known = known.id.withLock(\.self) { return known }
        do throws(IngestError) {
            let id = try await ask("GET", "users/me")["id"]?.text
            known.id.withLock { $0 = id }
            return id
        } catch {
            guard error.code == .unauthorized || error.code == .rejected else { throw error }
            return nil
        }
    }

    /// Nil where nobody says whose the album is.
    private func isOwn(_ album: JSONValue, _ me: String?) -> Bool? {
        guard let me else { return nil }
        if let owner = album["ownerId"]?.text ?? album["owner"]?["id"]?.text { return owner == me }
        guard case .array(let users)? = album["albumUsers"],
            let owner = users.first(where: { $0["role"]?.text == "owner" })
        else { return nil }
        return owner.at("user.id")?.text == me
    }
}
