import FilmgateCore
import PTPKit
import Testing
import VirtualCamera

/// A whole session over TCP, against a camera that misbehaves in one way each time.
@Suite struct CameraFaultTests {
    static let hasty = Quirks.standard.with { ($0.silence, $0.answer) = (.milliseconds(300), .milliseconds(600)) }

    @Test func anOrdinarySession() async throws {
        let rig = try await Rig()
        try await rig.camera.open()
        #expect(await rig.camera.info.serial == "00000001")
        #expect(try await rig.object() == rig.content.slice(at: 0, count: 100_000))
        await rig.camera.close()
        #expect(rig.body.log.map(\.operation.code) == [.openSession, .getDeviceInfo, .getObject, .closeSession])
        #expect(rig.body.log.map(\.transaction) == [0, 1, 2, 3])
    }

    @Test(arguments: [Fault.Kind.stale(1), .stale(8), .noise, .dribble, .refuse(.deviceBusy)])
    func toleratedOddities(kind: Fault.Kind) async throws {
        let rig = try await Rig(size: 3000, faults: Fault(kind, on: .getObject))
        try await rig.camera.open()
        #expect(try await rig.object().count == 3000)
    }

    @Test func busyTenTimesIsWaitedOut() async throws {
        let rig = try await Rig(
            quirks: .standard.with { $0.patience = .seconds(10) },
            faults: Fault(.refuse(.deviceBusy), on: .getObject, times: 6))
        try await rig.camera.open()
        #expect(try await rig.object().count == 100_000)
    }

    @Test func busyForeverIsReported() async throws {
        let rig = try await Rig(
            quirks: .standard.with { $0.patience = .milliseconds(100) },
            faults: Fault(.refuse(.deviceBusy), times: .max))
        let error = await rig.failure { try await rig.camera.open() }
        #expect(error?.refusal == .deviceBusy)
    }

    @Test(arguments: [
        Fault.Kind.short(by: 1), .long(by: 1), .announce(5), .announce(1 << 33), .noData, .crowded,
        .wrongTransaction(1),
    ])
    func brokenAnswersNeverPassAsWhole(kind: Fault.Kind) async throws {
        let rig = try await Rig(quirks: Self.hasty, faults: Fault(kind, on: .getObject))
        try await rig.camera.open()
        let error = await rig.failure { _ = try await rig.object() }
        #expect(error != nil)
    }

    @Test func anUnknownTotalIsFine() async throws {
        let rig = try await Rig(faults: Fault(.announce(.max), on: .getObject))
        try await rig.camera.open()
        #expect(try await rig.object().count == 100_000)
    }

    @Test func shortDataLeavesTheConnectionInStep() async throws {
        let rig = try await Rig(faults: Fault(.short(by: 10), on: .getObject))
        try await rig.camera.open()
        let error = await rig.failure { _ = try await rig.object() }
        guard case .length(expected: 100_000, got: 99_990) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await rig.object().count == 100_000)
    }

    @Test func refusedAfterTheDataIsRefused() async throws {
        let rig = try await Rig(faults: Fault(.refuseAfterData(.deviceBusy), on: .getObject))
        try await rig.camera.open()
        #expect(await rig.failure { _ = try await rig.object() }?.refusal == .deviceBusy)
        #expect(try await rig.object().count == 100_000)
    }

    @Test(arguments: [Fault.Kind.stall, .noResponse, .endless, .sleep])
    func silenceEndsInATimeOut(kind: Fault.Kind) async throws {
        let rig = try await Rig(quirks: Self.hasty, faults: Fault(kind, on: .getObject))
        try await rig.camera.open()
        guard case .timedOut = await rig.failure({ _ = try await rig.object() }) else {
            Issue.record("no time-out")
            return
        }
    }

    @Test func afterAStallTheSessionGoesOn() async throws {
        let rig = try await Rig(quirks: Self.hasty, faults: Fault(.stall, on: .getObject))
        try await rig.camera.open()
        _ = await rig.failure { _ = try await rig.object() }
        #expect(try await rig.object().count == 100_000)
    }

    @Test func aSlowlorisRunsIntoTheOverallLimit() async throws {
        let rig = try await Rig(size: 4_000_000, quirks: Self.hasty, faults: Fault(.dribble, on: .getObject))
        try await rig.camera.open()
        let error = await rig.failure { _ = try await rig.object() }
        guard case .timedOut = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func aConnectionThatBreaksIsGone() async throws {
        let rig = try await Rig(faults: Fault(.drop(after: 50_000), on: .getObject))
        try await rig.camera.open()
        let error = await rig.failure { _ = try await rig.object() }
        guard case .gone = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(await rig.camera.failure != nil)
    }

    @Test func closingTwiceIsHarmless() async throws {
        let rig = try await Rig()
        try await rig.camera.open()
        await rig.camera.close()
        await rig.camera.close()
        #expect(rig.body.log.filter { $0.operation.code == .closeSession }.count == 1)
    }

    @Test func stoppingFromOutsideEndsAWait() async throws {
        let rig = try await Rig(
            quirks: .standard.with { $0.silence = .seconds(60) }, faults: Fault(.stall, on: .getObject))
        try await rig.camera.open()
        let stop = rig.camera.stop
        let body = rig.body
        async let error = rig.failure { _ = try await rig.object() }
        while body.log.last?.operation.code != .getObject { await Task.yield() }
        stop()
        guard case .gone = await error else {
            Issue.record("did not end")
            return
        }
    }

    @Test func aFullDiskStopsTheTransferAndTheSessionGoesOn() async throws {
        let rig = try await Rig(size: 8 << 20)
        try await rig.camera.open()
        let object = CameraObject(
            handle: rig.handle, storage: StorageID(0x10001), folders: [], name: "A", size: 8 << 20, time: nil)
        let sink = Collector(failingAfter: 1 << 20)
        let error = await rig.failure {
            try await rig.camera.run { camera throws(PTPError) in
                try StandardFetch.whole(object, from: 0, camera, into: sink)
            }
        }
        guard case .sink(let inner) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(inner.code == .storageFull)
        #expect(try await rig.object().count == 8 << 20)
    }

    @Test func everyWordForAFaultMeansOne() {
        for word in Fault.words { #expect(Fault(text: word) != nil, "\(word)") }
        #expect(Fault(text: "smoke") == nil)
    }
}
