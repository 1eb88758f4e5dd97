/// Cuts the bytes of a control connection into lines.
public struct FTPCommandLines: Sendable {
    /// What a byte brings.
    public enum Piece: Sendable, Hashable {
        case nothing
        case line(FTPCommand)
        /// No client needs as much: the connection is not listened to any more.
        case tooLong
    }

    private static let longest = 4096
    private var bytes: [UInt8] = []

    /// Before the first byte.
    public init() {}

    /// The next byte of the connection; a line may end without a carriage return.
    public mutating func take(_ byte: UInt8) -> Piece {
        guard byte == 0x0A else {
            bytes.append(byte)
            return bytes.count > Self.longest ? .tooLong : .nothing
        }
        if bytes.last == 0x0D { bytes.removeLast() }
        defer { bytes = [] }
        return .line(FTPCommand(bytes))
    }
}
