//! The program `portolan`. All of its code is in the library, so that fuzz targets can use it.

use std::process::ExitCode;

fn main() -> ExitCode {
    portolan::run()
}
