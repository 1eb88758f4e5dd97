import Foundation

extension Gallery {
    static let environment = ["FILMGATE_GALLERY_TOKEN": token]
}

extension Background {
    /// A virtual camera on a port that another one had before.
    static func camera(_ make: String, _ folder: String, at port: String) throws -> Background {
        let camera = try Background(["camera", "simulate", "--make", make, "--port", port, "--files", folder])
        _ = camera.line("camera: ")
        return camera
    }
}

extension Table {
    /// Frames that differ: a JPEG of a few bytes each, as small as one can be.
    func frames(_ folder: String, count: Int, from first: Int) throws {
        for number in first..<(first + count) {
            let text = "frame \(folder) \(number) " + String(repeating: "x", count: 500 + number)
            var bytes: [UInt8] = [
                0xFF, 0xD8, 0xFF, 0xFE, UInt8((text.utf8.count + 2) >> 8), UInt8((text.utf8.count + 2) & 0xFF),
            ]
            bytes += Array(text.utf8) + [0xFF, 0xD9]
            try write("\(folder)/DCIM/100TEST/IMG_\(String(format: "%04d", number)).JPG", Data(bytes))
        }
    }

    /// A pipeline with these sources, a folder and the gallery.
    func live(_ name: String, _ gallery: Gallery, _ sources: [String]) throws -> String {
        try write(
            name,
            """
            version: 1
            sources:
            \(sources.map { "  " + $0 }.joined(separator: "\n"))
            stages:
              - exif: {}
              - dedupe: {}
              - upload: { to: [archive, gallery] }
            targets:
              archive: { folder: { path: "\(archive)", verify: size } }
              gallery:
                http:
                  url: "\(gallery.address)/api/assets"
                  auth: studio
                  digest: { json: sha256 }
                  find: { url: "\(gallery.address)/api/assets/by-digest/{sha256}" }
            auth:
              studio: { bearer: { token: "${env:FILMGATE_GALLERY_TOKEN}" } }
            """)
    }
}
