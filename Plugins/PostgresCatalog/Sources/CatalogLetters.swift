import FilmgateCore

/// How the tables write what the program has as values: one letter each, and numbers for volumes and files.
enum CatalogLetters {
    /// 64 bits of its digest: cards are asked for by it, and whole files decide.
    static func number(of volume: String) -> Int64 {
        Int64(bitPattern: Digits.sha256(volume).prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
    }

    /// 128 bits of its digest.
    static func number(of file: AssetID) -> [UInt8] { Array(Digits.sha256(file.rawValue).prefix(16)) }

    static func letter(of ending: Ending) -> UInt8 {
        switch ending {
        case .setAside: UInt8(ascii: "s")
        case .pending: UInt8(ascii: "p")
        case .delivered: UInt8(ascii: "d")
        case .duplicate: UInt8(ascii: "u")
        case .alreadySeen: UInt8(ascii: "a")
        case .filtered: UInt8(ascii: "f")
        }
    }

    static func letter(of state: DeliveryFact.State) -> UInt8 {
        switch state {
        case .done: UInt8(ascii: "d")
        case .removed: UInt8(ascii: "r")
        case .withdrawn: UInt8(ascii: "w")
        }
    }

    static func letter(of proof: Receipt.Proof) -> UInt8 {
        switch proof {
        case .reread: UInt8(ascii: "r")
        case .server: UInt8(ascii: "s")
        case .size: UInt8(ascii: "z")
        case .none, .found, .hearsay: UInt8(ascii: "n")
        }
    }

    /// What a later version may say beside these is a claim that nobody can judge.
    static func state(_ letter: String) -> CatalogCopy.State {
        switch letter {
        case "s": .seen
        case "d": .done
        case "r": .removed
        case "c": .claimed
        default: .unsure
        }
    }

    static func ending(_ letter: String?) -> Ending? {
        Ending.allCases.first { Character(UnicodeScalar(Self.letter(of: $0))) == letter?.first }
    }

    static func proof(_ letter: String) -> Receipt.Proof? {
        [Receipt.Proof.reread, .server, .size, .none].first {
            Character(UnicodeScalar(Self.letter(of: $0))) == letter.first
        }
    }

    /// As `claim_v3` reads it.
    static func rights(_ wish: ClaimWish) -> Int16 {
        let flags = [
            wish.canBeSettled, wish.canBeAsked, wish.again, wish.anyway, wish.isKnown, wish.insists,
        ]
        var sum: Int16 = 0
        for (place, isSet) in flags.enumerated() where isSet { sum |= 1 << Int16(place) }
        return sum
    }

    /// A word that this program does not know is never read as free.
    static func answer(
        _ verdict: String?, by holder: String, _ receipt: String?, isOwn: Bool, at: Int64? = nil
    ) -> ClaimAnswer {
        switch verdict {
        case "y": .granted
        case "t": .takenOver
        case "c": .held(by: holder, since: at)
        case "d": .done(by: holder, receipt: receipt, isOwn: isOwn)
        case "u": .unsure(by: holder, isOwn: isOwn, at: at)
        case "r": .removed(by: holder, isOwn: isOwn)
        default: .undecided
        }
    }
}
