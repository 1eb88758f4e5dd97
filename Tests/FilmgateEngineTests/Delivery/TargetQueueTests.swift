import FilmgateCore
import Testing

@testable import FilmgateEngine

@Suite struct TargetQueueTests {
    private func target(local: Bool, parallel: Int = 4) -> PlannedTarget {
        let traits = TargetTraits(identity: "t", localRoot: local ? "/archive" : nil, parallel: parallel)
        return PlannedTarget(name: "t", target: AcceptingTarget(traits: traits), workers: nil)
    }

    /// What only waits for the far side takes none of the workers, whoever says how many there are.
    @Test(arguments: [(nil, 54), (2, 52)]) func whatOnlyWaitsTakesNoWorker(_ workers: Int?, _ count: Int) {
        var traits = TargetTraits(identity: "t", parallel: 4)
        traits.waiting = 50
        #expect(PlannedTarget(name: "t", target: AcceptingTarget(traits: traits), workers: workers).parallel == count)
    }

    /// Named by kind and the minute of its capture: `jpeg 5`.
    private func delivery(_ name: String, to target: PlannedTarget) -> Delivery {
        let parts = name.split(separator: " "), kind = MediaKind(rawValue: String(parts[0])) ?? .other
        let minute = Int(parts[1]) ?? 0
        let origin = Origin(source: "card", volume: "v", root: "/card", path: name, size: 1, modified: 0)
        var asset = Asset(origin: origin, kind: kind, shot: ShotPlace(key: name, stem: name))
        asset.media = MediaFacts()
        asset.media?.captured = CivilTime(year: 2026, month: 5, day: 1, hour: 12, minute: minute)
        let job = UploadJob(
            asset: asset, file: LocalFile(path: "/x", size: 1, ownership: .source), digests: Digests(sha256: name),
            path: name, name: name, values: TemplateValues())
        let id = Delivery.ID(content: ContentKey(rawValue: name), target: target.identity)
        return Delivery(id: id, job: job, target: target, listeners: [asset.id])
    }

    private func queue(_ names: [String], local: Bool, parallel: Int = 10_000) -> TargetQueue {
        let target = target(local: local, parallel: parallel)
        var queue = TargetQueue(target)
        for name in names { queue.append(delivery(name, to: target)) }
        return queue
    }

    private func order(_ queue: TargetQueue) -> [String] {
        var queue = queue, names: [String] = []
        while let id = queue.next(at: .now) { names.append(id.content.rawValue) }
        return names
    }

    @Test func aGalleryGetsTheNewestPicturesFirst() {
        let names = ["raw 1", "jpeg 1", "jpeg 3", "video 9", "jpeg 2", "raw 3"]
        #expect(order(queue(names, local: false)) == ["jpeg 3", "jpeg 2", "jpeg 1", "video 9", "raw 3", "raw 1"])
    }

    @Test func aFolderGetsEverythingInTheOrderOfTheCard() {
        let names = ["raw 1", "jpeg 1", "jpeg 3", "video 9", "jpeg 2", "raw 3"]
        #expect(order(queue(names, local: true)) == names)
    }

