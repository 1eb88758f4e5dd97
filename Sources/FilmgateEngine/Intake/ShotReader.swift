import FilmgateCore

/// Reads one shot from its source and takes it through the stages.
struct ShotReader: Sendable {
    let session: any SourceSession
    let stager: Stager
    let line: Line
    let statistics: RunStatistics
    let hub: EventHub
    /// Nil where nobody knows of marks.
    var ledger: (any LedgerReader)?

    /// What reading one shot gave.
    struct Result: Sendable {
        var passed: [Passed] = []
        /// Members that could not be read.
        var failed: [AssetResult] = []
        /// The shot's primary as far as it is known: read now, or remembered.
        var lead: Asset?
        /// Pictures that are to be given the marks of their shot.
        var unmarked: Unmarked?
    }

    /// What people said of a shot, and the pictures of it that were not there then.
    struct Unmarked: Sendable { var mark: PictureMark, sha256s: [String] }

    /// `lead` is the shot's picture where it was taken before and `work` holds only what follows it; `turn` returns
    /// once every earlier shot is through.
    func read(_ work: ShotWork, lead: Asset? = nil, turn: () async -> Void = {}) async throws(IngestError) -> Result {
        do throws(IngestError) { return try await readOnce(work, lead, turn) } catch {
            // The disk died that it was staged on: where there are others, it is staged on the next.
            guard error.cause is LostBytes, stager.passesOver else { throw error }
            return try await readOnce(work, lead, turn)
        }
    }

    private func readOnce(_ work: ShotWork, _ lead: Asset?, _ turn: () async -> Void) async throws(IngestError)
        -> Result
    {
        var result = Result(), assets: [Asset] = []
        for member in work.members where !member.settled {
            var asset = Asset(origin: member.entry.origin, kind: member.entry.kind, shot: member.entry.shot)
            if member.entry.isProtected { asset.flags.insert(AssetFlag.protected) }
            hub.post(.started(asset.origin))
            do throws(IngestError) {
                let (file, digests) = try await stager.stage(asset.origin, from: session)
                statistics.read(file.size)
                (asset.file, asset.digests) = (file, digests)
                // Its tree's clips may have changed since, and then another one would name it: what was begun is gone
                // on with.
                if work.followsOnly, lead == nil, asset.shot.innerPath != nil {
                    asset.beside = beside(member.known, digests)
                }
                assets.append(asset)
            } catch {
                guard error.code.disposition == .setAside else {
                    for asset in assets { stager.partialFiles.leave(asset) }
                    throw error
                }
                result.failed.append(try await failed(asset, error))
            }
        }
        var shot = Shot(key: work.members[0].entry.shot.key, assets: assets, remembered: lead ?? remembered(work))
        shot.known = known(work)
        let marks = try await marks(of: shot)
        shot.mark = PictureMark.latest(of: marks.values)
        result.unmarked = Self.unmarked(shot, marks)
        do throws(IngestError) { result.passed = try await line.pass(shot, turn: turn) } catch {
            for asset in assets { stager.partialFiles.leave(asset) }
            throw error
        }
        shot.assets = result.passed.map(\.asset)
        shot.shareBody()
        result.lead = shot.remembered ?? shot.assets.first
        Self.inherit(result.lead?.media, to: &result.passed)
        var made = Companions.take(from: &result.passed)
        Self.inherit(result.lead?.media, to: &made)
        result.passed += made
        return result
    }

    private static func inherit(_ facts: MediaFacts?, to passed: inout [Passed]) {
        guard let facts else { return }
        for index in passed.indices { passed[index].asset = Inheritance.apply(from: facts, to: passed[index].asset) }
    }

    /// What people said of its pictures, by their digests.
    private func marks(of shot: Shot) async throws(IngestError) -> [String: PictureMark] {
        let pictures = (shot.assets + [shot.remembered].compactMap { $0 } + shot.known).filter { !$0.kind.follows }
        let sha256s = Set(pictures.compactMap(\.digests?.sha256))
        return sha256s.isEmpty ? [:] : try await ledger?.marks(of: Array(sha256s)) ?? [:]
    }

    private static func unmarked(_ shot: Shot, _ marks: [String: PictureMark]) -> Unmarked? {
        guard shot.mark.revision > 0 else { return nil }
        let pictures = shot.assets.filter { !$0.kind.follows }.compactMap(\.digests?.sha256)
        let left = pictures.filter { marks[$0].map { $0.latest(shot.mark) != $0 } ?? true }
        return left.isEmpty ? nil : Unmarked(mark: shot.mark, sha256s: left)
    }

    /// Set aside, unless the source knows better: a file that was written again comes again.
    private func failed(_ asset: Asset, _ error: IngestError) async throws(IngestError) -> AssetResult {
        switch try await (session as? any DiagnosingSession)?.fate(of: asset.origin, after: error) {
        case .filtered(let reason): AssetResult(asset: asset, ending: .filtered, reason: reason)
        case .unreadable(let reason): AssetResult(asset: asset, ending: .setAside, reason: reason)
        case .take, nil: AssetResult(asset: asset, ending: .setAside, reason: error.description)
        }
    }

    /// What a file with the same bytes was delivered beside, as the ledger remembers it of this very file.
    private func beside(_ known: KnownFile?, _ digests: Digests) -> String? {
        known?.content?.sha256 == digests.sha256 ? known?.content?.beside : nil
    }

    /// The files of the shot that are not taken again, such as a sidecar that was delivered before: a frame is judged
    /// by what they say.
    ///
    /// They are read where they lie; a camera is not asked for them again: what is remembered of them counts.
    private func known(_ work: ShotWork) -> [Asset] {
        let here: [Asset] = work.members.filter(\.speaks).compactMap { member in
            var asset = Asset(origin: member.entry.origin, kind: member.entry.kind, shot: member.entry.shot)
            asset.digests = member.known?.content.map { Digests(sha256: $0.sha256) }
            guard let path = session.localPath(member.entry.origin) else {
                guard let known = member.known else { return nil }
                Inheritance.remember(known, &asset)
                if !member.entry.isProtected { asset.flags.remove(AssetFlag.protected) }
                return asset
            }
            asset.file = LocalFile(path: path, size: member.entry.origin.size, ownership: .source)
            if member.entry.isProtected { asset.flags.insert(AssetFlag.protected) }
            return asset
        }
        return work.beside + here
    }

    /// The primary decides make, time and name for the whole shot, also when it is known from before and not read now.
    private func remembered(_ work: ShotWork) -> Asset? {
        guard let first = work.members.first, first.settled, !first.entry.kind.follows, let known = first.known else {
            return nil
        }
        var lead = Inheritance.remembered(
            known, origin: first.entry.origin, kind: first.entry.kind, shot: first.entry.shot)
        // The button may have been pressed since.
        if first.entry.isProtected {
            lead.flags.insert(AssetFlag.protected)
        } else {
            lead.flags.remove(AssetFlag.protected)
        }
        return lead
    }
}
