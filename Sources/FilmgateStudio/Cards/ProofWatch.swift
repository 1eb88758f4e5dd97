import FileKit
import FilmgateCore
import Synchronization

/// Hears what happens to a proven card and to the copies of what is on it, so that it is looked at before it is due.
///
/// Hearing costs nothing while nothing happens; a look at thousands of files cannot come every second. What the kernel
/// does not tell of, such as the disk of another machine, is seen by the looks that come anyway.
final class ProofWatch: Sendable {
    private let watch: Mutex<FolderWatch?>
    private let card: String, copies: NamedCopies
    /// Of the card; one with more is looked at and not heard.
    private static let mostFolders = 2000

    /// Blocks, for as long as a disk does not answer.
    init(_ card: String, _ copies: NamedCopies) {
        (self.card, self.copies) = (card, copies)
        watch = Mutex(Self.begun(card, copies))
    }

    /// Nil where the kernel watches nothing more.
    private static func begun(_ card: String, _ copies: NamedCopies) -> sending FolderWatch? {
        guard let watch = try? FolderWatch("/") else { return nil }
        for folder in below(card) + copies.folders.sorted() {
            // Without its slash: it lies below the root.
            // Those that it has go back, too: the limit is the user's, whose runs watch their folders.
            guard (try? watch.add(String(folder.dropFirst()))) != nil else { return nil }
        }
        return watch
    }

    /// The card and all folders on it.
    private static func below(_ card: String) -> [String] {
        guard let device = try? FileFacts.of(card)?.device else { return [] }
        var folders = [card], next = 0
        while next < folders.count, folders.count < mostFolders {
            for name in (try? FileSystem.names(in: folders[next])) ?? [] where name != "." && name != ".." {
                let path = folders[next] + "/" + name
                guard let facts = try? FileFacts.of(path), facts.kind == .directory, facts.device == device else {
                    continue
                }
                folders.append(path)
            }
            next += 1
        }
        return folders
    }

    /// Whether something happened since the last time that may end the proof; does not wait.
    func hasHeard() -> Bool {
        watch.withLock { watch in
            // All are taken, so that none is heard twice.
            watch?.read().reduce(false) { concerns($1) || $0 } ?? false
        }
    }

    private func concerns(_ event: FolderWatch.Event) -> Bool {
        switch event {
        case .overflow, .rootGone, .folderGone: true
        case .folderCame(let path): isOnCard("/" + path)
        case .begun(let path), .written(let path), .movedIn(let path), .gone(let path):
            isOnCard("/" + path) || copies.wasFound("/" + path)
        }
    }

    private func isOnCard(_ path: String) -> Bool { Paths.relative(path, to: card) != nil }
}