    @Test func whatIsTakenOutLeavesTheOthersInOrder() {
        let minutes = (0..<200).map { ($0 * 37) % 60 }, target = target(local: false, parallel: 10_000)
        var queue = TargetQueue(target), left: [Int] = []
        let deliveries = minutes.enumerated().map { delivery("jpeg \($1) \($0)", to: target) }
        for delivery in deliveries { queue.append(delivery) }
        for (number, delivery) in deliveries.enumerated() {
            if number % 3 == 1 { left.append(minutes[number]) } else { #expect(Self.remove(delivery.id, from: &queue)) }
        }
        #expect(!Self.remove(deliveries[0].id, from: &queue))
        #expect(order(queue).compactMap { Int($0.split(separator: " ")[1]) } == left.sorted(by: >))
    }

    private static func remove(_ id: Delivery.ID, from queue: inout TargetQueue) -> Bool { queue.remove(id) }

    @Test func thousandsComeOutInOrder() {
        let minutes = (0..<4000).map { ($0 * 7919) % 4000 % 60 }
        let sorted = order(queue(minutes.enumerated().map { "jpeg \($1) \($0)" }, local: false))
        let found = sorted.compactMap { Int($0.split(separator: " ")[1]) }
        let sorts = found == minutes.sorted(by: >)
        #expect(sorts)
    }

    @Test func afterAFailureOneParcelProbesAtATime() {
        var queue = queue(["jpeg 1", "jpeg 2", "jpeg 3"], local: false)
        let now = ContinuousClock.now, later = now + .seconds(6)
        let first = take(&queue, 1, at: now)
        queue.failed(first[0], because: IngestError(.network, "down"), retryAfter: .seconds(5), now: now)
        let early = take(&queue, 3, at: now)
        #expect(early.isEmpty && queue.count == 3 && queue.active == 0 && !queue.isIdle)
        let probe = take(&queue, 3, at: later)
        #expect(probe == first)
        #expect(queue.trouble?.message == "down")
        queue.succeeded(probe[0])
        #expect(queue.trouble == nil)
        let rest = take(&queue, 3, at: later)
        #expect(rest.count == 2)
    }

    /// A server that dies under several uploads has failed once: the next pause is that of a second failure, no longer.
    @Test func whatWasUnderWayTogetherFailsOnce() {
        var queue = queue(["jpeg 1", "jpeg 2", "jpeg 3", "jpeg 4"], local: false)
        let now = ContinuousClock.now, sent = take(&queue, 4, at: now), down = IngestError(.network, "down")
        for id in sent {
            #expect(queue.failure(of: id) == 1)
            queue.failed(id, because: down, retryAfter: .milliseconds(500), now: now)
        }
        #expect(queue.failures == 1)
        let probe = take(&queue, 4, at: now + .seconds(1))
        #expect(probe.count == 1 && queue.failure(of: probe[0]) == 2)
        queue.failed(probe[0], because: down, retryAfter: .seconds(1), now: now + .seconds(1))
        #expect(queue.failures == 2)
    }

    /// Another upload of the same moment got through: the server still wants its pause.
    @Test func whatTheServerAskedForOutlastsASuccess() {
        var queue = queue(["jpeg 1", "jpeg 2", "jpeg 3"], local: false)
        let now = ContinuousClock.now, sent = take(&queue, 2, at: now)
        let busy = IngestError(.unavailable, "busy", retryAfter: .seconds(30))
        queue.failed(sent[0], because: busy, retryAfter: .seconds(30), now: now)
        queue.succeeded(sent[1])
        let early = take(&queue, 3, at: now + .seconds(29)), then = take(&queue, 3, at: now + .seconds(30))
        #expect(early.isEmpty && then.count == 2)
    }

    /// A disk that fails for one file only keeps none of the others waiting.
    @Test func whatFailsByItselfGoesBehindTheOthers() {
        var queue = queue(["jpeg 1", "jpeg 2", "jpeg 3"], local: true)
        let now = ContinuousClock.now, later = now + .seconds(6)
        let first = take(&queue, 1, at: now)
        queue.failed(
            first[0], because: IngestError(.unavailable, "bad"), retryAfter: .seconds(5), now: now, behind: true)
        let probe = take(&queue, 3, at: later)
        #expect(probe.count == 1 && probe != first)
        queue.succeeded(probe[0])
        let rest = take(&queue, 3, at: later)
        #expect(rest.count == 2 && rest.last == first[0])
        queue.returned(rest[1], behind: true)
        queue.returned(rest[0])
        let again = take(&queue, 3, at: later)
        #expect(again == rest)
    }

    @Test func aHeldQueueKeepsEverythingAndIsIdle() {
        var queue = queue(["jpeg 1", "jpeg 2"], local: false)
        let first = take(&queue, 1)
        queue.hold(first[0], because: IngestError(.unauthorized, "refused"))
        let more = take(&queue, 2)
        #expect(more.isEmpty && queue.count == 2 && queue.isIdle)
        #expect(Set(queue.pending.map(\.content.rawValue)) == ["jpeg 1", "jpeg 2"])
    }

    private static let refusal = IngestError(.unauthorized, "refused")

    /// A sign-in that is really refused is shown one file more, and not the bytes of all that waits.
    @Test func aSecondRefusalIsOfAll() {
        var queue = queue((1...9).map { "jpeg \($0)" }, local: false, parallel: 1)
        let first = take(&queue, 1), isDoubted = queue.doubt(first[0], because: Self.refusal)
        queue.returned(first[0], behind: true)
        let second = take(&queue, 9), isAnother = queue.doubt(second[0], because: Self.refusal)
        #expect(isDoubted && !isAnother && second.count == 1 && second != first)
        queue.hold(second[0], because: Self.refusal)
        let more = take(&queue, 9)
        #expect(more.isEmpty && queue.count == 9)
        // Who finds out whether the hold is over was not refused before.
        queue.letGo()
        let probe = take(&queue, 9)
        #expect(probe.count == 1 && probe != first && probe != second)
    }

    /// What is refused while others are taken keeps none of them waiting; nothing of it is said by what had begun
    /// before.
    @Test func whatIsRefusedAloneIsKnownByWhatGetsThroughLater() {
        var queue = queue((1...5).map { "jpeg \($0)" }, local: false, parallel: 2)
        let sent = take(&queue, 2), isDoubted = queue.doubt(sent[0], because: Self.refusal)
        queue.returned(sent[0], behind: true)
        queue.succeeded(sent[1])
        #expect(isDoubted && !queue.isRefusedAlone(sent[0], because: Self.refusal))
        for later in take(&queue, 2) { queue.succeeded(later) }
        #expect(queue.isRefusedAlone(sent[0], because: Self.refusal))
        #expect(!queue.isRefusedAlone(sent[0], because: IngestError(.storageFull, "full")))
        // Another refusal in between may be about all.
        let next = take(&queue, 1), isNext = queue.doubt(next[0], because: Self.refusal)
        #expect(isNext && !queue.isRefusedAlone(sent[0], because: Self.refusal))
    }

    /// Alone in its queue, or in a folder, nobody else can tell.
    @Test(arguments: [true, false]) func withoutAnotherARefusalHolds(_ isFolder: Bool) {
        var queue = queue(isFolder ? ["jpeg 1", "jpeg 2"] : ["jpeg 1"], local: isFolder)
        let first = take(&queue, 1), isDoubted = queue.doubt(first[0], because: Self.refusal)
        #expect(!isDoubted)
    }

    @Test func noMoreAtOnceThanTheTargetTakes() {
        var queue = queue(["jpeg 1", "jpeg 2", "jpeg 3"], local: false, parallel: 2)
        let first = take(&queue, 3)
        #expect(first.count == 2)
        queue.ended(first[0])
        let next = take(&queue, 3)
        #expect(next.count == 1)
    }

    /// At most `count` of the deliveries that may be sent.
    private func take(_ queue: inout TargetQueue, _ count: Int, at now: ContinuousClock.Instant = .now) -> [Delivery.ID]
    {
        var ids: [Delivery.ID] = []
        while ids.count < count, let id = queue.next(at: now) { ids.append(id) }
        return ids
    }
}
