import FilmgateCore
import HTTPKit

extension HTTPOptions {
    /// The request that carries a file.
    func exchange(for job: UploadJob) -> HTTPExchange {
        let values = TemplateValues(job)
        var request = HTTPRequest(verb.rawValue, url.address(path: job.path, values))
        for (name, template) in headers.sorted(by: { $0.key < $1.key }) {
            request.set(name, HeaderText.clean(template.rendered(with: values) { $0 }))
        }
        for header in sendDigest.compactMap({ $0.header(job.digests) }) { request.set(header.name, header.value) }
        if forbidsOverwriting { request.set("If-None-Match", "*") }
        return HTTPExchange(request, body: body(of: job, values))
    }

    private func body(of job: UploadJob, _ values: TemplateValues) -> HTTPBody {
        let slice = job.slice
        let type = MediaType.of(fileName: job.name)
        guard style == .multipart else { return .file(slice, type: type) }
        var form = Multipart()
        for (name, template) in fields.sorted(by: { $0.key < $1.key }) {
            form.add(name, template.rendered(with: values) { $0 })
        }
        form.add(fileField, file: slice, fileName: job.deliveredName, type: type)
        return form.body
    }
}

extension UploadJob {
    /// The last part of the name that the engine chose; the original name where the target has no names of its own.
    var deliveredName: String { path.split(separator: "/").last.map(String.init) ?? name }
}

extension TemplateValues {
    /// The engine's values with the digests added.
    init(_ job: UploadJob) {
        self = job.values
        add(job.digests)
        if text["name"] == nil { text["name"] = job.name }
        if text["size"] == nil { text["size"] = String(job.file.size) }
    }

    init(digests: Digests) {
        self.init()
        add(digests)
    }

    /// The same question about other bytes.
    func asking(for digests: Digests) -> TemplateValues {
        var values = self
        values.add(digests)
        return values
    }

    private mutating func add(_ digests: Digests) {
        for algorithm in DigestAlgorithm.allCases {
            if let digest = digests[algorithm] { text[algorithm.rawValue] = digest }
        }
    }
}
