import FilmgateCore
import PTPKit
import VirtualCamera

/// What a camera does not tell must not pass for what it does not have.
extension CameraConformance {
    static var gaps: [CameraCheck<M>] {
        [
            check("an answer that fails once costs no file") { bench, way in
                for operation in Self.listed {
                    for kind in [
                        Fault.Kind.refuse(.accessDenied), .refuse(.generalError), .refuseAfterData(.generalError),
                    ] {
                        try await bench.run(way) { scene in
                            scene.camera.add(Fault(kind, on: operation))
                            let entries = try await scene.session.entries(), gap = await scene.session.unlisted()
                            try expect(gap == nil, "\(operation), \(kind): \(gap?.message ?? "")")
                            try expect(
                                Self.isWhole(entries),
                                "\(operation), \(kind): \(entries.map { "\($0.origin.name) \($0.fate)" })")
                        }
                    }
                }
            },
            check("what a camera refuses to show for good is told, and nothing is left out in silence") { bench, way in
                for operation in Self.listed {
                    for skip in [0, 1, 3, 6] {
                        try await bench.run(way) { scene in
                            scene.camera.add(Fault(.refuse(.accessDenied), on: operation, skip: skip, times: .max))
                            guard let entries = try? await scene.session.entries() else { return }
                            let gap = await scene.session.unlisted()
                            let isTold = gap != nil || entries.contains { Self.isUnreadable($0) }
                            try expect(
                                isTold || Self.isWhole(entries),
                                "\(operation) after \(skip): \(entries.map(\.origin.name))")
                        }
                    }
                }
            },
            check("a camera without a card says so; one with an empty slot beside its card does not") { bench, way in
                try await bench.run(way) { scene in
                    scene.camera.withBody { body in
                        var empty = VirtualCard(storage: StorageID(0x0002_0001))
                        empty.info.capacity = 0
                        body.cards.append(empty)
                    }
                    let entries = try await scene.session.entries(), gap = await scene.session.unlisted()
                    try expect(gap == nil && Self.isWhole(entries), "an empty slot: \(gap?.message ?? "")")
                    scene.camera.withBody { $0.cards.remove(at: 0) }
                    try await Self.expectNoCard(scene, "no room")
                    scene.camera.withBody { $0.cards = [] }
                    try await Self.expectNoCard(scene, "no stores")
                    scene.camera.add(Fault(.refuse(.storeNotAvailable), on: .getStorageIDs, times: .max))
                    try await Self.expectNoCard(scene, "refused")
                }
            },
            check("a card that is said to be there and is not shown, or is pulled under the listing, is missed aloud") {
                bench, way in
                for operation in Self.listed {
                    for (kind, skip) in [
                        (Fault.Kind.refuse(.storeNotAvailable), 0), (.pullCard, 0), (.pullCard, 1), (.pullCard, 4),
                    ] {
                        try await bench.run(way) { scene in
                            scene.camera.add(
                                Fault(kind, on: operation, skip: skip, times: kind == .pullCard ? 1 : .max))
                            guard let entries = try? await scene.session.entries() else { return }
                            let gap = await scene.session.unlisted()
                            let isTold = gap != nil || entries.contains { Self.isUnreadable($0) }
                            let asksForStores = scene.camera.log.contains { $0.operation.code == .getStorageIDs }
                            try expect(
                                isTold || Self.isWhole(entries) || !asksForStores, "\(operation), \(kind) after \(skip)"
                            )
                        }
                    }
                }
            },
        ]
    }

    /// A make that does not ask for stores knows nothing of cards.
    private static func expectNoCard(_ scene: CameraBench<M>.Scene, _ what: String) async throws {
        let entries = try await scene.session.entries(), gap = await scene.session.unlisted()
        try expect(entries.isEmpty, "\(what): \(entries.count) ghosts")
        guard scene.camera.log.contains(where: { $0.operation.code == .getStorageIDs }) else { return }
        try expect(
            gap?.code == .notFound && gap?.message.contains("no card") == true,
            "\(what): \(gap?.message ?? "nothing is said")")
    }

    private static var listed: [OperationCode] { [.getStorageIDs, .getObjectHandles, .getObjectInfo] }

    private static func isWhole(_ entries: [SourceEntry]) -> Bool {
        Set(entries.filter { $0.fate == .take }.map(\.origin.name)) == Set(CardFiles.few.map(\.file.name))
    }

    private static func isUnreadable(_ entry: SourceEntry) -> Bool {
        if case .unreadable = entry.fate { true } else { false }
    }
}
