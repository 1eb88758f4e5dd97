import CLinux
public import FilmgateCore
public import Glibc

extension ProgramStart {
    /// The program gets standard input, output and error, and no other open file; to be said after all other actions.
    ///
    /// What a library here opened without close-on-exec is none of its business, and would stay open for as long as it runs.
    public static func inheritStreamsOnly(_ actions: inout posix_spawn_file_actions_t) { _ = fg_inherit_streams_only(&actions) }
}
