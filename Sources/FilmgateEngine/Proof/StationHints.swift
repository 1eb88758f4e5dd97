import FilmgateCore

/// What other stations say of one file: at which targets to look for it, and who has a copy that is out of reach here.
///
/// A reason to look, and never a proof. What makes no sense is left out: another size than the file has, a sidecar of
/// another picture, a name that is no text.
struct StationHints: Sendable, Hashable {
    /// A copy at a target that several stations deliver to.
    struct Hint: Sendable, Hashable {
        var station: String, state: CatalogCopy.State
        /// A path below a shared folder, an address or an id; nil where nobody said.
        var detail: String?
    }
    /// A copy at a target of that station alone.
    struct Private: Sendable, Hashable { var station: String, target: String }

    /// By what all stations call the target; the surest word first.
    private(set) var shared: [String: [Hint]] = [:]
    private(set) var outOfReach: [Private] = []
    private static let most = 64, mostOfOne = 8

    /// What the catalogue says of a file with that digest and size.
    ///
    /// `beside`: the digests of the pictures in its shot, of which a sidecar's is one. `own`: this station's name; what
    /// it said itself of its own targets is in its ledger or gone.
    init(
        _ copies: [CatalogCopy], sha256: String, size: UInt64, kind: MediaKind, beside: [String], own: String
    ) {
        let sensible = copies.filter { copy in
            guard copy.sha256 == sha256, copy.size == nil || copy.size == size, copy.state != .seen else {
                return false
            }
            guard kind == .sidecar else { return true }
            return beside.isEmpty ? copy.beside == nil : copy.beside.map(beside.contains) == true
        }
        for copy in sensible.sorted(by: { Self.rank($0.state) < Self.rank($1.state) }) {
            let station = Self.plain(copy.station, 64)
            guard let target = copy.target else {
                let name = Self.plain(copy.place, 64)
                if copy.state == .done, station != own, outOfReach.count < Self.most {
                    outOfReach.append(Private(station: station, target: name))
                }
                continue
            }
            guard Self.isText(target, 1024), shared[target] != nil || shared.count < Self.most,
                shared[target, default: []].count < Self.mostOfOne
            else { continue }
            let detail = copy.detail.flatMap { Self.isText($0, 4096) ? $0 : nil }
            shared[target, default: []].append(Hint(station: station, state: copy.state, detail: detail))
        }
    }

    var isEmpty: Bool { shared.isEmpty && outOfReach.isEmpty }

    /// Who says to have a copy of its own at a target of that name, else at any.
    func owners(of target: String) -> [String] {
        let named = outOfReach.filter { $0.target == target }
        return Array(Set((named.isEmpty ? outOfReach : named).map(\.station))).sorted()
    }

    private static func rank(_ state: CatalogCopy.State) -> Int {
        switch state {
        case .done: 0
        case .unsure: 1
        case .claimed: 2
        case .removed: 3
        case .seen: 4
        }
    }

    private static func isText(_ text: String, _ limit: Int) -> Bool {
        !text.isEmpty && text.utf8.count <= limit && text.unicodeScalars.allSatisfy { !isControl($0) }
    }

    private static func plain(_ text: String, _ limit: Int) -> String {
        let scalars = text.unicodeScalars.prefix(limit).map { isControl($0) ? "\u{FFFD}" : $0 }
        return String(String.UnicodeScalarView(scalars))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }
}

extension StationHints.Hint {
    /// What the station said, to stand behind what was found.
    var words: String {
        switch state {
        case .done, .seen: "\(station) says that it delivered it there"
        case .unsure: "\(station) may have sent it there"
        case .claimed: "\(station) is sending it there"
        case .removed: "\(station) saw that it was removed there"
        }
    }

    /// Its path below a shared folder that is `root` here; nil for what would lead out of it, and for hidden names,
    /// under which what is not whole yet may lie.
    func path(below root: String) -> String? {
        guard let detail, !detail.split(separator: "/").contains(where: { $0.first == "." }) else { return nil }
        return ClaimedAttempt.path(detail, below: root)
    }
}

/// What another station calls its copy at a target with names of its own, where that lies below the target's address.
struct AddressBelow: Sendable, Hashable {
    let url: String
    /// Below the target's address, decoded.
    let path: String

    /// Nil for any other address, for what a server might read as one that leads out of the target's, and for hidden
    /// names, under which what is not whole yet may lie.
    init?(_ text: String, base: String) {
        let base = base.hasSuffix("/") ? base : base + "/"
        guard text.utf8.count <= 2048, text.utf8.starts(with: base.utf8) else { return nil }
        guard let decoded = Self.decoded(text.utf8.dropFirst(base.utf8.count)) else { return nil }
        let parts = decoded.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.first != "." }) else { return nil }
        (url, path) = (text, decoded)
    }

    private static func decoded(_ bytes: Substring.UTF8View) -> String? {
        var result: [UInt8] = [], rest = bytes
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                guard byte > 0x20, byte != 0x7F, !"?#\\".utf8.contains(byte) else { return nil }
                result.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            let value = high << 4 | low
            guard value >= 0x20, value != 0x7F, !"/\\".utf8.contains(value) else { return nil }
            result.append(value)
        }
        return String(validating: result, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
