import FilmgateConfig
import FilmgateCore
import FilmgateEngine

@_silgen_name("LLVMFuzzerRunDriver") func drive(
    _ count: UnsafeMutablePointer<CInt>,
    _ values: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ one: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// SwiftPM calls a module's `main` by this name.
@_cdecl("FuzzYAML_main") public func entry(
    _ count: CInt, _ values: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    var count = count, values = values
    return drive(&count, &values) { start, size in
        check(UnsafeRawBufferPointer(start: start, count: size))
        return 0
    }
}

/// Reads, decodes and prints; every answer must keep what the reader promises.
func check(_ bytes: UnsafeRawBufferPointer) {
    let reader = YAMLReader(), text = String(decoding: bytes, as: UTF8.self)
    guard let registry = try? Fake.registry() else { return }
    if let node = try? reader.read(text: text, file: "fuzz.yaml") { checkMarks(node) }
    let loaded = PipelineLoader(registry: registry, reader: reader).load(text: text, file: "fuzz.yaml")
    precondition(
        (loaded.pipeline == nil) == loaded.diagnostics.contains { $0.severity == .error }, "errors and a pipeline")
    let printed = DiagnosticPrinter(texts: loaded.texts).text(loaded.diagnostics)
    precondition(!printed.utf8.contains { $0 < 0x20 && $0 != 0x0A && $0 != 0x09 }, "control character in a diagnostic")
    if let pipeline = loaded.pipeline { _ = pipeline.profiles.resolve(make: text, model: "X", serial: "1", owner: nil) }
}

/// Every node has a place, and no stand-in is left anywhere.
func checkMarks(_ node: ConfigNode) {
    precondition(node.mark.line > 0 && node.mark.column > 0, "a node without a place")
    switch node.value {
    case .null: break
    case .scalar(let text, _):
        precondition(!text.unicodeScalars.contains { $0.value & 0xFFFE == 0xFFFE }, "a stand-in is left")
    case .list(let items): for item in items { checkMarks(item) }
    case .map(let pairs):
        precondition(Set(pairs.map(\.key.name)).count == pairs.count, "a key twice")
        for pair in pairs { checkMarks(pair.value) }
    }
}
