import FilmgateCore
import FilmgateTesting
import HTTPKit
import Testing

@testable import FilmgateExternal

@Suite struct ReceiptTests {
    /// A path at a module's own place is no file of this machine: read here, another file of that name would prove a
    /// copy.
    @Test func aPathIsTheModulesOwn() throws {
        let sample = try SampleJob()
        let told = JSONValue.object(["path": .string("/etc/hostname"), "verified": .string("none")])
        let receipt = try AssetText.receipt(told, for: sample.job(), "shelf")
        #expect(receipt.path == nil && receipt.id == "path:/etc/hostname")
        #expect(AssetText.json(receipt)["path"]?.text == "/etc/hostname" && AssetText.json(receipt)["id"]?.text == nil)
    }

    @Test func aPathComesBackWithAllItsSpaces() throws {
        let sample = try SampleJob(), path = "Bride  &  Groom/IMG_1.JPG"
        let receipt = try AssetText.receipt(.object(["path": .string(path)]), for: sample.job(), "shelf")
        #expect(AssetText.json(receipt)["path"]?.text == path)
    }

    @Test func anIdIsKeptAsItIs() throws {
        let sample = try SampleJob(), told = JSONValue.object(["path": .string("a.jpg"), "id": .string("7")])
        let receipt = try AssetText.receipt(told, for: sample.job(), "shelf")
        #expect(receipt.path == nil && receipt.id == "7")
        #expect(AssetText.json(receipt)["path"]?.text == nil && AssetText.json(receipt)["id"]?.text == "7")
    }

    /// The module is asked with them: what was cut or joined would name nothing there.
    @Test func anIdAndAnAddressComeBackAsTheyWere() throws {
        let sample = try SampleJob(), id = " Bride  &  Groom ",
            url = "https://far.example/" + String(repeating: "a", count: 900)
        let told = JSONValue.object(["id": .string(id), "url": .string(url)])
        let back = AssetText.json(try AssetText.receipt(told, for: sample.job(), "shelf"))
        #expect(back["id"]?.text == id && back["url"]?.text == url)
    }

    @Test(arguments: ["id", "url", "path"], ["a\u{1B}[2J", String(repeating: "a", count: 5000)])
    func whatCannotBeKeptIsRefused(_ name: String, _ text: String) throws {
        let sample = try SampleJob()
        var told: JSONObject = [:]
        told[name] = .string(text)
        do throws(IngestError) {
            _ = try AssetText.receipt(.object(told), for: sample.job(), "shelf")
            Issue.record("It was kept.")
        } catch { #expect(error.code == .rejected) }
    }

    /// That the far side said yes and named no digest is one thing, that it named it another; neither without the digest.
    @Test(arguments: [("found", Receipt.Proof.found), ("server", .server), ("size", .size)])
    func howItIsProvenIsTheModulesWord(_ word: String, _ proof: Receipt.Proof) throws {
        let sample = try SampleJob()
        var told: JSONObject = ["id": .string("7"), "verified": .string(word)]
        let bare = try AssetText.receipt(.object(told), for: sample.job(), "shelf")
        #expect(bare.verified == (proof == .size ? .size : .none))
        told["sha256"] = .string(sample.job().digests.sha256)
        #expect(try AssetText.receipt(.object(told), for: sample.job(), "shelf").verified == proof)
    }

    @Test func aReceiptThatSaysNothingIsNone() throws {
        let sample = try SampleJob()
        #expect(throws: IngestError.self) {
            try AssetText.receipt(.object(["path": .string("")]), for: sample.job(), "shelf")
        }
    }

    /// Without a layout nobody has looked for a free name; the camera's is what there is.
    @Test func aJobAlwaysHasAName() throws {
        let sample = try SampleJob()
        #expect(AssetText.json(sample.job("IMG_7.JPG", path: ""))["path"]?.text == "IMG_7.JPG")
        #expect(AssetText.json(sample.job("IMG_7.JPG", path: "a/b.jpg"))["path"]?.text == "a/b.jpg")
    }
}
