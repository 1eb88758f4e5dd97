import FilmgateCore
import FilmgateLedger
import PreviewKit

/// What a run has still to read, with its cameras' own pictures of it, for as long as somebody looks.
///
/// However many look, the run is asked once a second. Pictures are asked for one at a time, as a camera has time for
/// them; they are made anew in the process that decodes, and kept in memory while the frames are to come.
actor UpcomingView {
    /// A frame as those know it who look.
    struct Frame: Sendable {
        var id: String, frame: UpcomingList.Frame, hasPicture: Bool
    }
    /// How long a list counts, how long nobody may look before no more pictures are asked for, and how long it takes
    /// until a camera that had no time is asked again.
    private static let age = Duration.seconds(1), interest = Duration.seconds(10), pause = Duration.seconds(2)
    /// How long nobody is asked where nothing can be decoded.
    private static let rest = Duration.seconds(60)
    /// Some of those that are read already, too: a browser may just be asking for one.
    private static let mostPictures = 64

    private var list = UpcomingList(), listed: ContinuousClock.Instant?, looked = ContinuousClock.now
    private var reading: Task<Void, Never>?, gathering: Task<Void, Never>?, due = ContinuousClock.now
    private var pictures: [AssetID: [UInt8]] = [:]
    /// Those that there are pictures of, the oldest first.
    private var order: [AssetID] = []
    /// Those that there is no picture of.
    private var missing: Set<AssetID> = []

    /// The next few frames, and how many there are.
    func now(_ api: StudioAPI) async -> (frames: [Frame], total: Int) {
        looked = .now
        if listed.map({ .now - $0 >= Self.age }) ?? true { await ask(api.services) }
        if let maker = api.pictures.maker, gathering == nil, ContinuousClock.now >= due, next != nil {
            gathering = Task { await gather(by: maker, api.services) }
        }
        let key = api.frames.key
        let frames = list.frames.map { frame in
            Frame(id: Self.id(frame.asset, key), frame: frame, hasPicture: pictures[frame.asset] != nil)
        }
        return (frames, list.total)
    }

    /// The picture of the frame that is called so, as JPEG; nil where there is none, or not yet.
    func picture(_ id: String, _ key: SipKey) -> [UInt8]? {
        order.first { Self.id($0, key) == id }.flatMap { pictures[$0] }
    }

    private static func id(_ asset: AssetID, _ key: SipKey) -> String { Frames.id(key.number(of: asset.rawValue)) }

    /// Those who come meanwhile wait for the same answer.
    private func ask(_ services: StudioServices) async {
        if let reading { return await reading.value }
        let task = Task { await read(from: services) }
        reading = task
        await task.value
    }

    private func read(from services: StudioServices) async {
        let found = await services.upcoming() ?? UpcomingList()
        (list, listed, reading) = (found, .now, nil)
        missing.formIntersection(found.frames.map(\.asset))
    }

    /// The last of those that are shown: whatever is shown now has its picture when it comes to the front.
    private var next: UpcomingList.Frame? {
        list.frames.last { !$0.isBegun && pictures[$0.asset] == nil && !missing.contains($0.asset) }
    }

    /// Goes on until all have theirs, or nobody looks any more.
    private func gather(by maker: PreviewMaker, _ services: StudioServices) async {
        while ContinuousClock.now - looked < Self.interest, ContinuousClock.now >= due, let frame = next {
            switch await services.upcomingPicture(frame.asset) {
            case .bytes(let bytes): await keep(bytes, of: frame, by: maker)
            case .missing: missing.insert(frame.asset)
            case .later: try? await Task.sleep(for: Self.pause)
            }
        }
        gathering = nil
    }

    private func keep(_ bytes: [UInt8], of frame: UpcomingList.Frame, by maker: PreviewMaker) async {
        do throws(IngestError) {
            pictures[frame.asset] = try await maker.thumbnail(of: bytes)
            order.append(frame.asset)
            if order.count > Self.mostPictures { pictures[order.removeFirst()] = nil }
        } catch {
            missing.insert(frame.asset)
            // A camera is not asked for what nobody can show.
            if error.code == .unavailable { due = .now + Self.rest }
        }
    }
}
