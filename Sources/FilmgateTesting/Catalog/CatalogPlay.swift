import CryptographyKit
import FilmgateCore

/// Does at a catalogue what the lines of a `CatalogCase` say.
///
/// A content is a letter, and what follows it: `a/b` lies beside `b`, `a@form` is for that target, and each `+word` is
/// what a person or a station says of it (`flags`). `#257` is so many contents; `short` and `none` are no digests.
struct CatalogPlay {
    private struct Member {
        var catalog: any Catalog
        var name: String, membership: StationMembership? = nil, token: Int64? = nil, applied: Int64 = 0
    }
    struct Unreadable: Error { let words: [String] }

    private let bench: CatalogBench, owner: any Catalog
    private var members: [Int: Member] = [:]
    /// When each was claimed, as it was told first.
    private var times: [String: Int64] = [:]

    init(_ bench: CatalogBench, isFresh: Bool) async throws {
        (self.bench, owner) = (bench, try bench.owner())
        for number in 1...4 {
            members[number] = Member(catalog: try bench.station(number), name: "desk-\(number)")
            guard !isFresh, number < 4 else { continue }
            for verb in ["join", "open"] { _ = try await play(number, as: number, verb, []) }
        }
    }

    func close() async {
        for member in members.values { await member.catalog.close() }
        await owner.close()
    }

    mutating func answer(_ line: String) async -> String {
        do { return try await play(line.split(separator: " ").map(String.init)) } catch let error as IngestError {
            return "refused: \(error.code.rawValue)"
        } catch { return "\(error)" }
    }

    private mutating func play(_ words: [String]) async throws -> String {
        guard words.count > 1 else { throw Unreadable(words: words) }
        let who = words[0].split(separator: "@").compactMap { Int($0) }
        if let number = who.first, let role = who.last {
            return try await play(number, as: role, words[1], Array(words.dropFirst(2)))
        }
        switch (words[0], words[1]) {
        case ("time", let seconds):
            try await bench.pass(.seconds(Int(seconds) ?? 0))
            return "\(seconds) s later"
        case ("catalog", let state):
            try await bench.setAway(state == "away")
            return state
        case ("owner", "revoke"), ("owner", "free"): return try await keep(words[1], words[2], owner)
        default: throw Unreadable(words: words)
        }
    }

    /// What is for whoever keeps the catalogue.
    private func keep(_ verb: String, _ station: String, _ catalog: any Catalog) async throws -> String {
        verb == "revoke"
            ? try await catalog.revoke(station) ? "shut out" : "nobody"
            : try await catalog.release(claimsOf: station).map { "\($0) free" } ?? "nobody"
    }

    /// `role`: the station whose role is used.
    private mutating func play(
        _ number: Int, as role: Int, _ verb: String, _ words: [String]
    ) async throws -> String {
        guard var member = members[number], let catalog = members[role]?.catalog else {
            throw Unreadable(words: [verb])
        }
        member.catalog = catalog
        let token = member.token ?? 0
        switch verb {
        case "join": return try await join(number, catalog, words)
        case "revoke", "free": return try await keep(verb, words[0], catalog)
        case "open", "standing": return try await open(number, member, verb, words)
        case "renew":
            let status = words.isEmpty ? nil : words == ["huge"] ? Self.huge : words.joined(separator: " ")
            return try await catalog.renew(token, status: status) == nil ? "over" : "lasts"
        case "leave":
            try await catalog.leave(token)
            return "left"
        case "claim":
            let answers = try await catalog.claim(Self.wishes(words), token).map(Self.shown)
            return answers.isEmpty ? "nothing" : Set(answers).count == 1 ? answers[0] : answers.joined(separator: ", ")
        case "since": return try await since(words, catalog, token)
        case "release": return "\(try await catalog.release(Self.wishes(words), token)) given back"
        case "tell": return try await tell(number, member, words)
        case "where":
            let found = try await catalog.copies(of: words.flatMap(Self.expanded).map(Self.digest)).map(Self.shown)
                .sorted()
            return found.isEmpty ? "nobody" : found.joined(separator: "; ")
        case "card":
            let volume = words.first { $0.hasPrefix("volume=") }.map { String($0.dropFirst(7)) } ?? Self.volume
            let files = words.filter { !$0.hasPrefix("volume=") }.flatMap(Self.expanded).map { Self.origin($0).id }
            let found = try await catalog.card(volume, files, token).map(Self.shown)
            return found.isEmpty ? "nobody" : found.joined(separator: "; ")
        case "stations": return try await catalog.stations().map(Self.shown).joined(separator: "; ")
        default: throw Unreadable(words: [verb] + words)
        }
    }

