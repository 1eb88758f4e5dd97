import FilmgateCore

/// Every statement of the writer.
///
/// Each is prepared once and kept.
enum Command: Int, CaseIterable {
    case addVolume, findVolume, addPlace, findPlace, addTarget, findTarget, nameTarget, setDisk, addCamera, findCamera
    case addContent, findContent, setDigests, setMedia, putAsset, findUnread, findWaiting, findStates, endAsset,
        tellAsset, passAsset, dropWanted, putDelivery, removeDelivery, putDenial, removeDenial, putShotName, addNote,
        beginRun, endRun

    var sql: String {
        switch self {
        case .addVolume: Self.insert(into: "volume", ["identity"])
        case .findVolume: "SELECT id FROM volume WHERE identity = ?"
        case .addPlace: Self.insert(into: "place", ["root", "source"])
        case .findPlace: "SELECT id FROM place WHERE root = ? AND source = ?"
        case .addTarget: Self.insert(into: "target", ["identity", "name"])
        case .findTarget: "SELECT id, name FROM target WHERE identity = ?"
        case .nameTarget: "UPDATE target SET name = ? WHERE id = ?"
        case .setDisk: "UPDATE target SET disk = ? WHERE id = ?"
        case .addCamera: Self.insert(into: "camera", ["make", "model", "serial", "owner"])
        case .findCamera: "SELECT id FROM camera WHERE make IS ? AND model IS ? AND serial IS ? AND owner IS ?"
        case .addContent: Self.insert(into: "content", ["key"] + DigestRow.names + MediaRow.names)
        case .findContent: "SELECT id FROM content WHERE key = ?"
        case .setDigests:
            "UPDATE content SET \(DigestRow.names.map { "\($0) = coalesce(?, \($0))" }.joined(separator: ", ")) WHERE id = ?"
        case .setMedia: "UPDATE content SET \(MediaRow.names.map { $0 + " = ?" }.joined(separator: ", ")) WHERE id = ?"
        case .putAsset:
            Self.put(
                into: "asset", key: AssetWriting.key, AssetWriting.facts, once: ["since"],
                keeping: ["wanted": AssetWriting.wanted])
        case .findUnread:
            "SELECT \(AssetWriting.key.joined(separator: ", ")), wanted, ending, run, reason FROM asset WHERE volume_id = ? AND path = ? "
                + "AND ending = 'setAside' AND content_id IS NULL AND size <= ? AND CASE WHEN born <> 0 THEN born = ? AND modified <= ? "
                + "ELSE changed <> 0 AND inode = ? AND changed <= ? END"
        case .findWaiting:
            "SELECT \(AssetWriting.key.joined(separator: ", ")), wanted, ending, run, reason FROM asset "
                + "WHERE content_id = ? AND (ending IN ('pending', 'setAside') OR ending IS NULL AND run <> ?)"
        case .findStates:
            "SELECT d.target_id, d.state, t.name, d.reason, d.event FROM delivery d JOIN target t ON t.id = d.target_id WHERE d.content_id = ?"
        case .endAsset:
            "UPDATE asset SET run = ?, ending = ?, reason = ?, twin = ?, at = ? WHERE "
                + AssetWriting.key.map { "\($0) = ?" }.joined(separator: " AND ")
        case .tellAsset:
            "UPDATE asset SET reason = ? WHERE " + AssetWriting.key.map { "\($0) = ?" }.joined(separator: " AND ")
        case .passAsset:
            "UPDATE asset SET wanted = ?, event = ? WHERE "
                + AssetWriting.key.map { "\($0) = ?" }.joined(separator: " AND ")
        case .dropWanted:
            "UPDATE asset SET wanted = trim(replace(',' || wanted || ',', ?, ','), ',') WHERE content_id = ? "
                + "AND trim(replace(',' || wanted || ',', ?, ','), ',') <> ''"
        case .putDelivery: Self.put(into: "delivery", key: ["content_id", "target_id"], DeliveryWriting.facts)
        case .removeDelivery: "DELETE FROM delivery WHERE content_id = ? AND target_id = ?"
        case .putDenial: Self.put(into: "denial", key: ["content_id", "target_id"], ["kind", "reason", "at"])
        case .removeDenial: "DELETE FROM denial WHERE content_id = ? AND target_id = ?"
        case .putShotName:
            Self.put(into: "shot_name", key: ["target_id", "event", "shot"], ["counter", "suffix", "base"])
        case .addNote: Self.insert(into: "note", ["at", "asset", "text"])
        case .beginRun: Self.insert(into: "run", ["verb", "event", "started"])
        case .endRun:
            "UPDATE run SET ended = ?, exit = ?, bytes = ?, bytes_read = ?, seconds = ?, "
                + RunRow.endings.map { $0.column + " = ?" }.joined(separator: ", ") + " WHERE id = ?"
        }
    }

    private static func insert(into table: String, _ columns: [String]) -> String {
        "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
    }

    /// Inserts, or replaces all `facts` of the row with that `key`, but not what is written `once`; one parameter for
    /// each column, in order.
    ///
    /// `special`: what a column becomes where it is not simply replaced.
    private static func put(
        into table: String, key: [String], _ facts: [String], once: [String] = [],
        keeping special: [String: String] = [:]
    ) -> String {
        insert(into: table, key + facts + once) + " ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE SET "
            + facts.map { "\($0) = \(special[$0] ?? "excluded.\($0)")" }.joined(separator: ", ")
    }
}
