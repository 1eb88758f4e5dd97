import FilmgateCore
import HTTPTypes

extension StudioAPI {
    /// A route that begins a job and answers at once.
    func command(
        _ id: String, _ path: String, _ summary: String, _ fields: [Route.Field], parameters: [Route.Parameter] = [],
        takesSelection: Bool = false, _ order: @escaping @Sendable (Call) async throws -> Job.Order
    ) -> Route {
        Route(
            method: .post, path: path, need: .role(.operate), id: id, summary: summary, parameters: parameters,
            fields: fields, takesBody: true, takesSelection: takesSelection,
            answer: .init(
                status: 202, help: "The job that does it; with the same Idempotency-Key it is the same job.",
                shape: "Job")
        ) { call in try begin(try await order(call), call).answer }
    }

    func begin(_ order: Job.Order, _ call: Call, whenEnded: (@Sendable (Job) -> Void)? = nil) throws(StudioError) -> (
        job: Job, isNew: Bool, answer: Answer
    ) {
        guard let grant = call.grant else { throw .noSession }
        if let key = call.idempotencyKey, key.isEmpty || key.utf8.count > 128 {
            throw .usage("Idempotency-Key has 1 to 128 bytes.")
        }
        do throws(JobList.Refusal) {
            let begun = try jobs.begin(order, by: grant.id, key: call.idempotencyKey, whenEnded: whenEnded)
            if begun.isNew {
                access.note("studio: \(grant.id) as \(grant.role.rawValue) asked for \(order.verb) \(order.about)")
            }
            return (begun.job, begun.isNew, .json(begun.job.object.finished, .accepted))
        } catch {
            switch error {
            case .tooMany: throw .manyJobs
            case .isRunning(let id):
                throw StudioError(
                    .conflict, "busy", "The same is being done just now.",
                    advice: "/api/v1/jobs/\(id) tells how far it is.")
            case .mustWait(let id):
                let what = jobs.job(id).map { [$0.order.verb, $0.order.about].filter { !$0.isEmpty } } ?? []
                throw StudioError(
                    .conflict, "otherJob",
                    "`\(what.joined(separator: " "))` is under way, and this cannot be done beside it.",
                    advice: "Ask again when it has ended: /api/v1/jobs/\(id) tells how far it is.")
            case .otherOrder:
                throw StudioError(.conflict, "otherRequest", "This Idempotency-Key was used for another request.")
            }
        }
    }

    func neededPipeline() throws(StudioError) -> String {
        guard let pipeline else {
            throw StudioError(
                .conflict, "misconfigured", "This page was started without a pipeline.",
                advice: "Start it with the one to use: `filmgate studio wedding.yaml`.")
        }
        return pipeline
    }
}

extension StudioError {
    static let manyJobs = StudioError(
        .tooManyRequests, "rateLimited", "\(JobList.mostRunning) jobs run already.",
        advice: "Wait for one of them to end.")
}
