import FilmgateCore
import FilmgateEngine
import Foundation

/// Asks services that are paid by credits what is left, and writes the answers down.
struct CreditInquiry: Sendable {
    /// A target, or a sign-in that knows it by itself.
    struct Place: Sendable {
        var name: String, signIns: [String]
        var isSignIn = false
        var holder: any CreditHolder
    }
    var places: [Place]
    let state: String
    /// How long one service may take.
    static let patience = Duration.seconds(3)

    var store: CreditStore { CreditStore(state: state) }

    init(_ places: [Place], state: String) { (self.places, self.state) = (places, state) }

    /// Those of a plan that was built of these pipelines.
    init(_ pipelines: [PipelineFile], _ plan: Plan, _ context: CommandContext) {
        self.init([], state: context.state)
        for (name, provider) in plan.signIns {
            guard let holder = provider as? any CreditHolder else { continue }
            places.append(Place(name: name, signIns: [name], isSignIn: true, holder: holder))
        }
        for (name, target) in plan.connections {
            guard let holder = target as? any CreditHolder,
                let use = pipelines.lazy.compactMap({ $0.target(name) }).first
            else { continue }
            let signIns = context.registry.entry(.target, use.module)?.references(use.node).map(\.name) ?? []
            // A target for each event is one account all the same.
            if places.contains(where: { $0.name == name && $0.signIns == signIns }) { continue }
            places.append(Place(name: name, signIns: signIns, holder: holder))
        }
    }

    /// What is left now where somebody answers in time; what a sign-in knows by itself is not asked of its targets.
    func ask() async -> [CreditStore.Entry] {
        let own = await ask(places.filter(\.isSignIn)), known = Set(own.flatMap(\.signIns))
        let heard = own + (await ask(places.filter { !$0.isSignIn && known.isDisjoint(with: $0.signIns) }))
        // Whoever may not write here is told all the same.
        _ = try? store.note(heard)
        return heard
    }

    private func ask(_ some: [Place]) async -> [CreditStore.Entry] {
        await withTaskGroup(of: CreditStore.Entry?.self) { group in
            for place in some { group.addTask { await Self.answer(place) } }
            return await group.reduce(into: []) { heard, one in if let one { heard.append(one) } }
        }
    }

    private static func answer(_ place: Place) async -> CreditStore.Entry? {
        let left = await withTaskGroup(of: CreditBalance?.self) { group in
            group.addTask { (try? await place.holder.credits()) ?? nil }
            group.addTask {
                try? await Task.sleep(for: patience)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        return left.map { left in
            CreditStore.Entry(
                name: place.name, signIns: place.signIns, balance: left.balance, nearestExpiry: left.nearestExpiry,
                heard: left.heard ?? Int(Date().timeIntervalSince1970))
        }
    }
}

/// Keeps what is left known while a run spends it.
struct CreditWatch {
    private let inquiry: CreditInquiry, began = Int(Date().timeIntervalSince1970)
    private let task: Task<Void, Never>?
    private static let interval = Duration.seconds(60)

    init(_ inquiry: CreditInquiry) {
        self.inquiry = inquiry
        task =
            inquiry.places.isEmpty
            ? nil
            : Task {
                while !Task.isCancelled {
                    _ = await inquiry.ask()
                    try? await Task.sleep(for: Self.interval)
                }
            }
    }

    /// Asks a last time, so that what is told afterwards counts what was sent; where nobody answered before, nobody is
    /// waited for.
    func end() async {
        guard let task else { return }
        task.cancel()
        await task.value
        if inquiry.store.all().contains(where: { entry in
            entry.heard >= began && inquiry.places.contains { $0.name == entry.name && $0.signIns == entry.signIns }
        }) {
            _ = await inquiry.ask()
        }
    }
}
