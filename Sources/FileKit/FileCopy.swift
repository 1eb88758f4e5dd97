import CLinux
public import FilmgateCore
import Glibc

/// How a file is copied.
public struct CopyOptions: Sendable, Hashable {
    /// Digests wanted beside SHA-256.
    public var algorithms: Set<DigestAlgorithm>
    /// Share the source's blocks where the file system can (btrfs, XFS, bcachefs); then nothing is written, only read
    /// for the digests.
    public var reflink: Bool
    /// Wait until the bytes survive a power cut.
    public var durable: Bool
    /// The copy's modification time, nanoseconds since 1970; nil = the source's.
    public var modified: Int64?

    public init(
        algorithms: Set<DigestAlgorithm> = [], reflink: Bool = true, durable: Bool = true, modified: Int64? = nil
    ) {
        (self.algorithms, self.reflink, self.durable, self.modified) = (algorithms, reflink, durable, modified)
    }
}

/// What a copy or a read found.
public struct CopyResult: Sendable, Hashable {
    /// Bytes read, which is the file's whole length.
    public var size: UInt64
    public var digests: Digests
    /// The source's facts before the first and after the last byte; unchanged in size and modification time.
    public var before: FileFacts, after: FileFacts
    /// True when the copy shares the source's blocks.
    public var reflinked: Bool
    /// False: nowhere 64 KiB in a row are zeros.
    public var mayHoldZeros = true
}

/// Copies and reads files with digests in the same pass.
///
/// Everything here blocks: call it on a thread that may.
public enum FileCopy {
    /// Copies the ordinary file `source` to `part`, replacing what a crashed run left there.
    ///
    /// Modification time kept, mode 0644 less the umask. On failure `part` is removed again.
    ///
    /// Errors of the source's side: `notFound`, `unreadable` (after three more tries of a bad block), `deviceGone`,
    /// `corruptData` (it changed while it was read). Of the target's: `storageFull`, `unavailable`, `rejected`.
    /// `cancelled` where asked, between blocks. `progress` gets the number of bytes of each block.
    public static func copy(
        from source: String, toPart part: String, options: CopyOptions = CopyOptions(),
        cancelled: @Sendable () -> Bool = { false }, progress: (UInt64) -> Void = { _ in }
    ) throws(IngestError) -> CopyResult {
        try copy(
            from: source, toPart: part, options: options, reader: BlockReader(), cancelled: cancelled,
            progress: progress)
    }

    static func copy(
        from source: String, toPart part: String, options: CopyOptions, reader: BlockReader,
        cancelled: @Sendable () -> Bool, progress: (UInt64) -> Void
    ) throws(IngestError) -> CopyResult {
        let (input, before) = try OpenFile.reading(source)
        let output = try OpenFile.creating(part)
        do throws(IngestError) {
            let reflinked = options.reflink && before.size > 0 && fg_clone(output.descriptor, input.descriptor) == 0
            let writer = reflinked ? nil : BlockWriter(output, size: before.size)
            let result = try digest(
                reflinked ? output : input, of: input, before, options.algorithms, reader, cancelled: cancelled,
                progress: progress
            ) { block throws(IngestError) in
                try writer?.write(block)
            }
            writer?.finish()
            output.setModified(options.modified ?? before.modified)
            if options.durable { try Flush.data(of: output, size: before.size) }
            return CopyResult(
                size: result.size, digests: result.digests, before: before, after: result.after, reflinked: reflinked,
                mayHoldZeros: result.mayHoldZeros)
        } catch {
            _ = withCPath(part) { unlink($0) }
            throw error
        }
    }

    /// Reads the ordinary file `path` for its digests and writes nothing.
    ///
    /// Errors as in `copy`, of the source's side.
    public static func hash(
        path: String, algorithms: Set<DigestAlgorithm> = [], cancelled: @Sendable () -> Bool = { false },
        progress: (UInt64) -> Void = { _ in }
    ) throws(IngestError) -> CopyResult {
        let (input, before) = try OpenFile.reading(path)
        let result = try digest(
            input, of: input, before, algorithms, BlockReader(), step: 256 << 10, cancelled: cancelled,
            progress: progress
        ) { _ in }
        return CopyResult(
            size: result.size, digests: result.digests, before: before, after: result.after, reflinked: false,
            mayHoldZeros: result.mayHoldZeros)
    }

    /// Reads `file` once, passing each block to `sink` after hashing it, and makes sure that `source` stayed what it
    /// was.
    private static func digest(
        _ file: OpenFile, of source: OpenFile, _ before: FileFacts, _ algorithms: Set<DigestAlgorithm>,
        _ reader: BlockReader, step: Int = BufferPool.blockSize, cancelled: @Sendable () -> Bool,
        progress: (UInt64) -> Void, sink: (UnsafeRawBufferPointer) throws(IngestError) -> Void
    ) throws(IngestError) -> (size: UInt64, digests: Digests, after: FileFacts, mayHoldZeros: Bool) {
        _ = posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
        var hasher = MultiHasher(algorithms)
        let size = try reader.blocks(of: file, upTo: before.size, step: step, cancelled: cancelled) {
            block throws(IngestError) in
            hasher.update(block)
            try sink(block)
            progress(UInt64(block.count))
        }
        let after = try source.facts()
        guard size == before.size, after.unchanged(since: before) else {
            throw IngestError(
                .corruptData, "\(shown(source.path)) changed while it was read.",
                advice: "Try again when nothing writes to it any more.")
        }
        let mayHoldZeros = hasher.mayHoldZeros
        return (size, hasher.finish(), after, mayHoldZeros)
    }
}
