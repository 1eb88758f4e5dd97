import FilmgateCore
import FilmgateLedger
import FilmgateReport

/// Files and deliveries as JSON objects, with the words of the commands.
enum FrameObject {
    /// What lists call a file, and the one that stands for its shot where that is another one.
    struct Names: Sendable { var own: String, lead: String? }

    /// `row`: nil when the file changed since the list was read; then it is told as far as the list knows it.
    static func item(
        _ row: AssetRow?, _ entry: FrameEntry, _ names: Names, receipts: [NamedReceipt], _ marks: FrameMarks,
        _ role: Role
    ) -> JSONWriter {
        var object = JSONWriter()
        guard let row else {
            let origin = Origin(source: "", volume: "", root: "", path: "", size: 0, modified: 0)
            let asset = Asset(origin: origin, kind: entry.kind, shot: ShotPlace(key: "", stem: ""))
            ItemLine.add(AssetResult(asset: asset, ending: entry.ending ?? .pending), type: "item", to: &object)
            add(names, entry, event: nil, &object)
            marks.add(nil, camera: nil, role, to: &object)
            return object
        }
        ItemLine.add(result(row, receipts, role), to: &object)
        add(names, entry, event: role >= .operate ? row.event : nil, &object)
        marks.add(row.content?.sha256, camera: row.media?.rating, role, to: &object)
        return object
    }

    /// What a sheet of many files shows of one; what is not there is left out: thirty a second are told to everybody.
    static func brief(
        _ row: AssetRow?, _ entry: FrameEntry, _ names: Names, receipts: [NamedReceipt], _ marks: FrameMarks,
        _ role: Role
    ) -> JSONWriter {
        var object = JSONWriter()
        func text(_ name: String, _ value: String?) { if let value { object.add(name, value) } }
        object.add("id", names.own)
        object.add("path", row.map { role >= .operate ? $0.origin.path : $0.origin.name } ?? "")
        object.add("kind", row?.kind.rawValue ?? entry.kind.rawValue)
        object.add("ending", (row.map(\.ending) ?? entry.ending)?.rawValue ?? Ending.pending.rawValue)
        text("since", StudioAPI.time(entry.since))
        text("sha256", row?.digests?.sha256)
        text("captured", row?.media?.captured?.description)
        text("make", row?.media?.make)
        text("model", row?.media?.model)
        text("lead", names.lead)
        if role >= .operate, !receipts.isEmpty {
            object.add("receipts") { all in
                for one in receipts.sorted(by: { $0.target < $1.target }) {
                    all.add(one.target) { $0.add("state", one.receipt.state.rawValue) }
                }
            }
        }
        marks.addBrief(row?.content?.sha256, camera: row?.media?.rating, to: &object)
        return object
    }

    private static func add(_ names: Names, _ entry: FrameEntry, event: String?, _ object: inout JSONWriter) {
        object.add("id", names.own)
        object.add("lead", names.lead)
        object.add("at", StudioAPI.time(entry.at))
        object.add("since", StudioAPI.time(entry.since))
        object.add("event", event)
    }

    /// The asset as commands tell it; below `operate` without anything that says where it came from and where it went.
    static func result(_ row: AssetRow, _ receipts: [NamedReceipt], _ role: Role) -> AssetResult {
        let isTrusted = role >= .operate, stem = row.shot.stem
        let nameless = Origin(
            source: "", volume: "", root: "", path: row.origin.name, size: row.origin.size, modified: 0)
        var asset = Asset(
            origin: isTrusted ? row.origin : nameless, kind: row.kind,
            shot: isTrusted ? row.shot : ShotPlace(key: stem, stem: stem))
        (asset.media, asset.digests, asset.flags) = (row.media.map { shown($0, role) }, row.digests, row.flags)
        guard isTrusted else { return AssetResult(asset: asset, ending: row.ending ?? .pending) }
        for named in receipts { asset.receipts[named.target] = named.receipt }
        var result = AssetResult(asset: asset, ending: row.ending ?? .pending, reason: row.reason, twin: row.twin)
        result.photographer = row.photographer
        return result
    }

    /// Below `operate` without what names a body, its owner or a place.
    static func shown(_ media: MediaFacts, _ role: Role) -> MediaFacts {
        guard role < .operate else { return media }
        var media = media
        (media.serial, media.owner, media.artist, media.lensSerial, media.position) = (nil, nil, nil, nil, nil)
        (media.shutterCount, media.imageNumber) = (nil, nil)
        return media
    }

    /// `file`: what the frame is called where it came from, for targets that have no names; and before its event is
    /// known, which its name may hold.
    static func delivery(_ row: DeliveryRow, file: String?) -> JSONWriter {
        var object = JSONWriter(), receipt = row.receipt
        receipt.at = receipt.at < 0 ? 0 : receipt.at
        object.add("type", "delivery")
        object.add("target", row.targetName)
        object.add("name", row.isNamed ? row.path : file ?? "")
        object.add("state", receipt.state.rawValue)
        object.add("path", receipt.path)
        object.add("url", receipt.url.map(AddressMask.hidden))
        object.add("id", receipt.id)
        object.add("sha256", receipt.sha256)
        object.add("verified", receipt.verified.shown)
        object.add("at", StudioAPI.time(receipt.at))
        object.add("reason", receipt.reason)
        object.add("size", row.size)
        object.add("content", row.content.sha256)
        object.add("event", row.event)
        object.add("attempts", max(0, row.attempts))
        object.add("next_try", StudioAPI.time(row.nextTry))
        object.add("denied", row.denial?.reason)
        // Each event has a target of its own, and all are called the same.
        object.add("identity", row.target)
        return object
    }

    static func place(_ row: AssetRow) -> JSONWriter {
        var object = JSONWriter()
        object.add("source", row.origin.root)
        object.add("path", row.origin.path)
        object.add("ending", row.ending?.rawValue)
        object.add("run", Int(row.run))
        return object
    }

    static func note(_ row: NoteRow) -> JSONWriter {
        var object = JSONWriter()
        object.add("at", StudioAPI.time(row.at))
        object.add("text", row.text)
        return object
    }
}

extension DeliveryRow {
    /// It is known what it is called at its target.
    var isNamed: Bool { !path.isEmpty && !isUnassigned }
}
