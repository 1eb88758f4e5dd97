import FilmgateCore

/// The columns of `asset`, in the order in which `write` binds them.
enum AssetWriting {
    /// What makes it the same file: volume, path, size and times.
    static let key = ["volume_id", "path", "size", "modified", "born", "inode", "changed"]
    /// `since` comes behind these: it is kept when the row is replaced.
    static let facts = [
        "place_id", "root_path", "run", "kind", "shot", "stem", "inner_path", "sidecar_of", "content_id", "flags",
        "wanted", "ending",
        "reason",
        "twin", "event", "photographer", "at",
    ]
    /// Which targets a file is for is not forgotten because a later pipeline filters the same bytes, nor because a run
    /// broke off before it could say what became of them: what was ordered stays ordered, and what was proven proven.
    ///
    /// A run writes the row several times before it ends; all of these writes keep what stands behind its own targets.
    static let wanted = """
        CASE WHEN asset.wanted IS NULL OR asset.content_id IS NOT excluded.content_id THEN excluded.wanted
            WHEN excluded.wanted IS NULL AND excluded.ending = 'filtered' THEN asset.wanted
            WHEN (asset.ending IS NULL OR asset.ending = 'pending' AND asset.run = excluded.run)
                AND substr(asset.wanted, 1, length(excluded.wanted) + 1) = excluded.wanted || ',' THEN asset.wanted
            WHEN asset.ending IS NULL AND asset.run <> excluded.run AND excluded.wanted IS NOT NULL AND asset.wanted <> excluded.wanted
                THEN excluded.wanted || ',' || asset.wanted
            ELSE excluded.wanted END
        """
}

extension ChangeWriter {
    /// Inserts the asset or replaces all that was known of that origin; its age stays.
    func write(_ row: AssetRow) throws {
        let content = try row.content.map { try contents.number(of: $0, digests: row.digests, media: row.media) }
        let wanted = try names.wanted(row.wanted)
        let volume = try names.volume(row.origin.volume)
        let place = try names.place(source: row.origin.source, root: row.origin.root)
        var query = try query(.putAsset)
        bind(row.origin, volume, place, to: &query)
        query.bind(row.run)
        query.bind(row.kind.rawValue)
        query.bind(row.shot.key)
        query.bind(row.shot.stem)
        query.bind(row.shot.innerPath)
        query.bind(row.shot.sidecarOf)
        query.bind(content)
        query.bind(row.flags.isEmpty ? nil : WordList.encode(row.flags.sorted()))
        query.bind(wanted)
        query.bind(row.ending?.rawValue)
        query.bind(row.reason)
        query.bind(row.twin)
        query.bind(row.event)
        query.bind(row.photographer)
        query.bind(row.at)
        query.bind(row.at)
        try query.execute()
        written?.files.insert(FrameKey(row.origin, volume: volume))
        try following.endUnread(row, volume: volume)
    }

    private func bind(_ origin: Origin, _ volume: Int64, _ place: Int64, to query: inout Query) {
        query.bind(volume)
        query.bind(origin.volumePath)
        query.bind(origin.size)
        query.bind(origin.modified)
        query.bind(origin.born)
        query.bind(origin.inode)
        query.bind(origin.changed)
        query.bind(place)
        query.bind(origin.path.isSpelled(as: origin.volumePath) ? nil : origin.path)
    }
}
