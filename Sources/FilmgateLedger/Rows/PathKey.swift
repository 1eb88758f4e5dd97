import FilmgateCore
import Foundation

/// The form of a path under which two names clash, as bytes that SQLite can compare: composed (NFC), case folded.
enum PathKey {
    static func folded(_ path: String) -> String {
        if path.utf8.allSatisfy({ $0 < 0x80 }) { return SafeName.folded(path) }
        return SafeName.folded(path.precomposedStringWithCanonicalMapping).precomposedStringWithCanonicalMapping
    }
}
