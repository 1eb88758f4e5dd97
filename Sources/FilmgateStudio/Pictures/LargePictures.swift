import NIOCore
import Synchronization

/// How many pictures with all their pixels are on their way: each takes as much memory as hundreds of others, for as
/// long as it takes whoever asked to read it.
final class LargePictures: Sendable {
    private static let most = 4, mostOfOne = 2
    private let taken = Mutex<[String: Int]>([:])

    /// A place for one; it is free again when nobody has it any more.
    final class Place: Sendable {
        private let all: LargePictures, owner: String
        fileprivate init(_ all: LargePictures, _ owner: String) { (self.all, self.owner) = (all, owner) }
        deinit { all.free(owner) }

        /// Sends the picture piece by piece, and has the place until then.
        func send(_ jpeg: [UInt8], _ write: (ByteBuffer) async throws -> Void) async throws {
            var rest = ByteBuffer(bytes: jpeg)
            while let piece = rest.readSlice(length: min(Self.piece, rest.readableBytes)), piece.readableBytes > 0 {
                try await write(piece)
            }
        }
        private static let piece = 256 << 10
    }

    /// Nil when there are as many as there may be.
    func take(_ owner: String) -> Place? {
        let isFree = taken.withLock { taken in
            guard taken.values.reduce(0, +) < Self.most, taken[owner, default: 0] < Self.mostOfOne else { return false }
            taken[owner, default: 0] += 1
            return true
        }
        return isFree ? Place(self, owner) : nil
    }

    private func free(_ owner: String) {
        taken.withLock { taken in
            let left = taken[owner, default: 1] - 1
            taken[owner] = left > 0 ? left : nil
        }
    }
}
