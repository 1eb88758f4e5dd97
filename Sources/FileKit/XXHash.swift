import CXXHash

/// XXH3 with 128 or 64 bits (xxHash specification 0.2.0); libxxhash keeps the state.
struct XXH3: ~Copyable {
    private let state: OpaquePointer, wide: Bool

    init(bits: Int) {
        guard let state = XXH3_createState() else { preconditionFailure("Out of memory.") }
        (self.state, wide) = (state, bits == 128)
        if wide { XXH3_128bits_reset(state) } else { XXH3_64bits_reset(state) }
    }

    deinit { XXH3_freeState(state) }

    func update(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        if wide {
            XXH3_128bits_update(state, start, bytes.count)
        } else {
            XXH3_64bits_update(state, start, bytes.count)
        }
    }

    func finish() -> String {
        if !wide { return withUnsafeBytes(of: XXH3_64bits_digest(state).bigEndian) { hexadecimal($0) } }
        let hash = XXH3_128bits_digest(state)
        return withUnsafeBytes(of: (hash.high64.bigEndian, hash.low64.bigEndian)) { hexadecimal($0) }
    }
}

/// XXH64 (xxHash specification 0.2.0) with seed 0.
struct XXH64: ~Copyable {
    private let state: OpaquePointer

    init() {
        guard let state = XXH64_createState() else { preconditionFailure("Out of memory.") }
        self.state = state
        XXH64_reset(state, 0)
    }

    deinit { XXH64_freeState(state) }

    func update(_ bytes: UnsafeRawBufferPointer) {
        if let start = bytes.baseAddress { XXH64_update(state, start, bytes.count) }
    }

    func finish() -> String { withUnsafeBytes(of: XXH64_digest(state).bigEndian) { hexadecimal($0) } }
}
