import FilmgateCore

/// Reads profiles: a pipeline file's own, then those of the files that it includes, each file once.
struct ProfileReader {
    /// Profiles that are read after all others: measured clocks.
    var lastProfiles: String?
    /// Texts of all included files that were read, by the name that marks give them.
    private(set) var texts: [String: String] = [:]
    private let includes: IncludeSearch
    private let zones: ZoneDatabase
    private let problems: DiagnosticCollector
    /// Files whose profiles have been taken, by canonical path.
    private var included: Set<String> = []
    /// Those that are being read now, the innermost last.
    private var including: [String] = []
    private var zonesByName: [String: Result<ZoneRules, ZoneDatabase.Fault>] = [:]

    init(includes: IncludeSearch, zones: ZoneDatabase, problems: DiagnosticCollector) {
        self.includes = includes
        self.zones = zones
        self.problems = problems
    }

    /// `own`: the file's `profiles:`; `include`: its `include:`.
    mutating func read(_ own: ConfigNode, include: ConfigNode, of file: String) -> ProfileSet {
        including = [includes.canonical(file)]
        var all = profiles(own) + includedProfiles(include, from: file)
        if let lastProfiles {
            let last = ConfigNode(.list([ConfigNode(.scalar(lastProfiles, quoted: true))]))
            all += includedProfiles(last, from: file)
        }
        return ProfileSet(all)
    }

    /// One file's `profiles:`.
    private mutating func profiles(_ node: ConfigNode) -> [Profile] {
        problems.items(node, of: "profiles", hint: "Begin each with a dash: `- match: { make: … }`.").map {
            profile($0)
        }
    }

    private mutating func profile(_ node: ConfigNode) -> Profile {
        var profile: Profile = problems.section(node)
        profile.mark = node.mark
        profile.matchRule = problems.section(profile.match)
        if let offset = profile.clockOffset, offset.isUnusual, let place = node["clock_offset"], !isMeasured {
            problems.warn(
                place.mark, "large-offset", "A clock offset of \(offset.shown ?? "") is more than zones explain.",
                hint: "It is hours:minutes:seconds.")
        }
        if let zone = node["zone"], let name = profile.zoneName { profile.zone = rules(of: name, zone) }
        profile.delivering = deliveries(node["deliver"])
        return profile
    }

    /// Whether the file that is being read holds measured clocks: of those the measuring asked.
    private var isMeasured: Bool { lastProfiles.map { including.last == includes.canonical($0) } ?? false }

    private mutating func rules(of name: String, _ node: ConfigNode) -> ZoneRules? {
        let found = zonesByName[name] ?? zones.rules(named: name)
        zonesByName[name] = found
        switch found {
        case .success(let rules): return rules
        case .failure where problems.isFull: break
        case .failure(.noDatabase):
            problems.error(
                node.mark, "unknown-zone",
                "The time zone `\(name)` cannot be looked up: this machine has no time zone database.",
                hint: "Install tzdata, or write a fixed offset such as \"+02:00\".")
        case .failure(.unknown):
            let hint = nearest(name, among: zones.names(like: name)).map { "Did you mean `\($0)`?" }
            problems.error(
                node.mark, "unknown-zone", "There is no time zone called `\(name)`.",
                hint: hint ?? "Write a name such as Europe/Oslo or a fixed offset such as \"+02:00\".")
        }
        return nil
    }

    /// The keys of `deliver` with their places; its kinds have been decoded with the profile.
    private func deliveries(_ node: ConfigNode?) -> [Profile.DeliverEntry] {
        guard case .map(let pairs)? = node?.value else { return [] }
        return pairs.map { Profile.DeliverEntry(target: $0.key.name, mark: $0.key.mark) }
    }

    /// The profiles of `include:`, each file's own before those that it includes; a file that is named twice counts
    /// where it comes first.
    private mutating func includedProfiles(_ node: ConfigNode, from file: String) -> [Profile] {
        let items = problems.items(node, of: "profiles to include", hint: "Write `[name, ./file.yaml]`.")
        if items.count > IncludeSearch.maxFiles {
            problems.error(
                items[IncludeSearch.maxFiles].mark, "too-many-includes",
                "More than \(IncludeSearch.maxFiles) files are included.")
        }
        return items.prefix(IncludeSearch.maxFiles).flatMap { includedFile($0, from: file) }
    }

    private mutating func includedFile(_ item: ConfigNode, from file: String) -> [Profile] {
        do throws(ConfigError) {
            let path = try includes.path(of: item, from: file)
            let canonical = includes.canonical(path)
            if including.contains(canonical) {
                throw ConfigError(
                    item.mark, "include-cycle", "This file is being read already: including it again would never end.")
            }
            guard included.insert(canonical).inserted else { return [] }
            guard included.count <= IncludeSearch.maxFiles else {
                throw ConfigError(
                    item.mark, "too-many-includes", "More than \(IncludeSearch.maxFiles) files are included.")
            }
            let text = try includes.text(at: path, for: item)
            texts[path] = text
            return profiles(ofFile: path, try includes.reader.read(text: text, file: path))
        } catch {
            problems.report(error)
            return []
        }
    }

    private mutating func profiles(ofFile path: String, _ root: ConfigNode) -> [Profile] {
        let before = problems.all.count
        let keys: IncludedKeys = problems.section(root)
        problems.explain(since: before) { error in
            PipelineKeys.schema.descriptions.contains { error.message == "Unknown key `\($0.name)`." }
                ? "An included file holds profiles only." : nil
        }
        problems.checkVersion(keys.version, root)
        including.append(includes.canonical(path))
        defer { including.removeLast() }
        return profiles(keys.profiles) + includedProfiles(keys.include, from: path)
    }
}
