import FilmgateCore
import HTTPKit

/// One child that has said hello, and what it has been told.
// A crew lends it to one caller at a time.
final class Worker: @unchecked Sendable {
    let dialogue: Dialogue
    /// Which secrets it has been given; 0 = none.
    var secrets = 0
    var isPrepared = false
    /// It has been asked and has not answered yet.
    private(set) var isBusy = false
    private var last: Int64 = 0
    /// When what it was asked has to be answered, where that moves no files.
    private var due: ContinuousClock.Instant?
    private let silence: Duration

    /// How long a child may take for its first words and for its options.
    static let greeting = Duration.seconds(15)

    init(_ dialogue: Dialogue, silence: Duration) { (self.dialogue, self.silence) = (dialogue, silence) }

    /// What an asker wants beside the answer.
    struct Ear {
        var side: Dialogue.Side?
        /// Called with each `entry` on the way.
        var entry: (JSONValue) throws(IngestError) -> Void = { (_) throws(IngestError) in }
    }

    func begin(_ request: Request) {
        last += 1
        isBusy = true
        due = request.isBrief ? .now + max(silence, Self.greeting) : nil
        dialogue.send(request.line(last))
    }

    func reply(_ answer: JSONValue) { dialogue.send(.object(["id": .integer(last), "answer": answer])) }

    /// Listens until the request that was begun is answered.
    ///
    /// Blocks.
    ///
    /// What `ear` throws ends the child, which would go on talking about it.
    func hear(_ stop: StopSign, within patience: Duration? = nil, _ ear: Ear = Ear()) throws(IngestError) -> Answer {
        while true {
            let line: JSONValue
            do throws(IngestError) {
                line = try dialogue.receive(within: patience ?? silence, stop, beside: ear.side)
                guard line["id"]?.whole == last else { throw dialogue.over("answered a request that was not made", patience: 0) }
                if let entry = line["entry"] {
                    try ear.entry(entry)
                    continue
                }
            } catch {
                dialogue.end(patience: 0)
                throw error
            }
            if line["progress"] != nil {
                if let due, ContinuousClock.now > due { throw dialogue.over("went on without an answer", patience: 0) }
                Motion.current?.note()
                continue
            }
            if let value = line["ask"] { return .question(value) }
            isBusy = false
            if let value = line["done"] { return .done(value) }
            if let value = line["failed"] { return .failed(Reported.failure(value, name: dialogue.name)) }
            if line["unsupported"] != nil { return .unsupported }
            throw dialogue.over("sent an answer that is not known", patience: 0)
        }
    }
}
