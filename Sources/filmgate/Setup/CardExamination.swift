import CardSource
import FilmgateCore
import FilmgateEngine
import Logging

/// Looks at every entry of a card, a few at a time, and keeps what was found in card order.
struct CardExamination {
    let path: String
    let logger: Logger

    func run(_ proof: CardProof) async throws(IngestError) -> FormatReport {
        var config = CardSource.Config()
        config.paths = [path]
        let card = try CardSource(config, ModuleContext(name: "card", logger: logger, state: ""))
        var report = FormatReport()
        for place in try await card.places() {
            let session = try await card.open(place)
            let entries = try await session.entries()
            let findings = await Result { () async throws(IngestError) in try await examine(entries, session, proof) }
            await session.close()
            for finding in try findings.get() { report.add(finding) }
        }
        return report
    }

    private func examine(_ entries: [SourceEntry], _ session: any SourceSession, _ proof: CardProof) async throws(IngestError) -> [CardProof
        .Finding]
    {
        typealias Answer = (Int, Result<CardProof.Finding, IngestError>)
        let answers = await withTaskGroup(of: Answer.self) { group in
            var all: [Answer] = [], next = 0
            func begin() {
                guard next < entries.count else { return }
                let index = next, entry = entries[next]
                next += 1
                group.addTask {
                    (
                        index,
                        await Result { () async throws(IngestError) in try await proof.examine(entry, at: session.localPath(entry.origin)) }
                    )
                }
            }
            for _ in 0..<3 { begin() }
            while let answer = await group.next() {
                all.append(answer)
                begin()
            }
            return all.sorted { $0.0 < $1.0 }
        }
        var findings: [CardProof.Finding] = []
        for (_, answer) in answers { findings.append(try answer.get()) }
        return findings
    }
}
