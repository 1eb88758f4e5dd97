import FilmgateCore
import FilmgateEngine
import FilmgateLedger
import Testing

@testable import filmgate

/// What `status --watch` draws, at the widths that people have.
@Suite struct StatusScreenTests {
    private func lines(_ snapshot: StatusSnapshot, width: Int = 80, height: Int = 24) -> [String] {
        let lines = StatusScreen(snapshot: snapshot, width: width, height: height, now: 1_700_000_000).lines.map(\.text)
        for line in lines { #expect(TextWidth.of(line) <= width, "\(line)") }
        return lines
    }

    @Test(arguments: [60, 80, 100]) func framesOfOneEventAreToldApart(_ width: Int) {
        var snapshot = StatusSnapshot()
        let names = (1...5).map { "Bräutigam und Braut vor der Kirche 2026-11-21 00\($0).CR3" }
        snapshot.frames = names.map {
            StatusSnapshot.Frame(at: 1_700_000_000_000_000_000, name: $0, camera: "Canon EOS R6m2", done: ["archive"])
        }
        let shown = lines(snapshot, width: width).filter { $0.contains("…") || $0.contains("Braut") }
        #expect(Set(shown).count == 5)
        for number in 1...5 { #expect(shown.contains { $0.contains("00\(number).CR3") && $0.contains("archive") }) }
    }

    /// Cut only as far as there is no room.
    @Test func aNameThatFitsIsWhole() {
        var snapshot = StatusSnapshot()
        let name = "Bräutigam und Braut vor der Kirche.CR3"
        snapshot.frames = [StatusSnapshot.Frame(at: 0, name: name, camera: nil, done: ["archive"])]
        #expect(lines(snapshot, width: 100).contains { $0.contains(name) })
    }

    @Test func newsOfACameraIsWholeAndNamesItOnce() {
        var snapshot = StatusSnapshot()
        let name = "Canon EOS R6m2 (12345678)"
        snapshot.sources = [
            StatusSnapshot.Source(
                name: name, isUp: false,
                words: name + ": The camera is gone: it was switched off or its cable was pulled out.")
        ]
        let all = lines(snapshot).joined(separator: " ")
        #expect(all.ranges(of: name).count == 1, "\(all)")
        for word in "The camera is gone: it was switched off or its cable was pulled out.".split(separator: " ") {
            #expect(all.contains(word))
        }
    }

    /// Many sources with much to say leave room for the targets.
    @Test func targetsAreSeenBelowTalkativeSources() {
        var snapshot = StatusSnapshot()
        let notes = (1...4).map { "photographer \($0) pushed last at 14:03:05" }
        snapshot.sources = (1...4).map {
            StatusSnapshot.Source(name: "ftp \($0)", condition: DeviceCondition(notes: notes))
        }
        snapshot.targets = [StatusSnapshot.Target(name: "archive", done: 3)]
        let all = lines(snapshot)
        #expect(all.contains { $0.contains("archive") })
        let words = all.joined(separator: " ").split(separator: " ").joined(separator: " ")
        #expect(words.contains("photographer 4 pushed last at 14:03:05"))
    }

    @Test func whatSourcesTellAndTheRoomOfTargetsAreShown() {
        var snapshot = StatusSnapshot()
        snapshot.sources = [
            StatusSnapshot.Source(
                name: "hot", condition: DeviceCondition(notes: ["waits for half.JPG (it ends early)"]))
        ]
        snapshot.targets = [StatusSnapshot.Target(name: "archive", done: 3, free: 12_000_000_000)]
        let all = lines(snapshot).joined(separator: "\n")
        #expect(all.contains("waits for half.JPG (it ends early)"))
        #expect(all.contains("\(Describe.bytes(12_000_000_000)) free"))
    }

    /// Who watches from elsewhere is told what the screen shows: room on the cards, and how fast it goes.
    @Test func theLineHasRoomAndRate() throws {
        let room = DeviceCondition.Storage(free: 61, capacity: 64)
        var snapshot = StatusSnapshot()
        snapshot.perMinute = 41
        snapshot.sources = [
            StatusSnapshot.Source(name: "Z 9", condition: DeviceCondition(battery: 82, storages: [room]))
        ]
        let line = try #require(JSONValue(Array(StatusLine.json(snapshot).utf8)))
        let told = line["sources"]?.items?.first?["storages"]?.items?.first
        #expect(line["per_minute"]?.whole == 41 && told?["free"]?.whole == 61 && told?["capacity"]?.whole == 64)
    }

    /// From the run to whoever watches it; an alarm is among what needs a person.
    @Test func alarmsComeOverTheControlSocket() async throws {
        var state = LiveStatus.State()
        state.sources["ftp"] = StatusSnapshot.Source(
            name: "ftp",
            condition: DeviceCondition(notes: ["ann pushed last at 14:03:05"], alarms: ["Somebody may be guessing."]),
            module: "ftp")
        let again = try #require(LiveStatus.State(line: state.json.finished))
        var reader = StatusReader(open: { () throws(IngestError) in EmptyLedger() }, live: { again })
        let snapshot = try await reader.read()
        #expect(snapshot.sources.first?.condition.notes == ["ann pushed last at 14:03:05"])
        #expect(snapshot.sources.first?.module == "ftp")
        #expect(lines(snapshot).contains { $0.contains("Somebody may be guessing.") })
        #expect(StatusLine.human(snapshot).contains("Somebody may be guessing."))
    }

    @Test(arguments: ["IMG_0001.CR3", "日本語のとても長い名前の写真.CR3", "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}.JPG"], 1...30)
    func cutNamesKeepTheirBeginningAndEnd(_ name: String, _ width: Int) {
        let cut = TextWidth.fitMiddle(name, width)
        #expect(TextWidth.of(cut) <= width)
        guard TextWidth.of(name) > width else { return #expect(cut == name) }
        #expect(cut.contains("…"))
        guard width > 10 else { return }
        #expect(cut.hasSuffix(name.hasSuffix("CR3") ? "R3" : "PG"))
        #expect(cut.unicodeScalars.first == name.unicodeScalars.first)
    }
}
