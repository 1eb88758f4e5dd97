import FilmgateCore
import Synchronization
import Testing

@testable import FilmgateEngine

/// Sources that come and go while a run goes on.
@Suite(.timeLimit(.minutes(5))) struct SupervisorTests {
    private let world: RunWorld
    init() throws { world = try RunWorld() }

    private static let gone = IngestError(.deviceGone, "pulled")

    private static func camera(_ files: [String], visit: String = "") -> FakePlace {
        let camera = FakePlace("Camera", files.map { ($0, "bytes of \($0)") }, source: "ptp", visit: visit)
        camera.state.withLock { $0.listens = true }
        return camera
    }

    private func count(_ line: String) -> Int { world.said.count { $0 == line } }

    @Test func aCameraThatDoesNotOpenIsTriedEverMoreRarely() async throws {
        let camera = Self.camera(["IMG_1.JPG"]), runner = world.runner(FakeSource([camera]), verb: "run")
        camera.state.withLock { $0.closedDoors = [Self.gone, Self.gone, Self.gone] }
        async let outcome = runner.run(.continuous)
        for pause in [500, 1000] { await world.clock.passNext(.milliseconds(pause)) }
        // Others wait for two seconds, too.
        await world.clock.passing(.seconds(2)) { await world.hears("IMG_1.JPG: delivered") }
        runner.stop()
        #expect(try await outcome.shown == "1 delivered, exit 130")
        #expect(count("Camera: lost, pulled") == 1 && camera.state.withLock { $0.opened } == 4)
    }

    /// Lost in the middle of a file: that one and those behind it are taken when it is back, and each file is told of
    /// once.
    @Test func aCameraThatIsLostGoesOnWhereItWas() async throws {
        let camera = Self.camera(["IMG_1.JPG", "IMG_2.JPG", "IMG_3.JPG"])
        let runner = world.runner(FakeSource([camera]), verb: "run")
        camera.state.withLock { $0.broken = ["IMG_2.JPG": Self.gone] }
        async let outcome = runner.run(.continuous)
        await world.hears("IMG_1.JPG: delivered")
        await world.clock.passNext(.milliseconds(500))
        for number in 1...3 { await world.hears("IMG_\(number).JPG: delivered") }
        runner.stop()
        let ended = try await outcome
        #expect(ended.shown == "3 delivered, exit 130", "\(ended.shown)")
        #expect(camera.fetched.sorted() == ["IMG_1.JPG", "IMG_2.JPG", "IMG_2.JPG", "IMG_3.JPG"])
    }

    /// A camera behind a bad cable is lost hundreds of times a day.
    @Test func aLostVisitLeavesNobodyWaiting() async throws {
        let camera = Self.camera(["IMG_1.JPG"]), runner = world.runner(FakeSource([camera]), verb: "run")
        camera.state.withLock { $0.broken = ["IMG_1.JPG": Self.gone] }
        async let outcome = runner.run(.continuous)
        var counts: [Int] = []
        for pause in [500, 1000] {
            camera.state.withLock { $0.broken = ["IMG_1.JPG": Self.gone] }
            if pause > 500 { world.clock.pass(.milliseconds(500)) }
            await world.clock.awaits(.milliseconds(pause))
            counts.append(runner.stopping.count)
        }
        runner.stop()
        _ = try await outcome
        #expect(counts[0] == counts[1], "\(counts)")
    }

    @Test func whatALostCameraStillOwesAtTheEndIsPending() async throws {
        let camera = Self.camera(["IMG_1.JPG"]), runner = world.runner(FakeSource([camera]), verb: "run")
        camera.state.withLock { $0.broken = ["IMG_1.JPG": Self.gone] }
        async let outcome = runner.run(.continuous)
        await world.clock.awaits(.milliseconds(500))
        runner.stop()
        #expect(try await outcome.shown == "1 pending, exit 130")
    }

    @Test func aSourceThatFailsIsAskedEverMoreRarelyAndToldOfOnce() async throws {
        let camera = Self.camera(["IMG_1.JPG"]), trouble = IngestError(.unavailable, "no bus")
        let source = FakeSource([camera], first: [.failure(trouble), .failure(trouble), .failure(trouble)])
        let runner = world.runner(source, verb: "run")
        async let outcome = runner.run(.continuous)
        for pause in [1, 2, 4] { await world.clock.passNext(.seconds(pause)) }
        await world.hears("IMG_1.JPG: delivered")
        runner.stop()
        _ = try await outcome
        #expect(count("trouble: no bus") == 1 && source.asked == 4)
    }

    @Test func optionsThatCannotWorkEndTheRun() async throws {
        let source = FakeSource([], first: [.failure(IngestError(.misconfigured, "no such port"))])
        let other = FakeSource([Self.camera([])])
        let error = await #expect(throws: IngestError.self) {
            try await world.runner(source, other, verb: "run").run(.continuous)
        }
        #expect(error?.message == "no such port")
    }

    /// A card that has given all it had is left alone until another one is in the reader.
    @Test func aPlaceIsTakenOnceEachTimeItIsThere() async throws {
        let card = FakePlace("Card", [("IMG_1.JPG", "one")])
        let next = FakePlace("Next", [("IMG_2.JPG", "two")], at: card.place.address, visit: "2")
        let source = FakeSource([card]), runner = world.runner(source, verb: "run")
        async let outcome = runner.run(.continuous)
        await world.hears("Card: finished")
        source.hold([card])
        source.hold([next])
        await world.hears("Next: finished")
        source.hold([card])
        await world.hears("IMG_1.JPG: alreadySeen")
        runner.stop()
        #expect(try await outcome.shown == "2 delivered, 1 alreadySeen, exit 130")
        #expect(card.state.withLock { $0.opened } == 2 && next.state.withLock { $0.opened } == 1)
    }

    /// A hot folder that gives its files away reads the copy of a long clip again before the clip goes.
    ///
    /// That takes minutes, and has no end where its disk hangs: no frame of others waits for it, and no stopped run.
    @Test func aFolderThatCleansUpKeepsNobodyWaiting() async throws {
        let folder = FakePlace("Hot", [("CLIP.MP4", "clip")], source: "folder"), camera = Self.camera(["IMG_1.JPG"])
        let cleaning = CancelToken()
        folder.state.withLock { ($0.listens, $0.cleaning) = (true, cleaning) }
        let runner = world.runner(FakeSource([folder]), FakeSource([camera]), verb: "run")
        let running = Task { try await runner.run(.continuous).shown }
        await folder.isListenedTo()
        await camera.isListenedTo()
        for name in ["CLIP.MP4", "IMG_1.JPG"] { await world.hears("\(name): delivered") }
        camera.arrive("IMG_2.JPG", "two")
        await world.hears("IMG_2.JPG: delivered")
        runner.stop()
        let shown = try await world.clock.passing(CancelToken.grace) { try await running.value }
        #expect(shown == "3 delivered, exit 130")
        #expect(folder.state.withLock { $0.concluded } == 1)
        cleaning.set()
    }

    // MARK: What a camera held before

    private func cameraRun(_ camera: FakePlace, _ rule: Backlog) -> Runner {
        world.runner(FakeSource([camera], traits: SourceTraits(backlog: rule, lookEvery: nil)), verb: "run")
    }

    @Test func whatACameraHeldAtTheFirstMeetingIsLeftThereForGood() async throws {
        let camera = Self.camera(["IMG_1.JPG", "IMG_2.JPG"]), first = cameraRun(camera, .sinceLast)
        async let one = first.run(.continuous)
        await world.hears("Camera: takes 0, leaves 2")
        await camera.isListenedTo()
        camera.arrive("IMG_3.JPG", "three")
        await world.hears("IMG_3.JPG: delivered")
        first.stop()
        #expect(try await one.shown == "1 delivered, exit 130")
        // Made while no run was there.
        camera.state.withLock { $0.files.append(("IMG_4.JPG", "four")) }
        let second = cameraRun(camera, .sinceLast)
        async let two = second.run(.continuous)
        await world.hears("Camera: takes 1, leaves 2")
        await world.hears("IMG_4.JPG: delivered")
        second.stop()
        #expect(try await two.shown == "1 delivered, 1 alreadySeen, exit 130")
        #expect(world.delivered == ["IMG_3.JPG", "IMG_4.JPG"])
    }

    @Test(arguments: [(Backlog.nothing, "Camera: takes 0, leaves 1"), (.all, "Camera: takes 1, leaves 0")])
    func theRuleSaysWhatIsTaken(_ rule: Backlog, _ line: String) async throws {
        let camera = Self.camera(["IMG_1.JPG"]), runner = cameraRun(camera, rule)
        async let outcome = runner.run(.continuous)
        await world.hears(line)
        await camera.isListenedTo()
        camera.arrive("IMG_2.JPG", "two")
        await world.hears("IMG_2.JPG: delivered")
        runner.stop()
        #expect(try await outcome.summary[.delivered] == (rule == .all ? 2 : 1))
    }

    /// A camera that comes back gives what was shot meanwhile, and still not what was left on it.
    @Test func whatWasShotWhileTheCameraWasAwayIsTaken() async throws {
        let camera = Self.camera(["IMG_1.JPG"]), runner = cameraRun(camera, .nothing)
        async let outcome = runner.run(.continuous)
        await camera.isListenedTo()
        camera.state.withLock { $0.files.append(("IMG_2.JPG", "two")) }
        camera.goAway()
        await world.clock.passNext(.milliseconds(500))
        await world.hears("IMG_2.JPG: delivered")
        runner.stop()
        #expect(try await outcome.shown == "1 delivered, exit 130")
    }
}
