import PTPKit
import Testing

@Suite struct TransactionTests {
    private func machine(data: Bool = true, id: UInt32 = 5) -> Transaction {
        Transaction(id: id, operation: .getObject, expectsData: data)
    }

    @Test func dataThenResponse() throws {
        var machine = machine()
        #expect(try machine.take(.dataBegins(transaction: 5, code: .getObject, total: 3)) == .ignore)
        #expect(try machine.take(.data(transaction: 5, count: 3)) == .deliver)
        #expect(try machine.take(.dataEnds(transaction: 5)) == .ignore)
        #expect(try machine.take(.response(Response(.ok, transaction: 5))) == .finished(Response(.ok, transaction: 5)))
        #expect(machine.received == 3)
    }

    @Test func anErrorMaySkipTheData() throws {
        var machine = machine()
        let response = Response(.invalidObjectHandle, transaction: 5)
        #expect(try machine.take(.response(response)) == .finished(response))
    }

    @Test func okWithoutDataIsAViolation() {
        var machine = machine()
        #expect(throws: PTPError.self) { try machine.take(.response(Response(.ok, transaction: 5))) }
    }

    @Test func moreThanAnnouncedFailsAtOnce() throws {
        var machine = machine()
        _ = try machine.take(.dataBegins(transaction: 5, code: nil, total: 3))
        #expect(throws: PTPError.self) { try machine.take(.data(transaction: 5, count: 4)) }
    }

    @Test func lessThanAnnouncedFailsAtTheEnd() throws {
        var machine = machine()
        _ = try machine.take(.dataBegins(transaction: 5, code: nil, total: 3))
        _ = try machine.take(.data(transaction: 5, count: 2))
        _ = try machine.take(.dataEnds(transaction: 5))
        #expect(throws: PTPError.self) { try machine.take(.response(Response(.ok, transaction: 5))) }
    }

    @Test func anUnknownTotalIsWhatCame() throws {
        var machine = machine()
        _ = try machine.take(.dataBegins(transaction: 5, code: nil, total: nil))
        _ = try machine.take(.data(transaction: 5, count: 2))
        _ = try machine.take(.dataEnds(transaction: 5))
        #expect(try machine.take(.response(Response(.ok, transaction: 5))) == .finished(Response(.ok, transaction: 5)))
    }

    @Test func lateAnswersAreSkippedButNotForever() throws {
        var machine = machine(data: false)
        for _ in 0..<Transaction.strayLimit {
            #expect(try machine.take(.response(Response(.ok, transaction: 4))) == .ignore)
        }
        #expect(throws: PTPError.self) { try machine.take(.response(Response(.ok, transaction: 4))) }
    }

    @Test func lateDataIsSkipped() throws {
        var machine = machine()
        #expect(try machine.take(.data(transaction: 4, count: 9)) == .ignore)
        #expect(try machine.take(.data(transaction: 4, count: 9)) == .ignore)
        #expect(try machine.take(.dataEnds(transaction: 4)) == .ignore)
        #expect(try machine.take(.response(Response(.ok, transaction: 4))) == .ignore)
        #expect(try machine.take(.dataBegins(transaction: 5, code: nil, total: 1)) == .ignore)
        #expect(try machine.take(.data(transaction: 5, count: 1)) == .deliver)
    }

    @Test(arguments: [6, 0xFFFF_FFFF] as [UInt32])
    func answersFromTheFutureAreAViolation(id: UInt32) {
        var machine = machine(data: false)
        #expect(throws: PTPError.self) { try machine.take(.response(Response(.ok, transaction: id))) }
    }

    @Test func closingToleratesAnIdOfZero() throws {
        var machine = Transaction(id: 9, operation: .closeSession, expectsData: false)
        #expect(try machine.take(.response(Response(.ok, transaction: 0))) == .finished(Response(.ok, transaction: 0)))
    }

    @Test func dataOfAnotherOperationIsAViolation() {
        var machine = machine()
        #expect(throws: PTPError.self) { try machine.take(.dataBegins(transaction: 5, code: .getThumb, total: 1)) }
    }

    @Test func idsAreContiguousAndWrapPastTheReservedOnes() {
        var counter = TransactionCounter(last: 0xFFFF_FFFC)
        #expect([counter.next(), counter.next(), counter.next(), counter.next()] == [0xFFFF_FFFD, 0xFFFF_FFFE, 1, 2])
        var wrapped = Transaction(id: 1, operation: .getObject, expectsData: false)
        #expect(throws: Never.self) { try wrapped.take(.response(Response(.ok, transaction: 0xFFFF_FFFE))) }
    }
}
