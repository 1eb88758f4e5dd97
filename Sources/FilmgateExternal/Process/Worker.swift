import FilmgateCore
import HTTPKit

/// One child that has said hello, and what it has been told.
// A pool lends it to one caller at a time.
final class Worker: @unchecked Sendable {
    let channel: LineChannel
    /// Which secrets it has been given; 0 = none.
    var secrets = 0
    var isPrepared = false
    /// It has been asked and has not answered yet.
    private(set) var isBusy = false
    private var last: Int64 = 0
    /// When what it was asked has to be answered, where that moves no files.
    private var due: ContinuousClock.Instant?
    /// Questions of its own before it answered, and when the last one came.
    private var questions = 0, asked: ContinuousClock.Instant?
    private let silence: Duration, answers: Duration, mostQuestions: Int

    /// How long a child may take for its first words and for its options.
    static let greeting = Duration.seconds(15)

    /// `answers`: how long it may look for the answer to a question; `mostQuestions`: how often it may ask for one
    /// request.
    init(
        _ channel: LineChannel, silence: Duration, answers: Duration = .seconds(600), mostQuestions: Int = 100_000
    ) {
        (self.channel, self.silence, self.answers, self.mostQuestions) = (channel, silence, answers, mostQuestions)
    }

    /// What an asker wants beside the answer.
    struct Listener {
        var side: LineChannel.Side?
        /// Called with each `entry` on the way.
        var entry: (JSONValue) throws(IngestError) -> Void = { (_) throws(IngestError) in }
    }

    func begin(_ request: Request) {
        last += 1
        isBusy = true
        due = request.longest(silence, answers: answers).map { .now + $0 }
        (questions, asked) = (0, nil)
        channel.send(request.line(last))
    }

    /// Answers its question.
    func reply(_ answer: JSONValue) {
        // A sign-in may wait for a person: that is not the child's time.
        if let asked { due = due.map { $0 + (ContinuousClock.now - asked) } }
        channel.send(.object(["id": .integer(last), "answer": answer]))
    }

    /// Listens until the request that was begun is answered.
    ///
    /// Blocks.
    ///
    /// What `listener` throws ends the child, which would go on talking about it.
    func hear(_ stop: StopFlag, within patience: Duration? = nil, _ listener: Listener = Listener()) throws(IngestError)
        -> Answer
    {
        while true {
            let line: JSONValue
            do throws(IngestError) {
                line = try channel.receive(within: patience ?? silence, stop, beside: listener.side)
                guard line["id"]?.whole == last else {
                    throw channel.over("answered a request that was not made", patience: 0)
                }
                if let entry = line["entry"] {
                    try listener.entry(entry)
                    continue
                }
            } catch {
                channel.end(patience: 0)
                throw error
            }
            let question = line["ask"]
            if question != nil || line["progress"] != nil, let due, ContinuousClock.now > due {
                throw channel.over("went on without an answer", patience: 0)
            }
            if line["progress"] != nil {
                ProgressSignal.current?.note()
                continue
            }
            if let question {
                (questions, asked) = (questions + 1, .now)
                guard questions <= mostQuestions else { throw channel.over("asked without end", patience: 0) }
                return .question(question)
            }
            isBusy = false
            if let value = line["done"] { return .done(value) }
            if let value = line["failed"] { return .failed(Reported.failure(value, name: channel.name)) }
            if line["unsupported"] != nil { return .unsupported }
            throw channel.over("sent an answer that is not known", patience: 0)
        }
    }
}
