/// The ways in which people and cameras write a model: with and without its make.
///
/// Many bodies begin their model with their make (`Acme X100` of `Acme Corporation`), others do not; a person may write
/// either.
public enum ModelSpellings {
    /// `model` as it is, without its make and with it.
    public static func all(make: String?, model: String) -> [String] {
        guard let make, let word = make.split(whereSeparator: \.isWhitespace).first else { return [model] }
        var names = [model]
        for prefix in [make[...], word] {
            guard model.count > prefix.count + 1, model.lowercased().hasPrefix(prefix.lowercased() + " ") else {
                continue
            }
            names.append(String(model.dropFirst(prefix.count).drop(while: \.isWhitespace)))
        }
        if names.count == 1 { names += [word + " " + model, make + " " + model] }
        return names
    }

    /// Make and model as a person says them, the make once.
    public static func shown(make: String?, model: String) -> String {
        guard let make, let word = make.split(whereSeparator: \.isWhitespace).first,
            !model.lowercased().hasPrefix(word.lowercased())
        else { return model }
        return make + " " + model
    }
}
