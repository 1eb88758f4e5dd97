import FilmgateCore
import Glibc

/// Reads a body front to back for one transfer, from the start again when asked; checks files while they pass.
///
/// Used by one thread.
final class BodyReader {
    private var pieces: [OpenPiece] = []
    private var index = 0, offset: UInt64 = 0, hash = PieceHash(of: nil)
    let length: UInt64
    private(set) var handedOver: UInt64 = 0

    /// Opens every file.
    ///
    /// `notFound`, `unreadable`, or `corruptData` when one has not the promised size.
    init(_ body: HTTPBody) throws(IngestError) {
        length = body.length
        for piece in body.pieces where piece.length > 0 { pieces.append(try OpenPiece(piece)) }
        for case .file(let slice) in body.pieces where slice.length == 0 { _ = try OpenPiece(.file(slice)) }
        hash = PieceHash(of: pieces.first?.slice)
    }

    /// All bytes were given out: the server may have the whole request.
    var finished: Bool { handedOver == length }

    /// How often it was given from its beginning again.
    private(set) var restarts = 0

    /// Back to the first byte.
    func restart() {
        restarts += 1
        (index, offset, handedOver) = (0, 0, 0)
        hash = PieceHash(of: pieces.first?.slice)
    }

    /// Fills `buffer` as far as there are bytes; 0 only at the end.
    ///
    /// Blocks for the disk.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(IngestError) -> Int {
        var filled = 0
        while filled < buffer.count, index < pieces.count {
            let piece = pieces[index]
            let want = min(UInt64(buffer.count - filled), piece.length - offset)
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<(filled + Int(want))])
            let got = try piece.read(into: part, at: offset)
            filled += got
            offset += UInt64(got)
            try account(UnsafeRawBufferPointer(rebasing: part[..<got]), of: piece)
        }
        handedOver += UInt64(filled)
        return filled
    }

    private func account(_ bytes: UnsafeRawBufferPointer, of piece: OpenPiece) throws(IngestError) {
        hash.update(bytes)
        guard offset == piece.length else { return }
        try piece.checkUnchanged(hash)
        (index, offset) = (index + 1, 0)
        hash = PieceHash(of: index < pieces.count ? pieces[index].slice : nil)
    }
}

/// A piece of a body with its file open; closed with the object.
private final class OpenPiece {
    let length: UInt64, slice: FileSlice?
    private let source: HTTPBody.Piece
    private let descriptor: CInt
    private let state: stat

    init(_ piece: HTTPBody.Piece) throws(IngestError) {
        (source, length) = (piece, piece.length)
        guard case .file(let slice) = piece else {
            (descriptor, state, slice) = (-1, stat(), nil)
            return
        }
        self.slice = slice
        (descriptor, state) = try Self.open(slice)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private static func open(_ slice: FileSlice) throws(IngestError) -> (CInt, stat) {
        let path = PathBytes.of(slice.path).map(CChar.init(bitPattern:)) + [0]
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw IngestError(
                errno == ENOENT ? .notFound : .unreadable,
                "Cannot open \(slice.path): \(String(cString: strerror(errno))).")
        }
        var state = stat()
        guard fstat(descriptor, &state) == 0, state.st_mode & S_IFMT == S_IFREG,
            UInt64(state.st_size) == slice.fileSize,
            slice.offset <= slice.fileSize, slice.length <= slice.fileSize - slice.offset
        else {
            close(descriptor)
            throw IngestError(
                .corruptData, "\(slice.path) has \(state.st_size) bytes instead of \(slice.fileSize); it was not sent.")
        }
        posix_fadvise(descriptor, off_t(slice.offset), off_t(slice.length), POSIX_FADV_SEQUENTIAL)
        return (descriptor, state)
    }

    /// `at` counts from the piece's start.
    ///
    /// Reads as much as fits; never 0 before the end.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(IngestError) -> Int {
        switch source {
        case .bytes(let bytes):
            let start = Int(offset)
            bytes[start..<(start + buffer.count)].withUnsafeBytes { buffer.copyMemory(from: $0) }
            return buffer.count
        case .file(let slice):
            while true {
                let got = pread(descriptor, buffer.baseAddress, buffer.count, off_t(slice.offset + offset))
                if got > 0 { return got }
                if got < 0, errno == EINTR { continue }
                if got == 0 {
                    throw IngestError(
                        .corruptData, "\(slice.path) became shorter while it was sent; the transfer was ended.")
                }
                throw IngestError(.unreadable, "Cannot read \(slice.path): \(String(cString: strerror(errno))).")
            }
        }
    }

    /// At the last byte: the digest must agree, or without one the file must look untouched.
    func checkUnchanged(_ hash: borrowing PieceHash) throws(IngestError) {
        guard let slice else { return }
        if let agrees = hash.agrees(with: slice) {
            if agrees { return }
        } else {
            var now = stat()
            if fstat(descriptor, &now) == 0, now.st_size == state.st_size, now.st_mtim.tv_sec == state.st_mtim.tv_sec,
                now.st_mtim.tv_nsec == state.st_mtim.tv_nsec
            {
                return
            }
        }
        throw IngestError(
            .corruptData, "\(slice.path) no longer holds the bytes that were read before; the transfer was ended.")
    }
}
