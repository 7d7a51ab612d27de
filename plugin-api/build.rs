//! Passes the compiler's version and target to the manifest that every plugin carries.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version = Command::new(rustc).arg("--version").output();
    let text = version.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    let number = text.split(' ').nth(1).unwrap_or("unknown");
    println!("cargo::rustc-env=PORTOLAN_RUSTC={number}");
    println!("cargo::rustc-env=PORTOLAN_TARGET={}", std::env::var("TARGET").unwrap_or_else(|_| "unknown".into()));
}
