import FileKit
public import FilmgateCore

/// The targets that several stations deliver to, and what all stations call them: the one place where that is decided.
///
/// A remote target is shared where the pipeline names it in `share:` and its address means the same machine everywhere.
/// A folder is shared where its root holds the id of a shared folder, which this station has read itself, and never
/// because of its path. Everything else is this station's alone: it is never claimed, and nobody else's word is taken
/// for it.
public struct SharedTargets: Sendable, Hashable {
    private struct Place: Sendable, Hashable {
        /// The target's identity in this ledger, without an event; and the same as all stations say it.
        var own: String, common: String
        /// The folder on this machine; nil for a remote target.
        var root: String?
    }

    /// A target of `share:` that is this station's alone all the same, and why.
    public struct Refusal: Sendable, Hashable {
        public var target: String, reason: String, advice: String
        /// It is shared, though not without risk.
        public var isWarning = false
    }

    private var places: [Place] = []
    /// The remote ones of this plan by their identities without an event: name, and what they can answer for.
    private var outlooks: [String: AwayOutlook] = [:]
    /// Remote targets of the pipeline that are this station's alone, by their identities without an event.
    private var alone: Set<String> = []
    public private(set) var refusals: [Refusal] = []

    public init() {}

    /// `events`: what may stand at the end of an identity.
    ///
    /// Reads the ids of folders, which blocks for their disks.
    init(_ rule: StationRule, _ targets: [(name: String, target: any UploadTarget)], events: [String]) {
        let wanted = Set(rule.share.map(\.name))
        for (name, target) in targets {
            let traits = target.traits
            var own = traits.identity
            if let event = events.first(where: {
                !$0.isEmpty && own.utf8.suffix($0.utf8.count + 1).elementsEqual(":\($0)".utf8)
            }) {
                own = String(decoding: own.utf8.dropLast(event.utf8.count + 1), as: UTF8.self)
            }
            if let root = traits.localRoot {
                add(folder: name, own, root, isWanted: wanted.contains(name))
            } else if wanted.contains(name) {
                add(remote: name, own, traits, rule)
            } else {
                alone.insert(own)
            }
        }
    }

    private mutating func add(folder name: String, _ own: String, _ root: String, isWanted: Bool) {
        switch Result(catching: { () throws(IngestError) in try SharedFolderFile.id(of: root) }) {
        case .success(let id?): places.append(Place(own: own, common: "shared|\(id)", root: root))
        case .success(nil) where isWanted:
            refusals.append(
                Refusal(
                    target: name, reason: "the folder \(PathText.shown(root)) has no mark of a shared folder",
                    advice: "Once, at one station: `filmgate catalog share DIR`."))
        case .success: break
        case .failure(let error):
            refusals.append(Refusal(target: name, reason: error.message, advice: error.advice ?? "Look at the folder."))
        }
    }

    private mutating func add(remote name: String, _ own: String, _ traits: TargetTraits, _ rule: StationRule) {
        if let refusal = Self.refusal(name, own, traits, rule) {
            refusals.append(refusal)
            guard refusal.isWarning else {
                alone.insert(own)
                return
            }
        }
        places.append(Place(own: own, common: own))
        let way: AwayOutlook.Way = traits.answersByDigest ? .asked : traits.idempotent ? .harmless : .held
        outlooks[own] = AwayOutlook(target: name, way: way, waiting: 0)
    }

    /// The remote ones that are shared, by name, each with what the catalogue's absence is for there.
    ///
    /// What failed waits for a person; and where deliveries go on, what is held waits for something else.
    func remotes(counting open: [OpenTarget], mustHold: Bool) -> [AwayOutlook] {
        var found = mustHold ? outlooks.mapValues { AwayOutlook(target: $0.target, way: .held, waiting: 0) } : outlooks
        for target in open {
            guard let own = place(of: target.identity)?.place.own, let way = found[own]?.way else { continue }
            let apart = target.failed + (way == .held ? 0 : target.told.held)
            found[own]?.waiting += max(0, target.told.waiting - apart)
        }
        return found.values.sorted { $0.target < $1.target }
    }

    private static func refusal(_ name: String, _ own: String, _ traits: TargetTraits, _ rule: StationRule) -> Refusal?
    {
        // The catalogue keeps 1024 bytes of an identity.
        guard own.utf8.count <= 768 else {
            return Refusal(target: name, reason: "its address is too long", advice: "Use a shorter one.")
        }
        guard let address = traits.address, let reach = TargetReach(address) else {
            return Refusal(
                target: name, reason: "nobody can tell where it delivers to", advice: "Take it out of `share`.")
        }
        let host = TargetReach.host(of: address) ?? address
        let advice = "Use an address that means the same machine at every station."
        switch reach {
        case .everywhere: return nil
        case .thisMachine where rule.oneMachine, .unqualified where rule.oneMachine: return nil
        case .thisMachine:
            return Refusal(target: name, reason: "\(host) is another machine at each station", advice: advice)
        case .link: return Refusal(target: name, reason: "\(host) is another machine on another link", advice: advice)
        case .unqualified:
            return Refusal(target: name, reason: "\(host) may be another machine in another network", advice: advice)
        case .network:
            return Refusal(
                target: name, reason: "\(host) is another machine in another network",
                advice: "Share it only where all stations are in one network.", isWarning: true)
        }
    }

