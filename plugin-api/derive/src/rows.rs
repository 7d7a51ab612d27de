//! The macro `rows!`: finds the files, checks them, and writes them as constants.

mod checksum;
mod document;
mod emit;
mod fault;
mod table;

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Error, LitStr, Token};

use document::{Document, Origin};

/// Name of rows that are written in the source, in errors.
const INLINE: &str = "rows!";

/// The arguments: a folder or a text, and the keys that its rows may have.
pub(crate) struct Arguments {
    rows: LitStr,
    known: Option<TokenStream>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> Result<Self, Error> {
        let rows = input.parse()?;
        input.parse::<Option<Token![,]>>()?;
        // Any expression, which the compiler parses; a comma may follow it.
        let mut known: Vec<TokenTree> = input.parse::<TokenStream>()?.into_iter().collect();
        known.pop_if(|last| matches!(last, TokenTree::Punct(comma) if comma.as_char() == ','));
        Ok(Self { rows, known: (!known.is_empty()).then(|| known.into_iter().collect()) })
    }
}

pub(crate) fn expand(Arguments { rows, known }: &Arguments) -> Result<TokenStream, Error> {
    let text = rows.value();
    let refused = |message: String| Error::new(rows.span(), message);
    if text.contains('\n') {
        let document = Document::parse(&text, Origin::Inline).map_err(|fault| refused(fault.at(INLINE)))?;
        return Ok(emit::rows(&[(INLINE.to_owned(), document)], &TokenStream::new(), known.as_ref()));
    }
    let folder = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join(&text);
    let names = names(&folder).map_err(|error| refused(format!("{}: {error}", folder.display())))?;
    let mut documents = Vec::with_capacity(names.len());
    let mut faults: Option<Error> = None;
    for name in &names {
        let path = format!("{text}/{name}");
        match read(&folder.join(name), name) {
            Ok(document) => documents.push((path, document)),
            Err(fault) => {
                let fault = refused(fault.at(&path));
                match &mut faults {
                    Some(faults) => faults.combine(fault),
                    None => faults = Some(fault),
                }
            }
        }
    }
    match faults {
        Some(faults) => Err(faults),
        None => Ok(emit::rows(&documents, &tracked(&text, &names), known.as_ref())),
    }
}

/// Returns the names of the folder's TOML files, in their order.
fn names(folder: &Path) -> Result<Vec<String>, std::io::Error> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".toml") {
            names.push(name);
        }
    }
    names.sort();
    match names.is_empty() {
        true => Err(std::io::Error::other("has no .toml file")),
        false => Ok(names),
    }
}

fn read(path: &Path, name: &str) -> Result<Document, fault::Fault> {
    let text = fs::read_to_string(path).map_err(|error| fault::Fault::new(0, error.to_string()))?;
    Document::parse(&text, Origin::File { slug: name.trim_end_matches(".toml") })
}

/// Makes the compiler build anew when a file changes.
fn tracked(folder: &str, names: &[String]) -> TokenStream {
    let paths = names.iter().map(|name| format!("/{folder}/{name}"));
    quote!(#(const _: &[u8] = ::core::include_bytes!(::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), #paths));)*)
}
