import FilmgateCore
import FilmgateEngine

/// What a person may do about the problems of a card, beside what `FormatReport` says of the most frequent ones.
struct RemedyAdvice {
    let remedies: [ProofRemedy]

    /// A line for each remedy, in the order of the card.
    var lines: [String] {
        var told: Set<ProofRemedy> = []
        return remedies.filter { told.insert($0).inserted }.compactMap(Self.line)
    }

    /// Nil for those that the report has words of its own for.
    private static func line(_ remedy: ProofRemedy) -> String? {
        switch remedy {
        case .ingest, .deliver, .deliverAnew, .sayHowToAsk, .nameTheKind, .mark, .orderAgain, .allowFiltered,
            .copyElsewhere, .copyToDisk:
            nil
        case .allowSameDevice:
            "`--allow same-device` if this is a dump that lies on the disk of its copies. For a card, a copy on another disk counts: "
                + "`filmgate import CARD --to FOLDER`, and ask without a pipeline."
        case .finish:
            "`filmgate import CARD`, with the options of its other imports, goes on with what was not finished."
        case .readAgain:
            "`filmgate import --again CARD`, with the options of its other imports, reads once more what was misread or set aside."
        case .askTarget:
            "`filmgate safe-to-format CARD --pipeline FILE`, with the pipeline that delivered there, asks the targets that did not confirm what they took."
        case .nameTarget:
            "A target is asked by the pipeline that delivered there: name that one. Where its copies count no more, "
                + "`filmgate import --again CARD --pipeline FILE` orders the card at the targets that count now."
        case .assign: "`filmgate assign EVENT` sends what waits for its event."
        case .copyToFolder:
            "`filmgate import CARD --to FOLDER`, with a folder on another disk, takes the files as the camera wrote them."
        case .nameAsPicture:
            "Nobody has a picture that is called like junk: rename it (`mv`) to what it is, and `filmgate import --again CARD` takes it."
        case .letLook:
            "Ask again as somebody who may look into everything: `sudo filmgate safe-to-format CARD --state DIR`, with your state directory."
        case .readElsewhere:
            "What cannot be read here may be readable in another reader or computer, and `filmgate import CARD` takes it then: try that before you format."
        case .waitForWriters: "Ask again once nothing writes to the card any more."
        case .unmount(let path):
            "`umount '\(Describe.name(path))'` shows what the card itself has there; then ask again."
        case .nameWhole(let path):
            "`filmgate safe-to-format '\(Describe.name(path))'` asks about the whole card."
        case .copyUnreadable:
            "Ask again once the copy can be read; `filmgate import CARD --to FOLDER`, with a folder on another disk, makes one that can."
        case .hearTarget(let words):
            "\(Describe.name(words)) Or deliver to a folder in its place (`filmgate import CARD --to FOLDER`), and ask without that pipeline."
        case .said(let words): Describe.name(words)
        }
    }
}
