//! A constructor: code that runs when the dylib is loaded, before the host has called anything.
//!
//! It does nothing as it is built; tests exchange the text that names its deed.

use std::hint::black_box;
use std::process::{abort, exit};
use std::thread;

/// The name of the deed, after the colon; spaces fill the rest.
static DEED: &str = "at load:nothing                 ";

#[used]
#[expect(unsafe_code, reason = "the section that the loader calls the functions of")]
// SAFETY: the loader calls each function of the section once, without arguments that this one reads.
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = at_load;

extern "C" fn at_load() {
    match black_box(DEED).split(':').nth(1).unwrap_or_default().trim_end() {
        "aborts" => abort(),
        "exits" => exit(0),
        // The probe is named in its command line, as is every worker.
        "blocks the host" if std::env::args().nth(1).is_none_or(|command| command == "serve") => thread::park(),
        "sleeps" => thread::park(),
        "spins" => while black_box(true) {},
        "allocates" => {
            let mut kept = Vec::new();
            while black_box(true) {
                kept.push(black_box(vec![1_u8; 1 << 20]));
            }
        }
        "speaks" => drop(std::fs::write("/proc/self/fd/0", [0xff; 64])),
        _ => {}
    }
}
