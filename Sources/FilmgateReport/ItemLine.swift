package import FilmgateCore

/// An asset as the JSON Lines object `item` (or `plan`).
package enum ItemLine {
    package static func text(_ settled: AssetResult, plan: Bool = false, type: String? = nil) -> String {
        var bytes: [UInt8] = []
        append(settled, plan: plan, type: type, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The same, behind what is written already.
    package static func append(_ settled: AssetResult, plan: Bool, type: String? = nil, to bytes: inout [UInt8]) {
        var item = JSONWriter(behind: &bytes)
        add(settled, plan: plan, type: type, to: &item)
        bytes = item.finish()
    }

    /// The same, into an object that goes on.
    package static func add(_ settled: AssetResult, plan: Bool = false, type: String? = nil, to item: inout JSONWriter)
    {
        let asset = settled.asset, origin = asset.origin
        item.add("type", type ?? (plan ? "plan" : "item"))
        item.add("source", origin.root)
        item.add("path", origin.path)
        item.add("shot", asset.shot.key)
        item.add("kind", asset.kind.rawValue)
        item.add(plan ? "would" : "ending", settled.ending.rawValue)
        item.add("reason", settled.reason)
        item.add("twin", settled.twin)
        if let station = settled.station { item.add("station", station) }
        item.add("flags", asset.flags.isEmpty ? [] : asset.flags.sorted())
        item.add("sha256", asset.digests?.sha256)
        item.add("size", origin.size)
        item.add("captured", (settled.captured ?? asset.media?.captured)?.description)
        facts(asset, into: &item)
        item.add("photographer", settled.photographer)
        item.add("receipts") { receipts(asset.receipts, of: asset.digests?.sha256, into: &$0) }
    }

    /// For `inspect`: facts alone, no ending.
    package static func facts(of asset: Asset) -> String {
        var item = JSONWriter()
        item.add("type", "item")
        item.add("source", asset.origin.root)
        item.add("path", asset.origin.path)
        item.add("shot", asset.shot.key)
        item.add("kind", asset.kind.rawValue)
        item.add("flags", asset.flags.sorted())
        item.add("size", asset.origin.size)
        item.add("captured", asset.media?.captured?.description)
        facts(asset, into: &item)
        if let media = asset.media { details(media, into: &item) }
        return item.finished
    }

    private static func facts(_ asset: Asset, into item: inout JSONWriter) {
        item.add("captured_camera", asset.media?.captured?.description)
        item.add("make", asset.media?.make)
        item.add("model", asset.media?.model)
        item.add("serial", asset.media?.serial)
    }

    package static func details(_ media: MediaFacts, into item: inout JSONWriter) {
        item.add("owner", media.owner)
        item.add("artist", media.artist)
        item.add("lens", media.lensModel)
        item.add("lens_serial", media.lensSerial)
        item.add("exposure_time", media.exposureTime?.description)
        item.add("f_number", number: media.fNumber?.value)
        item.add("iso", media.iso)
        item.add("focal_length", number: media.focalLength?.value)
        item.add("orientation", media.orientation)
        item.add("width", media.width)
        item.add("height", media.height)
        item.add("rating", media.rating)
        item.add("image_number", media.imageNumber)
        item.add("shutter_count", media.shutterCount)
        item.add("duration", number: media.duration)
        if let position = media.position {
            item.add("latitude", number: position.latitude)
            item.add("longitude", number: position.longitude)
            item.add("altitude", number: position.altitude)
        }
    }

    /// `original` is the digest of the source's bytes; where other bytes were delivered, their receipt names both.
    package static func receipts(_ receipts: [String: Receipt], of original: String?, into all: inout JSONWriter) {
        for (name, receipt) in receipts.sorted(by: { $0.key < $1.key }) {
            all.add(name) { add(receipt, original, to: &$0) }
        }
    }

    private static func add(_ receipt: Receipt, _ original: String?, to one: inout JSONWriter) {
        one.add("state", receipt.state.rawValue)
        if let path = receipt.path { one.add("path", path) }
        if let url = receipt.url { one.add("url", url) }
        if let id = receipt.id { one.add("id", id) }
        one.add("sha256", receipt.sha256)
        if let sha256 = receipt.sha256, let original, sha256 != original { one.add("original_sha256", original) }
        one.add("verified", receipt.verified.shown)
        one.add("at", receipt.at == 0 ? nil : CivilTime(unixSeconds: receipt.at / 1_000_000_000)?.description)
        if let reason = receipt.reason { one.add("reason", reason) }
    }
}
