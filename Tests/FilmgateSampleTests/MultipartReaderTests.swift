import Testing

@testable import FilmgateSample

@Suite struct MultipartReaderTests {
    static let form = """
        preamble to be ignored\r
        --BOUND\r
        Content-Disposition: form-data; name="album"\r
        \r
        Anna\r
        --BOUND\r
        Content-Disposition: form-data; name="file"; filename="a%22b.jpg"\r
        Content-Type: image/jpeg\r
        \r
        bytes with \r\n--BOUN and \r\n--BOUNd inside\r
        --BOUND--\r
        epilogue
        """

    /// What a form says, whatever the blocks that it comes in.
    func read(_ text: String, blocks: Int, type: String = "multipart/form-data; boundary=BOUND") throws -> [String] {
        var reader = try #require(MultipartReader(contentType: type))
        var said: [String] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: blocks) {
            try reader.take(bytes[start..<min(bytes.count, start + blocks)]) { event in
                switch event {
                case .file(let name): said += ["file \(name)", ""]
                case .bytes(let bytes): said[said.count - 1] += String(decoding: bytes, as: UTF8.self)
                case .field(let name, let value): said.append("\(name)=\(value)")
                case .end: said.append("end")
                }
            }
        }
        return said + (reader.isComplete ? [] : ["incomplete"])
    }

    @Test(arguments: [1, 2, 3, 5, 7, 64, 100_000]) func readsWhateverTheBlocks(_ size: Int) throws {
        let expected = ["album=Anna", "file a\"b.jpg", "bytes with \r\n--BOUN and \r\n--BOUNd inside", "end"]
        #expect(try read(Self.form, blocks: size) == expected)
    }

    @Test func beginsWithTheBoundary() throws {
        let text = "--BOUND\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n\r\n\r\n--BOUND--"
        #expect(try read(text, blocks: 4) == ["file x", "", "end"])
    }

    @Test func knowsWhenAFormIsCutOff() throws {
        for cut in 0..<(Self.form.utf8.count - 30) {
            let said =
                (try? read(String(decoding: Array(Self.form.utf8)[..<cut], as: UTF8.self), blocks: 9)) ?? ["incomplete"]
            #expect(said.last == "incomplete")
        }
    }

    @Test(arguments: [
        "multipart/form-data", "multipart/form-data; boundary=", "text/plain; boundary=x",
        "multipart/form-data; boundary=\(String(repeating: "b", count: 71))",
    ])
    func isNoForm(_ type: String) { #expect(MultipartReader(contentType: type) == nil) }

    @Test func limitsHold() {
        let head = "--BOUND\r\nContent-Disposition: form-data; name=\"a\"\r\n"
        #expect(throws: MultipartReader.Malformed.self) {
            try read(head + String(repeating: "X: y\r\n", count: 5000), blocks: 1000)
        }
        #expect(throws: MultipartReader.Malformed.self) {
            try read(head + "\r\n" + String(repeating: "v", count: 70_000), blocks: 1000)
        }
        #expect(throws: MultipartReader.Malformed.self) {
            try read(String(repeating: head + "\r\nv\r\n", count: 200), blocks: 1000)
        }
        #expect(throws: MultipartReader.Malformed.self) { try read("--BOUND\r\nX: y\r\n\r\n", blocks: 1000) }
        #expect(throws: MultipartReader.Malformed.self) { try read("--BOUNDxy", blocks: 1000) }
    }
}
