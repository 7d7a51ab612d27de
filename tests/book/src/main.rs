//! `cargo book`: writes the book to `target/book`. `cargo book FOLDER`: writes it there.

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};

#[expect(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a command line tool prints what it made, or what is wrong"
)]
fn main() -> ExitCode {
    // `cargo book -- FOLDER` hands over the dashes too.
    let args: Vec<String> = env::args().skip(1).filter(|arg| arg != "--").collect();
    let folder = match args.as_slice() {
        [] => beside_the_build(),
        [folder] if !folder.starts_with('-') => Ok(PathBuf::from(folder)),
        _ => {
            eprintln!("usage: cargo book [FOLDER]");
            return ExitCode::from(2);
        }
    };
    let made = folder.and_then(|folder| portolan_book::build(&folder).map(|pages| (folder, pages)));
    match made {
        Ok((folder, pages)) => {
            println!("{} has the book, of {pages} pages", folder.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Returns `<target>/book`. The program is `<target>/<profile>/book`.
fn beside_the_build() -> Result<PathBuf> {
    let program = env::current_exe()?;
    let target = program.ancestors().nth(2).context("the program is in no target folder of cargo")?;
    Ok(target.join("book"))
}
