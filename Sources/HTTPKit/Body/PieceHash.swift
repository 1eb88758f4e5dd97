import CXXHash
import CryptographyKit
import FilmgateCore

/// Tells whether a piece's bytes are the promised ones, while they pass.
///
/// XXH128 where it is known, else SHA-256; nothing where no digest was promised.
struct PieceHash: ~Copyable {
    private var sha256: RunningHash?
    private let state: OpaquePointer?

    init(of slice: FileSlice?) {
        state = slice?.xxh128 == nil ? nil : XXH3_createState()
        if let state { XXH3_128bits_reset(state) } else if slice?.sha256 != nil { sha256 = RunningHash(.sha256) }
    }

    deinit { if let state { XXH3_freeState(state) } }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        if let state { XXH3_128bits_update(state, start, bytes.count) } else { sha256?.update(bytes) }
    }

    /// Nil where no digest was promised.
    borrowing func agrees(with slice: FileSlice) -> Bool? {
        if let state {
            let hash = XXH3_128bits_digest(state)
            return withUnsafeBytes(of: (hash.high64.bigEndian, hash.low64.bigEndian)) { Hex.text(of: $0) }
                == slice.xxh128
        }
        return sha256.map { Hex.text(of: $0.digest()) == slice.sha256 }
    }
}
