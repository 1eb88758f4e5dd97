public import FilmgateCore

/// Deliveries that wait at the places of a run for another event than it has: with its event a target may be another
/// one, and a run that ends by itself sends only to its own.
public struct EarlierDeliveries: Sendable, Hashable {
    public var event: String?
    /// The target's name in the ledger.
    public var target: String
    public var count: Int

    /// Those of other events at targets that `plan` has for its own, by event and name.
    ///
    /// What waits for somebody's mark is left out: nobody can send it now.
    public static func waiting(
        besides plan: Plan, event: String?, _ reader: any LedgerReader
    ) async throws(IngestError) -> [EarlierDeliveries] {
        let rows = try await rows(besides: plan, event: event, reader), marks = try await marks(of: rows, reader)
        return counted(rows.filter { !waits($0, marks) })
    }

    /// Those that wait for somebody's mark as they were ordered, though `plan` waits for none there any more: only a
    /// run with their event lets them go.
    public static func kept(
        besides plan: Plan, event: String?, _ reader: any LedgerReader
    ) async throws(IngestError) -> [EarlierDeliveries] {
        let gated = plan.gated, open = plan.targets.filter { !gated.contains($0.identity) }
        let rows = try await rows(besides: plan, event: event, reader).filter { row in
            row.gate != nil && open.contains { isPlace(row, of: $0) }
        }
        let marks = try await marks(of: rows, reader)
        return counted(rows.filter { waits($0, marks) })
    }

    private static func rows(
        besides plan: Plan, event: String?, _ reader: any LedgerReader
    ) async throws(IngestError) -> [DeliveryRow] {
        let own = Set(plan.targets.map(\.identity))
        return try await reader.queue([.pending, .held]).map(\.delivery).filter { row in
            !row.isUnassigned && row.event != event && !own.contains(row.target)
                && plan.targets.contains { isPlace(row, of: $0) }
        }
    }

    /// What is known of the pictures whose marks decide on `rows`, by their digests.
    public static func marks(
        of rows: [DeliveryRow], _ reader: any LedgerReader
    ) async throws(IngestError) -> [String: PictureMark] {
        try await reader.marks(of: Set(rows.compactMap(\.gate?.sha256)).sorted())
    }

    private static func waits(_ row: DeliveryRow, _ marks: [String: PictureMark]) -> Bool {
        guard let gate = row.gate, case .waits = gate.decision(on: marks[gate.sha256] ?? PictureMark()) else {
            return false
        }
        return true
    }

    private static func counted(_ rows: [DeliveryRow]) -> [EarlierDeliveries] {
        var counts: [EarlierDeliveries: Int] = [:]
        for row in rows {
            counts[EarlierDeliveries(event: row.event, target: row.targetName, count: 0), default: 0] += 1
        }
        return counts.map { EarlierDeliveries(event: $0.event, target: $0.target, count: $1) }.sorted {
            ($0.event ?? "", $0.target) < ($1.event ?? "", $1.target)
        }
    }

    /// Whether it waits for what the target is for another event: of its name and module, whatever an event's id makes
    /// of the address.
    private static func isPlace(_ row: DeliveryRow, of target: PlannedTarget) -> Bool {
        row.targetName == target.name && module(row.target) == module(target.identity)
    }

    private static func module(_ identity: String) -> Substring { identity.prefix { $0 != ":" } }
}

extension RunOutcome {
    /// With what waits for other events beside a run's `plan`; the same where that is nil.
    ///
    /// A ledger that cannot be read is one more trouble of the run: what it did is still told.
    public func beside(_ plan: Plan?, _ event: String?, _ reader: any LedgerReader) async -> RunOutcome {
        guard let plan else { return self }
        var outcome = self
        do throws(IngestError) {
            outcome.earlier = try await EarlierDeliveries.waiting(besides: plan, event: event, reader)
        } catch { outcome.troubles.append(error) }
        return outcome
    }
}
