import FileKit
package import FilmgateCore
import Glibc

/// Files in inboxes that nobody looks after any more as they lie there: the server listens elsewhere now, or its run is
/// for another event.
package enum FTPOrphans {
    /// The inboxes beside `inbox`, whoever has them.
    ///
    /// Blocks for the disk, as the others do.
    package static func others(beside inbox: String) throws(IngestError) -> [String] {
        let all = Paths.folder(inbox)
        var others: [String] = []
        guard let facts = try FileFacts.of(all), facts.kind == .directory else { return [] }
        try DirectoryScan(root: all).run { entry in
            if entry.type == .folder, entry.path != Paths.name(inbox) { others.append("\(all)/\(entry.path)") }
            return .skip
        }
        return others
    }

    /// Moves what lies in the inboxes beside `inbox` that nobody holds to the same places in `inbox`, and gives their
    /// count.
    ///
    /// `kept` = inboxes that have an owner, though he may not have opened them yet. `event` = that of the run. `known` =
    /// files that have their event, by inbox and place: these stay. `takes` = whether a login's files belong here. To be
    /// called before `inbox` is opened. What cannot be moved stays.
    package static func takeOver(
        into inbox: String, except kept: Set<String> = [], for event: String? = nil,
        known: [String: Set<String>] = [:], of takes: (String) -> Bool = { _ in true }
    ) throws(IngestError) -> Int {
        var count = 0
        for other in try others(beside: inbox) where !kept.contains(other) {
            // Whoever has it open takes care of it.
            guard let lock = FolderLock(free: other) else { continue }
            count += try withExtendedLifetime(lock) { () throws(IngestError) in
                let own = known[other] ?? [], earlier = try FTPInboxEvent.read(other).flatMap { $0 == event ? nil : $0 }
                var count = try moveEvents(of: other, into: inbox, takes)
                if let earlier, let home = FTPEventFolder.path(of: earlier, in: inbox) {
                    count += try move(other, into: home, takes) { !own.contains($0) && isSafe($0, in: other) }
                }
                return try count
                    + move(other, into: inbox, takes) { place in
                        !own.contains(place) && (earlier == nil || !isSafe(place, in: other))
                    }
            }
        }
        return count
    }

    /// Moves what an earlier run left to the inbox of its event, where this run is for another one, and remembers this
    /// run's; gives the count of what was moved.
    ///
    /// Its clients were told that these files are safe while that run took them. What a client may still go on with
    /// stays, and so do those of `known`, by their places: they have their event. To be called before `inbox` is opened;
    /// does nothing where somebody holds it: its files are his. Throws where a file cannot be moved: it would go to the
    /// wrong event.
    package static func setApart(
        _ inbox: String, for event: String?, except known: Set<String>
    ) throws(IngestError) -> Int {
        try DurableFile.makeDirectories(inbox, mode: 0o700)
        guard let lock = FolderLock(free: inbox) else { return 0 }
        return try withExtendedLifetime(lock) { () throws(IngestError) in
            let count = try moveEarlier(in: inbox, for: event, except: known)
            try FTPInboxEvent.write(event, to: inbox)
            return count
        }
    }

    private static func moveEarlier(
        in inbox: String, for event: String?, except known: Set<String>
    ) throws(IngestError) -> Int {
        guard let earlier = try FTPInboxEvent.read(inbox), earlier != event else { return 0 }
        let isMeant = { (place: String) in !known.contains(place) && isSafe(place, in: inbox) }
        var count = 0
        if let home = FTPEventFolder.path(of: earlier, in: inbox) {
            count = try move(inbox, into: home, { _ in true }, isMeant: isMeant)
        }
        var left = 0
        try DirectoryScan(root: inbox).run { entry in
            if entry.path == FTPEventFolder.name { return .skip }
            if entry.type == .file, entry.path.utf8.filter({ $0 == 0x2F }).count >= 2, isMeant(entry.path) { left += 1 }
            return .proceed
        }
        guard left == 0 else {
            throw IngestError(
                .misconfigured,
                "\(left) files in \(PathText.shown(inbox)) were pushed for \(PathText.shown(earlier)) and cannot be set apart.",
                advice: "Let a run of that event take them first, or look at the disk.")
        }
        return count
    }

    private static func isSafe(_ place: String, in inbox: String) -> Bool {
        place.utf8.split(separator: 0x2F).dropFirst().first?.elementsEqual("in".utf8) == true
            || InboxPermissions.isSafe("\(inbox)/\(place)")
    }

    /// What was pushed for an event is for that event elsewhere, too.
    private static func moveEvents(
        of other: String, into inbox: String, _ takes: (String) -> Bool
    ) throws(IngestError) -> Int {
        var count = 0
        for (event, _) in try FTPEventFolder.events(in: other) {
            guard let from = FTPEventFolder.path(of: event, in: other),
                let to = FTPEventFolder.path(of: event, in: inbox)
            else { continue }
            count += try move(from, into: to, takes)
            FTPEventFolder.tidy(from)
        }
        return count
    }

    /// `isMeant` = whether the file at a place goes.
    private static func move(
        _ other: String, into inbox: String, _ takes: (String) -> Bool, isMeant: (String) -> Bool = { _ in true }
    ) throws(IngestError) -> Int {
        var files: [String] = [], folders: [String] = [], count = 0
        try DirectoryScan(root: other).run { entry in
            let login = entry.path.utf8.split(separator: 0x2F).first.map { String(Substring($0)) } ?? ""
            guard entry.path != FTPEventFolder.name, takes(login) else { return .skip }
            if entry.type == .file {
                files.append(entry.path)
            } else if entry.type == .folder {
                folders.append(entry.path)
            }
            return .proceed
        }
        for file in files where isMeant(file) && move(file, from: other, into: inbox) { count += 1 }
        for folder in folders.reversed() { _ = withCPath("\(other)/\(folder)") { rmdir($0) } }
        return count
    }

    /// `LOGIN/part/NAME` may be taken there: then it is another try of that name, in a place of its own.
    private static func move(_ file: String, from other: String, into inbox: String) -> Bool {
        var parts = file.utf8.split(separator: 0x2F).map { String(Substring($0)) }
        guard parts.count >= 3 else { return false }
        for number in 2...100 {
            let place = "\(inbox)/\(parts.joined(separator: "/"))"
            do throws(IngestError) {
                try DurableFile.makeDirectories(Paths.folder(place), mode: 0o700)
                try DurableFile.publish(part: "\(other)/\(file)", as: place)
                return true
            } catch {
                guard error.code == .nameTaken else { return false }
            }
            if parts[1] == "in" {
                parts[2] += "0"
            } else {
                parts[1] = FTPClient(login: parts[0], part: parts[1]).part(number)
            }
        }
        return false
    }
}
