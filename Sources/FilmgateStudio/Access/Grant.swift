package import FilmgateCore

/// What lets somebody in: a code that is used once, a client's link, the session that either opens, or a program's
/// token.
public struct Grant: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable { case code, link, session, token }
    public var kind: Kind, role: Role
    /// Who uses it, for people.
    public var label: String
    /// Seconds since 1970: when it was made, and when it ends.
    public var since: Int64, until: Int64
    /// The latest time to which use moves the end of a session, or of the one that a code opens; nil = it may be moved
    /// on and on.
    public var latest: Int64?
    /// What of the shoot it shows.
    public var scope = GrantScope()
    /// The link that opened a session: without that the session is over.
    var link: String?
    /// Of the secret, and for sessions of the second half that the page keeps.
    var digest: [UInt8]
    var keyDigest: [UInt8]?

    /// Names it without letting anybody in.
    public var id: String { kind.rawValue + "-" + AccessSecret.hexadecimal(Array(digest.prefix(8))) }

    /// Those with the same one share what one of them may have: sessions of one link are one client's.
    var owner: String { link ?? id }

    public func isValid(at now: Int64) -> Bool { now < until }

    package var object: JSONWriter {
        var object = JSONWriter()
        object.add("type", kind.rawValue)
        object.add("id", id)
        object.add("role", role.rawValue)
        object.add("label", label)
        scope.add(to: &object)
        object.add("since", CivilTime(unixSeconds: since)?.description)
        object.add("until", CivilTime(unixSeconds: until)?.description)
        return object
    }
}

extension Grant {
    /// What the file that keeps it says.
    var line: String {
        var line = JSONWriter()
        line.add("kind", kind.rawValue)
        line.add("role", role.rawValue)
        line.add("label", label)
        line.add("since", Int(since))
        line.add("until", Int(until))
        line.add("latest", latest.map { Int($0) })
        line.add("event", scope.event)
        line.add("from", scope.from.map { Int($0) })
        line.add("link", link)
        line.add("digest", AccessSecret.hexadecimal(digest))
        line.add("key_digest", keyDigest.map { AccessSecret.hexadecimal($0) })
        return line.finished
    }

    /// Nil for anything that `line` did not write.
    init?(line: [UInt8]) {
        guard let object = JSONValue(line), let kind = object["kind"]?.string.flatMap({ Kind(rawValue: $0) }),
            let role = object["role"]?.string.flatMap({ Role(rawValue: $0) }), let label = object["label"]?.string,
            let since = object["since"]?.whole, let until = object["until"]?.whole,
            let digest = object["digest"]?.string.flatMap({ AccessSecret.bytes($0) }), digest.count == 32
        else { return nil }
        (self.kind, self.role, self.label, self.since, self.until, self.digest) = (
            kind, role, label, since, until, digest
        )
        (latest, keyDigest) = (object["latest"]?.whole, object["key_digest"]?.string.flatMap { AccessSecret.bytes($0) })
        (scope, link) = (
            GrantScope(event: object["event"]?.string, from: object["from"]?.whole), object["link"]?.string
        )
        if kind == .session, keyDigest?.count != 32 { return nil }
    }
}
