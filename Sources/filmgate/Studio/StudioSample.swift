import FileKit
import FilmgateCore
import FilmgateSample
import Foundation

/// A shoot that goes on, to try the page with: frames come into a hot folder, and go to an archive and a gallery on
/// this machine.
///
/// All of it lies in one folder, which is removed in the end.
struct StudioSample: Sendable {
    /// Nothing is written after so many frames: it may be forgotten in a terminal.
    private static let most = 2000
    /// So many are there at once, as from a burst; the others come one by one.
    private static let burst = 12
    private let folder: String
    private let gallery: GalleryServer
    let pipeline: String
    var state: String { folder + "/state" }
    private var hot: String { folder + "/hot/DCIM/100SAMPL" }

    /// Makes the folder and starts the gallery.
    init() async throws(IngestError) {
        let folder = try TrialFolder.make(for: "studio --sample")
        (self.folder, pipeline) = (folder, folder + "/sample.yaml")
        let token = (0..<4).map { _ in String(UInt32.random(in: .min ... .max), radix: 36) }.joined()
        gallery = try GalleryServer(directory: folder + "/gallery", token: token)
        let port = try await gallery.start()
        try DurableFile.makeDirectories(hot, mode: 0o700)
        try DurableFile.atomicWrite(Array(token.utf8).span.bytes, to: folder + "/token", mode: 0o600)
        try DurableFile.atomicWrite(Array(Self.text(folder, port).utf8).span.bytes, to: pipeline, mode: 0o600)
    }

    /// Writes frames on a thread of its own for as long as the program lasts.
    func shoot() {
        let hot = hot
        BlockingThread.run {
            let shoot = SampleShoot(seed: UInt64(clamping: time(nil)))
            for number in 1...Self.most {
                guard let now = Self.now else { return }
                let frame = shoot.frame(number, taken: now)
                // A folder that is gone or full ends the sample's shoot, and not the program.
                guard
                    (try? DurableFile.atomicWrite(frame.bytes.span.bytes, to: "\(hot)/\(frame.name)", mode: 0o600))
                        != nil
                else { return }
                if number > Self.burst { usleep(.random(in: 1_000_000...4_000_000)) }
            }
        }
    }

    /// Ends the gallery and removes everything.
    func end() async {
        await gallery.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static var now: CivilTime? {
        var seconds = time(nil), parts = tm()
        localtime_r(&seconds, &parts)
        return CivilTime(unixSeconds: Int64(seconds), offsetMinutes: parts.tm_gmtoff / 60)
    }

    private static func text(_ folder: String, _ port: Int) -> String {
        """
        version: 1
        name: sample
        sources:
          - folder: { path: "\(folder)/hot", settle: 0ms, companions: 0ms }
        stages:
          - exif: {}
          - dedupe: {}
          - upload: { to: [archive, gallery] }
        targets:
          archive: { folder: { path: "\(folder)/archive/{captured:yyyy-MM-dd}" } }
          gallery:
            http:
              url: "http://127.0.0.1:\(port)/api/assets"
              auth: sample
              digest: { json: sha256 }
              find: { url: "http://127.0.0.1:\(port)/api/assets/by-digest/{sha256}" }
        auth:
          sample: { bearer: { token: "${file:\(folder)/token}" } }
        """
    }
}
