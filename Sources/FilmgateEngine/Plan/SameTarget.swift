import FileKit
import FilmgateCore

/// Two targets that are one to the ledger: each file would be delivered to one of them, and counted as a duplicate of
/// itself at the other.
///
/// A target is known by its identity: a folder by the part of its path before the first variable, a service by its
/// address and account. Two of one identity are fine where the rules for both never let one file through to both.
struct SameTarget {
    typealias Named = (name: String, target: any UploadTarget)
    let message: String, advice: String, second: String
    /// They are one only where nobody says an event.
    var isByEvent = false

    /// The first two that would put the same names into the same folder, also by way of links or a bind mount.
    static func folder(in targets: [Named]) -> SameTarget? {
        var seen: [(name: String, root: String, layout: String?)] = []
        for (name, target) in targets {
            guard let root = target.traits.localRoot else { continue }
            let layout = target.traits.layout?.source
            if let other = seen.first(where: { $0.layout == layout && FileSystem.isOneFolder($0.root, root) }) {
                let places = other.root == root ? root : "\(root) is \(other.root) by another way"
                return SameTarget(
                    message: "`\(other.name)` and `\(name)` are the same folder: \(places).",
                    advice: "Name each folder once.", second: name)
            }
            seen.append((name, root, layout))
        }
        return nil
    }

    /// The first two with one identity.
    ///
    /// `areApart`: whether no file goes to both targets of these names.
    static func identity(in targets: [Named], areApart: (String, String) -> Bool) -> SameTarget? {
        for (index, (name, target)) in targets.enumerated() {
            let traits = target.traits
            for (earlier, other) in targets[..<index]
            where other.traits.identity == traits.identity && !areApart(earlier, name) {
                let place = traits.localRoot ?? traits.address ?? traits.identity
                let parted = "or let `deliver` give them `kinds` or `formats` of their own."
                let byEvent = [traits, other.traits].count { $0.layout?.uses.contains("event") == true } == 1
                return traits.localRoot == nil
                    ? SameTarget(
                        message: "`\(earlier)` and `\(name)` are one service and account, \(place): "
                            + "a file would come to one of them alone.",
                        advice: "Name one of them, \(parted)", second: name, isByEvent: byEvent)
                    : SameTarget(
                        message: "`\(earlier)` and `\(name)` both lie in \(place), and differ only behind the first "
                            + "variable of their paths: a file would come to one of them alone.",
                        advice: "Let them differ before it, as \(place)/\(earlier)/… and \(place)/\(name)/…; \(parted)",
                        second: name, isByEvent: byEvent)
            }
        }
        return nil
    }
}

extension PipelineFile {
    /// Whether by every profile, and without any, no file goes to both targets, by its kind.
    func areApart(_ one: String, _ other: String) -> Bool {
        let upload = stages.first { $0.module == PipelineDecoder.uploadStage }, names = deliverTo
        var defaults: [String: DeliveryRule] = [:]
        if let node = upload?.node["deliver"], case .map(let pairs) = node.value {
            for pair in pairs { defaults[pair.key.name] = try? DeliveryRule(node: pair.value) }
        }
        return ([nil] + profiles.profiles.compactMap(\.deliver)).allSatisfy { deliver in
            func rule(_ name: String) -> DeliveryRule {
                if let own = deliver?[name] { return own }
                guard names.contains(name) else { return [] }
                return defaults[name] ?? (deliver == nil ? DeliveryRule() : [])
            }
            return rule(one).isApart(from: rule(other))
        }
    }
}
