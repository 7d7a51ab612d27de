//! The functions that claims may call, and what may stand in their arguments.
//!
//! A claim is signed by people who trust that it only pays them, so a plugin cannot name any function it likes: it must
//! be one of [`ClaimFunctions`], a table that lists what each argument may be, with the code where that was read. The
//! gateway and the tests of plugins ask the same table, and refuse with the same sentence.

mod functions;
mod template;
mod word;

pub use self::functions::{ClaimFunctions, ClaimFunctionsError, FILE_NAME};
pub use self::template::{ARGUMENTS_BYTES_MAX, Template, TemplateError};