    /// Claims one, and says what is told of when it was claimed, beside what was told of that first.
    private mutating func since(_ words: [String], _ catalog: any Catalog, _ token: Int64) async throws -> String {
        guard let answer = try await catalog.claim(Self.wishes(words), token).first else { return "nothing" }
        let name = Self.name(words[0]), said = Self.shown(answer)
        guard let time = answer.time else { return said }
        let first = times[name] ?? time
        times[name] = first
        return "\(said) since \(time == first ? "then" : time > first ? "later" : "earlier")"
    }

    // MARK: Membership

    private static func uuid(_ number: Int) -> String { String(digest("station \(number)").prefix(32)) }

    private mutating func join(_ number: Int, _ catalog: any Catalog, _ words: [String]) async throws -> String {
        guard var member = members[number] else { return "" }
        var identity = StationIdentity(uuid: Self.uuid(number), name: member.name)
        for word in words {
            let value = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).last ?? ""
            // `*65`: so many letters.
            let text = value.hasPrefix("*") ? String(repeating: "x", count: Int(value.dropFirst()) ?? 0) : String(value)
            switch word.prefix(4) {
            case "anew": identity.asNew = true
            case "pass": identity.isEphemeral = true
            case "name": identity.name = text
            case "site": identity.site = text
            case "uuid": identity.uuid = text
            default: throw Unreadable(words: words)
            }
        }
        let membership = try await catalog.join(identity)
        (member.name, member.membership, member.applied) = (identity.name, membership, membership.applied)
        members[number] = member
        return "epoch \(membership.epoch), applied \(membership.applied)"
    }

    /// `forgetful`: without its last session; `epoch=1`: as if that were still its epoch.
    private mutating func open(
        _ number: Int, _ member: Member, _ verb: String, _ words: [String]
    ) async throws -> String {
        var membership =
            member.membership
            ?? StationMembership(uuid: Self.uuid(number), name: member.name, epoch: 1, catalog: "", applied: 0)
        if let word = words.first(where: { $0.hasPrefix("epoch=") }) { membership.epoch = Int(word.dropFirst(6)) ?? 0 }
        let last = words.contains("forgetful") ? nil : member.token
        if verb == "standing" {
            return
                "applied \(try await member.catalog.applied(of: membership, last: last).map { "\($0)" } ?? "unknown")"
        }
        let session = try await member.catalog.open(membership, last: last)
        members[number]?.token = session.token
        members[number]?.applied = session.applied
        return "applied \(session.applied), for \(session.lasts.components.seconds) s"
    }

    /// Noise that no table keeps smaller than it is.
    private static let huge = "{\"x\": \"\((0..<2000).map { digest("\($0)") }.joined())\"}"

    // MARK: Reports

    /// `since=` and `upto=`: other numbers than the next ones; `done:a`, `removed:a`, `withdrawn:a`, `seen:a=ending`.
    private mutating func tell(_ number: Int, _ member: Member, _ words: [String]) async throws -> String {
        var report = StationReport(since: member.applied, upTo: member.applied + 1)
        for word in words {
            if word.hasPrefix("since=") {
                report.since = Int64(word.dropFirst(6)) ?? -1
            } else if word.hasPrefix("upto=") {
                report.upTo = Int64(word.dropFirst(5)) ?? -1
            } else {
                try Self.add(word, to: &report)
            }
        }
        guard let known = try await member.catalog.tell(report, member.token ?? 0) else { return "over" }
        members[number]?.applied = known
        return "known to \(known)"
    }

    private static func add(_ word: String, to report: inout StationReport) throws {
        let parts = word.split(separator: ":").map(String.init)
        guard parts.count == 2 else { throw Unreadable(words: [word]) }
        if let state = DeliveryFact.State(rawValue: parts[0]) {
            let wish = wish(parts[1]), flags = flags(parts[1])
            let proof = [Receipt.Proof.size, .none, .reread].first { flags.contains($0.rawValue) } ?? .server
            var fact = DeliveryFact(
                content: wish.content, target: wish.target, targetName: wish.targetName, state: state, proof: proof,
                size: 5)
            fact.shared = !flags.contains("private")
            fact.receipt = (flags.contains("moved") ? "y/" : "x/") + name(parts[1])
            report.deliveries.append(fact)
        } else {
            let said = parts[1].split(separator: "=").map(String.init), flags = flags(parts[1])
            let sha = digest(name(said[0])), last = said.last?.split(separator: "+").first.map(String.init) ?? ""
            report.contents.append(ContentFact(sha256: sha, size: 7, captured: nil, kind: .jpeg))
            report.sightings.append(
                SightingFact(
                    origin: origin(name(said[0])), sha256: flags.contains("unread") ? nil : sha,
                    ending: Ending(rawValue: last) ?? .delivered,
                    at: time + (flags.contains("later") ? 60_000_000_000 : 0)
                ))
        }
    }
}
