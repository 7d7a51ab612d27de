//! The macros of `portolan-plugin-api`, which re-exports and documents them: a derive of the keys of a settings row, and
//! the rows that a plugin ships with, from files in the format of its settings.

mod from_keys;
mod rows;

use proc_macro::TokenStream;
use syn::Error;

/// Derives `FromKeys`; see the trait.
#[proc_macro_derive(FromKeys, attributes(default))]
pub fn from_keys(input: TokenStream) -> TokenStream {
    let derived = syn::parse(input).and_then(|input| from_keys::expand(&input));
    derived.unwrap_or_else(Error::into_compile_error).into()
}

/// Embeds the rows that a plugin ships with, as a `Rows`.
///
/// The argument is a folder, from the plugin's `Cargo.toml`, with one file for each protocol: `<slug>.toml`, in the format
/// of the settings file. Each row also has a `source`: a URL, or an array of them. If the argument has several lines, it
/// is such a file itself, and may leave out the sources.
///
/// A second argument has the keys that mechanisms read, a list for each mechanism: `rows!("protocols", &[Farm::KEYS])`.
///
/// A file that is no TOML, a key outside the format or the lists, a missing source, an address with a wrong checksum, an
/// address that is twice in a list, and a second row of a protocol, network and market are errors of compilation that
/// name the line. The values of keys are read when the plugin is loaded, by the reader of the settings file;
/// `testing::check_rows` reads them in a test.
#[proc_macro]
pub fn rows(input: TokenStream) -> TokenStream {
    let embedded = syn::parse(input).and_then(|arguments| rows::expand(&arguments));
    embedded.unwrap_or_else(Error::into_compile_error).into()
}
