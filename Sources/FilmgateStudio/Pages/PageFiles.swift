import CryptographyKit
import HTTPTypes
import NIOCore
import StudioPage

/// The page's files, which lie in the program itself.
///
/// The scripts are served as one; each by itself lies beside it. All but the first page are asked for below a version,
/// which is another one when any file is: browsers keep them for good.
struct PageFiles: Sendable {
    private struct File { var type: String, bytes: ByteBuffer, tag: String }
    private let files: [String: File]
    /// Where a page without scripts finds the colours, widths and sign of this one.
    let folder: String

    init() {
        var parts: [(name: String, type: String, bytes: UnsafeRawBufferPointer)] = []
        for index in 0..<studio_page_count() {
            let file = studio_page_file(index)
            parts.append(
                (
                    String(cString: file.name), String(cString: file.type),
                    UnsafeRawBufferPointer(start: file.bytes, count: file.length)
                ))
        }
        var hash = RunningHash(.sha256)
        for part in parts { hash.update(part.bytes) }
        let version = AccessSecret.hexadecimal(Array(hash.digest().prefix(6)))
        let scripts = parts.filter { $0.name.hasSuffix(".js") }.map {
            (name: $0.name, text: String(decoding: $0.bytes, as: UTF8.self))
        }
        let bundle = ScriptBundle.text(scripts, first: "main.js"), all = "/page/\(version)/page.js"
        var files: [String: File] = [:]
        files[all] = bundle.map {
            File(type: "text/javascript; charset=utf-8", bytes: ByteBuffer(string: $0), tag: "\"\(version)\"")
        }
        for part in parts {
            if part.name == "index.html" {
                var text = String(decoding: part.bytes, as: UTF8.self).replacing("{version}", with: version)
                if bundle != nil { text = text.replacing("/page/\(version)/main.js", with: all) }
                files["/"] = File(type: part.type, bytes: ByteBuffer(string: text), tag: "\"\(version)\"")
            } else {
                let path = "/page/\(version)/\(part.name)"
                files[path] = File(type: part.type, bytes: ByteBuffer(bytes: part.bytes), tag: "\"\(version)\"")
            }
        }
        self.files = files
        folder = "/page/\(version)"
    }

    /// Nil when there is no such file; `known`: the version that the browser has.
    func answer(_ path: String, _ known: String?) -> Answer? {
        // The script sees by the address what is wanted.
        let path = path == "/show" ? "/" : path
        guard let file = files[path] else { return nil }
        let isKnown = known == file.tag && path != "/"
        var answer = Answer(isKnown ? .notModified : .ok, type: file.type, isKnown ? ByteBuffer() : file.bytes)
        if path != "/" {
            answer.headers[.cacheControl] = "private, max-age=31536000, immutable"
            answer.headers[.eTag] = file.tag
        }
        return answer
    }
}
