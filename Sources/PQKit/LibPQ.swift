import CPQ
import FilmgateCore
import Glibc

/// The C library, loaded when the first connection is wanted and kept as long as the program lives.
///
/// Its documentation: https://www.postgresql.org/docs/15/libpq.html
final class LibPQ: @unchecked Sendable {  // Addresses of C functions, which never change once they are found.
    let call: fg_libpq

    private static let shared = Result { () throws(IngestError) in try LibPQ("libpq.so.5") }

    /// The library; blocks for the disk the first time.
    ///
    /// `misconfigured` where it is not installed.
    static func loaded() throws(IngestError) -> LibPQ { try shared.get() }

    init(_ name: String) throws(IngestError) {
        guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
            throw IngestError(
                .misconfigured, "The library \(name), which PostgreSQL is asked with, cannot be loaded.",
                advice: "Install it: `apt install libpq5`.")
        }
        let table = UnsafeMutablePointer<fg_libpq>.allocate(capacity: 1)
        defer { table.deallocate() }
        if let missing = fg_libpq_find(library, table) {
            throw IngestError(
                .misconfigured, "\(name) has no \(String(cString: missing)).", advice: "Install a newer libpq5.")
        }
        call = table.pointee
    }
}