    public var isEmpty: Bool { places.isEmpty }

    /// What all stations call the target with that identity; nil where it is this station's alone.
    public func common(_ identity: String) -> String? {
        guard let (place, event) = place(of: identity) else { return nil }
        return event.isEmpty || place.root == nil ? place.common + event : "\(place.common)|\(event.dropFirst())"
    }

    /// The folder that a shared target with that identity is here; nil for others.
    func root(of identity: String) -> String? { place(of: identity)?.place.root }

    /// Whether what all stations call so is a folder here.
    func isFolder(_ common: String) -> Bool {
        places.contains { place in
            place.root != nil && (common == place.common || common.utf8.starts(with: "\(place.common)|".utf8))
        }
    }

    /// The events for which all stations' names speak of the target with that identity, which is the one without an
    /// event.
    func events(of identity: String, in names: some Sequence<String>) -> Set<String?> {
        guard let (place, event) = place(of: identity), event.isEmpty else { return [] }
        let separator = place.root == nil ? ":" : "|"
        return names.reduce(into: []) { events, name in
            if name.utf8.elementsEqual(place.common.utf8) { events.insert(nil) }
            let start = place.common + separator
            guard name.utf8.starts(with: start.utf8), name.utf8.count > start.utf8.count else { return }
            events.insert(String(decoding: name.utf8.dropFirst(start.utf8.count), as: UTF8.self))
        }
    }

    /// With the event at its end, which begins with a colon.
    ///
    /// Byte for byte: names that only look alike are different places.
    private func place(of identity: String) -> (place: Place, event: String)? {
        let bytes = identity.utf8
        let fitting = places.filter { Self.isOf($0.own, identity) }
        return fitting.max { $0.own.utf8.count < $1.own.utf8.count }.map { place in
            (place, String(decoding: bytes.dropFirst(place.own.utf8.count), as: UTF8.self))
        }
    }

    /// The target with that identity, for whatever event, is the one that is `own` without an event.
    private static func isOf(_ own: String, _ identity: String) -> Bool {
        let rest = identity.utf8.dropFirst(own.utf8.count)
        return identity.utf8.starts(with: own.utf8) && (rest.isEmpty || rest.first == UInt8(ascii: ":"))
    }

    /// Whether the plan says of that target that it is shared, or that it is not.
    ///
    /// A folder without a mark is not known: its disk may be away.
    func knows(_ identity: String) -> Bool {
        place(of: identity) != nil || alone.contains { Self.isOf($0, identity) }
    }

    /// Those of both; what is known of a target later stands.
    public mutating func add(_ other: SharedTargets) {
        alone.formUnion(other.alone)
        outlooks.merge(other.outlooks) { $1 }
        takeOver(other.places)
        for refusal in other.refusals where !refusals.contains(refusal) { refusals.append(refusal) }
    }

    private mutating func takeOver(_ new: [Place]) {
        for place in new {
            places.removeAll { $0.own == place.own }
            places.append(place)
        }
    }
}

extension SharedTargets {
    /// The same report with what all stations call their shared targets; paths in shared folders are told from their
    /// roots.
    public func qualified(_ report: StationReport) -> StationReport {
        var report = report
        for index in report.deliveries.indices {
            let fact = report.deliveries[index]
            guard let common = common(fact.target) else { continue }
            (report.deliveries[index].target, report.deliveries[index].shared) = (common, true)
            if let root = root(of: fact.target), let path = fact.receipt?.utf8, path.starts(with: "\(root)/".utf8) {
                report.deliveries[index].receipt = String(decoding: path.dropFirst(root.utf8.count + 1), as: UTF8.self)
            }
        }
        return report
    }
}

// MARK: Kept over runs

extension SharedTargets {
    /// As `init(lines:)` reads it: a line of JSON for each place.
    var lines: String {
        places.map { place in
            var line = JSONWriter()
            line.add("own", place.own)
            line.add("common", place.common)
            line.add("root", place.root)
            return line.finished + "\n"
        }
        .joined()
    }

    /// The places of `lines`; what is no such line is passed over.
    init(lines text: String) {
        places = text.split(separator: "\n").compactMap { line in
            guard let object = JSONValue(Array(line.utf8)), let own = object["own"]?.string,
                let common = object["common"]?.string
            else { return nil }
            return Place(own: own, common: common, root: object["root"]?.string)
        }
    }

    /// What a plan says now stands, also where it says that a target is not shared any more.
    mutating func renew(by plan: SharedTargets) {
        places.removeAll { place in plan.alone.contains(place.own) && !plan.places.contains { $0.own == place.own } }
        takeOver(plan.places)
        places.sort { $0.own < $1.own }
    }
}
