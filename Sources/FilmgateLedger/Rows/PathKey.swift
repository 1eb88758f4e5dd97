import FilmgateCore
import Foundation

/// The form of a path under which two names clash, as bytes that SQLite can compare: case folded, then composed (NFC).
enum PathKey {
    static func folded(_ path: String) -> String {
        let folded = SafeName.folded(path)
        return folded.utf8.allSatisfy { $0 < 0x80 } ? folded : folded.precomposedStringWithCanonicalMapping
    }
}
