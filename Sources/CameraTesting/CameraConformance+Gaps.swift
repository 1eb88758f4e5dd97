import FilmgateCore
import PTPKit
import VirtualCamera

/// What a camera does not tell must not pass for what it does not have.
extension CameraConformance {
    static var gaps: [CameraCheck<M>] {
        [
            check("an answer that fails once costs no file") { bench, way in
                for operation in Self.listed {
                    for kind in [Fault.Kind.refuse(.accessDenied), .refuse(.generalError), .refuseAfterData(.generalError)] {
                        try await bench.run(way) { scene in
                            scene.camera.add(Fault(kind, on: operation))
                            let entries = try await scene.session.entries(), gap = await scene.session.unlisted()
                            try expect(gap == nil, "\(operation), \(kind): \(gap?.message ?? "")")
                            try expect(Self.isWhole(entries), "\(operation), \(kind): \(entries.map { "\($0.origin.name) \($0.fate)" })")
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
                            let gap = await scene.session.unlisted(), isTold = gap != nil || entries.contains { Self.isUnreadable($0) }
                            try expect(isTold || Self.isWhole(entries), "\(operation) after \(skip): \(entries.map(\.origin.name))")
                        }
                    }
                }
            },
        ]
    }

    private static var listed: [OperationCode] { [.getStorageIDs, .getObjectHandles, .getObjectInfo] }

    private static func isWhole(_ entries: [SourceEntry]) -> Bool {
        Set(entries.filter { $0.fate == .take }.map(\.origin.name)) == Set(CardFiles.few.map(\.file.name))
    }

    private static func isUnreadable(_ entry: SourceEntry) -> Bool { if case .unreadable = entry.fate { true } else { false } }
}
