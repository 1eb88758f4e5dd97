import FileKit
package import FilmgateCore
import Glibc

/// Files in inboxes that no server looks after any more, because it listens elsewhere now.
package enum FTPOrphans {
    /// Moves what lies in the inboxes beside `inbox` that nobody holds to the same places in `inbox`, and gives their
    /// count.
    ///
    /// `kept` = inboxes that have an owner, though he may not have opened them yet. `takes` = whether a login's files
    /// belong here. To be called before `inbox` is opened. Blocks for the disk; what cannot be moved stays.
    package static func takeOver(
        into inbox: String, except kept: Set<String> = [], of takes: (String) -> Bool = { _ in true }
    ) throws(IngestError) -> Int {
        let all = Paths.folder(inbox)
        var count = 0, others: [String] = []
        guard let facts = try FileFacts.of(all), facts.kind == .directory else { return 0 }
        try DirectoryScan(root: all).run { entry in
            if entry.type == .folder, entry.path != Paths.name(inbox) { others.append(entry.path) }
            return .skip
        }
        for other in others.map({ "\(all)/\($0)" }) where !kept.contains(other) {
            // Whoever has it open takes care of it.
            guard let lock = FolderLock(free: other) else { continue }
            count += try withExtendedLifetime(lock) { () throws(IngestError) in
                try move(other, into: inbox, takes) + moveEvents(of: other, into: inbox, takes)
            }
        }
        return count
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

    private static func move(_ other: String, into inbox: String, _ takes: (String) -> Bool) throws(IngestError) -> Int
    {
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
        for file in files where move(file, from: other, into: inbox) { count += 1 }
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
