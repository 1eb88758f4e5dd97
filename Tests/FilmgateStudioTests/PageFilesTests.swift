import CZlib
import FilmgateCore
import HTTPTypes
import NIOCore
import Testing

@testable import FilmgateStudio

/// How the page's own files go over the line.
@Suite struct PageFilesTests {
    @Test func whoeverUnpacksGetsTheSameInLess() throws {
        let page = PageFiles(), style = page.folder + "/style.css"
        for path in ["/", style, page.folder + "/main.js"] {
            let plain = try #require(page.answer(path, known: nil, accepted: []))
            let packed = try #require(page.answer(path, known: nil, accepted: ["br", "gzip;q=0.5, *;q=0"]))
            let bytes = Array(packed.body.readableBytesView), whole = Array(plain.body.readableBytesView)
            #expect(plain.headers[.contentEncoding] == nil && packed.headers[.contentEncoding] == "gzip")
            // What lies between must not give one's form to another.
            #expect(plain.headers[.vary] == "Accept-Encoding" && packed.headers[.vary] == "Accept-Encoding")
            #expect(bytes.count < whole.count * 2 / 3, "\(path): \(bytes.count) of \(whole.count)")
            #expect(Self.unpacked(bytes, room: whole.count + 1) == whole, "\(path)")
        }
    }

    @Test func eachFormIsKnownByItsOwnTag() throws {
        let page = PageFiles(), style = page.folder + "/style.css"
        let plain = try #require(page.answer(style, known: nil, accepted: [])?.headers[.eTag])
        let packed = try #require(page.answer(style, known: nil, accepted: ["gzip"])?.headers[.eTag])
        #expect(plain != packed)
        let same = try #require(page.answer(style, known: packed, accepted: ["gzip"]))
        #expect(same.status == .notModified && same.body.readableBytes == 0 && same.headers[.contentEncoding] == nil)
        #expect(page.answer(style, known: plain, accepted: [])?.status == .notModified)
        #expect(page.answer(style, known: plain, accepted: ["gzip"])?.status == .ok)
        #expect(page.answer(style, known: packed, accepted: [])?.status == .ok)
    }

    @Test(
        arguments: [
            (["gzip, deflate, br"], true), (["br", "GZIP"], true), (["*;q=0.5"], true), (["gzip;q=0"], false),
            (["gzip; q=0, *"], false), (["gzip;q=0.000"], false), (["br"], false), (["identity"], false), ([], false),
            ([""], false), ([";;,,"], false), (["gzip;q=x"], false),
        ] as [([String], Bool)])
    func onlyWhoSaysSoIsSentIt(_ accepted: [String], _ isTaken: Bool) {
        #expect(Gzip.isTaken(accepted) == isTaken, "\(accepted)")
    }

    /// How long a packed answer is tells of what it holds beside what a stranger chose.
    @Test func whatIsToldOfAShootIsNeverPacked() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let headers = try bench.token(.admin).merging(["Accept-Encoding": "gzip"]) { $1 }
            for path in ["/api/v1/frames", "/api/v1/session", "/api/v1/board", "/api/v1/openapi.json"] {
                let reply = try bench.client.send("GET", path, headers)
                #expect(reply.status == 200 && reply["Content-Encoding"] == nil, "\(path)")
            }
            #expect(try bench.client.send("GET", "/", ["Accept-Encoding": "gzip"])["Content-Encoding"] == "gzip")
        }
    }

    @Test func stylesLoseTheirSpacesAndNothingElse() {
        let text =
            "  .a > :not(.b), p { margin: 0 auto; color: red; } i { top: 1px; }\nq::before { content: \"a: b; \"; }\n"
        #expect(
            StyleText.shortened(text)
                == ".a > :not(.b),p{margin:0 auto;color:red}i{top:1px}\nq::before { content: \"a: b; \"; }\n")
    }

    private static func unpacked(_ bytes: [UInt8], room: Int) -> [UInt8]? {
        var bytes = bytes, stream = z_stream()
        return withUnsafeMutablePointer(to: &stream) { stream in
            guard inflateInit2_(stream, MAX_WBITS + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
            else { return nil }
            defer { inflateEnd(stream) }
            var isWhole = false
            let whole = bytes.withUnsafeMutableBufferPointer { input in
                [UInt8](unsafeUninitializedCapacity: room) { output, count in
                    (stream.pointee.next_in, stream.pointee.avail_in) = (input.baseAddress, UInt32(input.count))
                    (stream.pointee.next_out, stream.pointee.avail_out) = (output.baseAddress, UInt32(room))
                    isWhole = inflate(stream, Z_FINISH) == Z_STREAM_END
                    count = room - Int(stream.pointee.avail_out)
                }
            }
            return isWhole ? whole : nil
        }
    }
}
