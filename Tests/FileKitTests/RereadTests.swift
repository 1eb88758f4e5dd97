import FilmgateCore
import Foundation
import Glibc
import Testing

@testable import FileKit

/// What is proven is read from the disk: memory may hold what was misread before.
@Suite struct RereadTests {
    let scratch: Scratch
    init() throws { scratch = try Scratch() }

    /// Whole blocks, parts of pages behind them, and files of less than a page.
    @Test(arguments: [0, 1, 511, 4096, 4097, 1 << 20, 3_333_333])
    func allDigestsAreThoseOfTheFile(_ size: Int) throws {
        let path = try scratch.file("a", noise(size))
        let all: Set<DigestAlgorithm> = [.sha1, .md5, .xxh128]
        #expect(try Reread.digests(of: path, all) == FileCopy.hash(path: path, algorithms: all).digests)
        #expect(try Reread.digests(of: path).others.isEmpty)
    }

    @Test func whatIsNoFileHasNoDigests() throws {
        #expect(code { try Reread.digests(of: scratch.path + "/none") } == .notFound)
        #expect(code { try Reread.digests(of: scratch.path) } == .unreadable)
    }

    /// Whoever reads it next, as an import that is told to read it again, gets what the disk holds.
    @Test(.enabled(if: !FileSystem.isInMemory(NSTemporaryDirectory()))) func nothingOfItStaysInMemory() throws {
        let path = try scratch.file("a", noise(3_333_333))
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.synchronize()
        try file.close()
        func hold() throws { #expect(try FileCopy.hash(path: path).size == 3_333_333 && pagesInMemory(path) > 0) }
        try hold()
        _ = try Reread.digests(of: path)
        #expect(pagesInMemory(path) == 0)
        try hold()
        Reread.forget(path)
        #expect(pagesInMemory(path) == 0)
        Reread.forget(scratch.path + "/none")
    }

    private func pagesInMemory(_ path: String) -> Int {
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        let length = Int(lseek(descriptor, 0, SEEK_END)), page = Int(getpagesize())
        guard length > 0, let map = mmap(nil, length, PROT_READ, MAP_SHARED, descriptor, 0), Int(bitPattern: map) != -1
        else {
            return -1
        }
        defer { munmap(map, length) }
        var pages = [UInt8](repeating: 0, count: (length + page - 1) / page)
        return mincore(map, length, &pages) == 0 ? pages.count { $0 & 1 == 1 } : -1
    }
}
