import FilmgateCore
import HTTPTypes

/// What was asked for, and how far it is.
struct JobRoutes: Sendable {
    let api: StudioAPI
    private static let id = Route.Parameter(
        name: "id", kind: .text(longest: 32), help: "As `jobs` names it.", isInPath: true)

    var all: [Route] {
        [
            Route(
                method: .get, path: "/api/v1/jobs", need: .role(.operate), id: "jobs",
                summary: "What was asked for on this page within a day, newest first.",
                answer: .init(status: 200, help: "The jobs.", shape: "Jobs")
            ) { _ in
                var object = JSONWriter()
                object.add("type", "jobs")
                object.add("jobs", objects: api.jobs.all.map(\.object))
                return .json(object.finished)
            },
            Route(
                method: .get, path: "/api/v1/jobs/{id}", need: .role(.operate), id: "job",
                summary: "A job and what it said.", parameters: [Self.id],
                answer: .init(
                    status: 200, help: "The job; `result` is the last object of its command.", shape: "JobDetails")
            ) { call in .json(try job(call).details.serialized) },
            Route(
                method: .delete, path: "/api/v1/jobs/{id}", need: .role(.operate), id: "jobStop",
                summary: "Let a job finish what is in flight and end; again: end it at once.", parameters: [Self.id],
                answer: .init(status: 202, help: "The job, which ends soon.", shape: "Job")
            ) { call in
                let job = try job(call)
                guard api.jobs.stop(job.id) else {
                    throw StudioError(
                        .conflict, "over", "This job has ended already.", advice: "/api/v1/jobs/\(job.id) tells how.")
                }
                return .json(job.object.finished, .accepted)
            },
        ]
    }

    private func job(_ call: Call) throws(StudioError) -> Job {
        guard let job = api.jobs.job(call.values["id"] ?? "") else {
            throw StudioError(
                .notFound, "notFound", "There is no such job.",
                advice: "Jobs are kept for a day, and until the page is stopped.")
        }
        return job
    }
}
