//! Plugins in processes of their own: the host starts itself again as a worker, which restricts itself, loads one
//! dylib, and answers calls over two pipes.
//!
//! Invariant: a worker has nothing but its two pipes. It reads no file but the dylib and the loader's libraries, and none
//! once they are loaded; it starts no thread or process, and it ends with the host. The host takes everything that a
//! worker sends for hostile.

pub(crate) mod call;
pub(crate) mod client;
mod connection;
#[cfg(feature = "fuzzing")]
pub(crate) mod fuzzing;
mod message;
mod process;
pub(crate) mod sandbox;
pub(crate) mod spawner;

pub use self::process::main;
