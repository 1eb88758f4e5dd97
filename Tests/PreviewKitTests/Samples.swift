import FilmgateCore
import Foundation
import PreviewWire
import Testing

@testable import FilmgateSample
@testable import PreviewKit

/// The built program that decodes, beside the test bundle.
enum Decoder {
    static let program: String = {
        let bundle =
            Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
            ?? URL(fileURLWithPath: CommandLine.arguments[0])
        return bundle.deletingLastPathComponent().appendingPathComponent("filmgate-previews").path
    }()
    /// Under a sanitizer it is not: it limits its own memory.
    static let isThere = FileManager.default.isExecutableFile(atPath: program)
}

enum Samples {
    /// A JPEG that decodes.
    static func jpeg(_ width: Int, _ height: Int, seed: UInt64 = 7, exif: [UInt8]? = nil) -> [UInt8] {
        JPEGEncoder.encode(Planes(Scene(seed: seed), width: width, height: height), exif: exif)
    }

    /// A file as a camera writes it, with a thumbnail of 160 pixels.
    static func frame(_ width: Int = 640) -> [UInt8] { SampleContents(seed: 3, width: width).jpeg(Frame.wedding[0]) }

    /// A HEIF file without any JPEG in it.
    static func heif() throws -> [UInt8] {
        let item = try #require(SampleItem.card.first { if case .heic = $0.content { true } else { false } })
        return SampleContents(seed: 3, width: 640).bytes(of: item, Frame.wedding[item.frame])
    }

    /// The same picture, said to be of another size.
    static func claiming(_ width: Int, _ height: Int, _ jpeg: [UInt8]) throws -> [UInt8] {
        let place = try #require(jpeg.indices.dropLast().first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC0 })
        var jpeg = jpeg
        for (offset, value) in [(5, height >> 8), (6, height & 0xFF), (7, width >> 8), (8, width & 0xFF)] {
            jpeg[place + offset] = UInt8(value)
        }
        return jpeg
    }
}

extension PreviewProcess {
    func make(_ jpeg: [UInt8], longEdge: Int = 256, orientation: Int = 1) throws -> (reply: PreviewReply, jpeg: [UInt8])
    {
        var request = PreviewRequest(length: jpeg.count, longEdge: longEdge, quality: 80)
        request.orientation = orientation
        return try make(request) { offset, count in Array(jpeg[offset..<(offset + count)]) }
    }
}

/// A folder that is gone afterwards.
func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/filmgate-previews-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(folder)
}
