import FilmgateCore
import PTPKit
import VirtualCamera

extension CameraConformance {
    static var news: [CameraCheck<M>] {
        [
            check("new shots arrive once each and whole, what was there before does not") { bench, way in
                try await bench.run(way) { scene in
                    _ = try await scene.session.entries()
                    let inbox = try await Inbox(scene.session)
                    scene.camera.shoot(CardFiles.shot(7))
                    scene.camera.shoot(CardFiles.shot(8))
                    let arrived = try await inbox.take(4)
                    let names = arrived.map(\.origin.name).sorted()
                    try expect(
                        names == ["IMG_0007.DNG", "IMG_0007.JPG", "IMG_0008.DNG", "IMG_0008.JPG"], "arrived: \(names)")
                    for entry in arrived {
                        let bytes = try await scene.bytes(of: entry)
                        try expect(
                            bytes == scene.content(entry.origin.name)?.slice(at: 0, count: bytes.count),
                            "\(entry.origin.name) differs")
                        try expect(UInt64(bytes.count) == entry.origin.size, "\(entry.origin.name) is not whole")
                    }
                }
            },
            check("a burst of twenty shots arrives whole") { bench, way in
                try await bench.run(way, files: []) { scene in
                    _ = try await scene.session.entries()
                    let inbox = try await Inbox(scene.session)
                    for number in 1...20 { scene.camera.shoot(CardFiles.shot(number)) }
                    let names = try await inbox.take(40).map(\.origin.name)
                    try expect(Set(names).count == 40, "\(Set(names).count) of 40")
                }
            },
            check("shots taken while the connection was gone are caught up with") { bench, way in
                guard way == .network else { return }
                try await bench.run(way) { scene in
                    _ = try await scene.session.entries()
                    let inbox = try await Inbox(scene.session)
                    scene.server?.breakConnections()
                    scene.camera.shoot(CardFiles.shot(9))
                    let names = try await inbox.take(2).map(\.origin.name).sorted()
                    try expect(names == ["IMG_0009.DNG", "IMG_0009.JPG"], "arrived: \(names)")
                }
            },
            check("a shot taken while a transfer lost and found the camera arrives, and the transfer is whole") {
                bench, way in
                guard way == .network else { return }
                try await bench.run(way) { scene in
                    let entries = try await scene.session.entries()
                    guard let clip = entries.first(where: { $0.kind == .video }) else { throw Failed("no clip") }
                    let inbox = try await Inbox(scene.session)
                    scene.camera.add(Fault(.drop(after: 100_000)))
                    async let bytes = scene.bytes(of: clip)
                    let end = ContinuousClock.now + .seconds(120)
                    while scene.camera.hasFaults, ContinuousClock.now < end {
                        try await Task.sleep(for: .milliseconds(1))
                    }
                    scene.camera.shoot(CardFiles.shot(11))
                    let names = try await inbox.take(2).map(\.origin.name).sorted()
                    try expect(names == ["IMG_0011.DNG", "IMG_0011.JPG"], "arrived: \(names)")
                    let got = try await bytes
                    try expect(
                        got == scene.content(clip.origin.name)?.slice(at: 0, count: Int(clip.origin.size)),
                        "the clip differs")
                }
            },
            check("a cable pulled and put in again elsewhere: the session goes on, and catches up") { bench, way in
                guard way == .bus else { return }
                try await bench.run(way) { scene in
                    let entries = try await scene.session.entries()
                    let inbox = try await Inbox(scene.session)
                    scene.bus.unplug("usb://virtual/1")
                    scene.camera.shoot(CardFiles.shot(12))
                    scene.bus.plug(scene.camera, usb: bench.usb, address: "usb://virtual/2")
                    let names = try await inbox.take(2).map(\.origin.name).sorted()
                    try expect(names == ["IMG_0012.DNG", "IMG_0012.JPG"], "arrived: \(names)")
                    let bytes = try await scene.bytes(of: entries[0])
                    try expect(UInt64(bytes.count) == entries[0].origin.size, "not whole")
                }
            },
        ]
    }

    static var manners: [CameraCheck<M>] {
        [
            check("never deletes, formats, protects or writes") { bench, way in
                try await bench.run(way) { scene in
                    for entry in try await scene.session.entries() { _ = try await scene.bytes(of: entry) }
                    await scene.session.close()
                    let forbidden: Set<OperationCode> = [
                        .deleteObject, .sendObjectInfo, .sendObject, .formatStore, .setObjectProtection, .moveObject,
                        .copyObject, .setObjectPropValue, .setObjectPropList, .sendPartialObject, .truncateObject,
                        .powerDown, .resetDevice, 0x910C, 0x9105,
                    ]
                    let found = scene.camera.log.map(\.operation.code).filter(forbidden.contains)
                    try expect(found.isEmpty, "sent \(found)")
                }
            },
            check("ends with CloseSession, once, and closing again is harmless") { bench, way in
                try await bench.run(way) { scene in
                    await scene.session.close()
                    await scene.session.close()
                    let codes = scene.camera.log.map(\.operation.code)
                    try expect(codes.last == .closeSession, "ended with \(String(describing: codes.last))")
                    try expect(codes.filter { $0 == .closeSession }.count == 1, "closed more than once")
                }
            },
            check("transaction ids are contiguous from the first request on") { bench, way in
                try await bench.run(way) { scene in
                    for entry in try await scene.session.entries() { _ = try await scene.bytes(of: entry) }
                    let ids = scene.camera.log.drop { $0.operation.code != .openSession }.map(\.transaction)
                    try expect(ids == Array(0..<UInt32(ids.count)), "a gap in \(ids.count) ids")
                }
            },
            check("a sleeping camera holds nobody up when the session is closed") { bench, way in
                try await bench.run(way) { scene in
                    _ = try await scene.session.entries()
                    scene.camera.add(Fault(.sleep, times: .max))
                    let before = scene.camera.log.count
                    await scene.session.close()
                    let asked = scene.camera.log.count - before
                    try expect(asked <= 1, "asked \(asked) times after it fell silent")
                }
            },
        ]
    }
}

/// Arrivals as they come, with a limit on waiting.
actor Inbox {
    private var entries: [SourceEntry] = []
    private var reader: Task<Void, Never>?

    init(_ session: any WatchingSession) async throws {
        let stream = try await session.arrivals()
        reader = Task { for await news in stream { if case .arrived(let entry) = news { self.add(entry) } } }
    }

    deinit { reader?.cancel() }

    private func add(_ entry: SourceEntry) { entries.append(entry) }

    /// Waits until `count` have come, or none for a minute, and a little longer for what should not come.
    func take(_ count: Int) async throws -> [SourceEntry] {
        var end = ContinuousClock.now + .seconds(180), seen = 0
        while entries.count < count, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(10))
            // On a busy machine they come slowly: as long as some come, more are waited for.
            if entries.count > seen { (seen, end) = (entries.count, ContinuousClock.now + .seconds(180)) }
        }
        try await Task.sleep(for: .milliseconds(200))
        guard entries.count == count else {
            throw Failed("\(entries.count) arrived, \(count) expected: \(entries.map(\.origin.name))")
        }
        return entries
    }
}
