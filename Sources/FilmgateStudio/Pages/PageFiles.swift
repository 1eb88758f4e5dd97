import CryptographyKit
import HTTPTypes
import NIOCore
import StudioPage

/// The page's files, which lie in the program itself.
///
/// The scripts are served as one, and what the first page does not need as another; each by itself lies beside them.
/// All but the first page are asked for below a version, which is another one when any file is: browsers keep them for
/// good. Each is packed once, at the start.
struct PageFiles: Sendable {
    private struct File {
        var type: String, bytes: ByteBuffer, version: String
        /// The same for clients that take gzip; nil where that saves nothing.
        var packed: ByteBuffer?

        init(type: String, version: String, _ text: String) {
            let bytes = Array(text.utf8)
            (self.type, self.bytes, self.version) = (type, ByteBuffer(bytes: bytes), version)
            packed = Gzip.packed(bytes).map { ByteBuffer(bytes: $0) }
        }
    }
    private let files: [String: File]
    /// Where a page without scripts finds the colours, widths and sign of this one.
    let folder: String

    init() {
        var parts: [(name: String, type: String, text: String)] = [], hash = RunningHash(.sha256)
        for index in 0..<studio_page_count() {
            let file = studio_page_file(index)
            let bytes = UnsafeRawBufferPointer(start: file.bytes, count: file.length)
            hash.update(bytes)
            parts.append(
                (String(cString: file.name), String(cString: file.type), String(decoding: bytes, as: UTF8.self)))
        }
        let version = AccessSecret.hexadecimal(Array(hash.digest().prefix(6)))
        let scripts = parts.filter { $0.name.hasSuffix(".js") }.map { (name: $0.name, text: $0.text) }
        let bundle = ScriptBundle.texts(scripts, first: "main.js", soon: ["capture.js"])
        let script = "text/javascript; charset=utf-8", all = "/page/\(version)/page.js"
        var files: [String: File] = [:]
        files[all] = bundle.map { File(type: script, version: version, $0.first) }
        files["/page/\(version)/\(ScriptBundle.rest)"] = bundle.map {
            File(type: script, version: version, $0.rest)
        }
        for part in parts {
            var path = "/page/\(version)/\(part.name)", text = part.text
            if part.name == "index.html" {
                (path, text) = ("/", text.replacing("{version}", with: version))
                if bundle != nil { text = text.replacing("/page/\(version)/main.js", with: all) }
            } else if part.name.hasSuffix(".css") {
                text = StyleText.shortened(text)
            }
            files[path] = File(type: part.type, version: version, text)
        }
        self.files = files
        folder = "/page/\(version)"
    }

    /// Nil when there is no such file; `known`: the version that the browser has; `accepted`: what it says that it
    /// unpacks.
    func answer(_ path: String, known: String?, accepted: [String]) -> Answer? {
        // The script sees by the address what is wanted.
        let path = path == "/show" ? "/" : path
        guard let file = files[path] else { return nil }
        let packed = Gzip.isTaken(accepted) ? file.packed : nil
        let tag = packed == nil ? "\"\(file.version)\"" : "\"\(file.version)-gzip\"",
            isKnown = known == tag && path != "/"
        var answer = Answer(
            isKnown ? .notModified : .ok, type: file.type, isKnown ? ByteBuffer() : packed ?? file.bytes)
        if file.packed != nil { answer.headers[.vary] = "Accept-Encoding" }
        if packed != nil, !isKnown { answer.headers[.contentEncoding] = "gzip" }
        if path != "/" {
            answer.headers[.cacheControl] = "private, max-age=31536000, immutable"
            answer.headers[.eTag] = tag
        }
        return answer
    }
}
