import FilmgateCore
import HTTPTypes
import Hummingbird
import NIOCore

/// The page at `/`: what came in last, with pictures where the browser can show them.
enum GalleryPageText {
    static func response(_ page: GalleryPage) -> Response {
        let rows = page.assets.reversed().map(row).joined()
        let text = """
            <!doctype html><html lang="en"><meta charset="utf-8"><title>Gallery</title>
            <style>body{font:16px system-ui;margin:2rem}ul{display:grid;grid-template-columns:repeat(auto-fill,12rem);gap:1rem;padding:0}
            li{list-style:none;overflow-wrap:anywhere}img{width:12rem;height:9rem;object-fit:cover;background:#ddd}</style>
            <h1>\(page.total) files</h1><ul>\(rows)</ul></html>
            """
        let headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .xContentTypeOptions: "nosniff",
            .contentSecurityPolicy: "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'",
        ]
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    private static func row(_ asset: GalleryAsset) -> String {
        let isPicture = MediaKind(fileName: asset.name) == .jpeg
        let picture = isPicture ? "<img loading=\"lazy\" alt=\"\" src=\"\(asset.url)\">" : ""
        return "<li>\(picture)<a href=\"\(asset.url)\">\(escaped(asset.name))</a> \(asset.size) bytes</li>"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;").replacing(
            "\"", with: "&quot;")
    }
}
