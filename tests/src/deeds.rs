//! What the plugin `portolan-hostile` does to end the process that it runs in, for tests and benchmarks.

/// Its dylib.
pub const DYLIB: &str = "libportolan_hostile.so";

/// The account for which it does so.
pub const ACCOUNT: &str = "0x00000000000000000000000000000000000bad00";

/// What ends a worker: the protocol, with the reason of its answer and a part of the detail.
pub const FATAL: [(&str, &str, &str); 8] = [
    ("ends_the_process", "crashed", "signal: 6"),
    ("exits", "crashed", "exit status: 0"),
    ("overflows_the_stack", "crashed", "signal: "),
    ("writes_nowhere", "crashed", "signal: 11"),
    ("allocates_without_end", "crashed", "signal: 6"),
    ("computes_for_ever", "timeout", "did not return in time"),
    ("speaks_unasked", "crashed", "sent a message of "),
    ("aborts_in_a_drop", "crashed", "signal: 6"),
];

/// What its constructor does, each with a part of the reason why the build is refused.
pub const CONSTRUCTORS: [(&str, &str); 5] = [
    ("aborts", "signal: 6"),
    ("exits", "exit status: 0"),
    ("sleeps", "did not return in time"),
    ("spins", "did not return in time"),
    ("allocates", "signal: 6"),
];

/// The text in the dylib that a constructor's deed takes the place of, and the text with that deed.
pub fn at_load(deed: &str) -> [String; 2] {
    ["nothing", deed].map(|deed| format!("at load:{deed:<24}"))
}
