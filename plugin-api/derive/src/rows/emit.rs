//! Writes checked files as constants of `portolan-plugin-api`.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;

use super::document::{DeploymentTable, Document, KeyEntry, ProtocolTable, Value};

/// Writes an expression of the type `Rows`; `tracked` are items beside it, and `known` the lists of keys.
pub(crate) fn rows(
    documents: &[(String, Document)],
    tracked: &TokenStream,
    known: Option<&TokenStream>,
) -> TokenStream {
    let checked = known.map(|_| checked(documents));
    let known = known.map(|known| quote!(const ROWS_KNOWN_KEYS: &[&[&str]] = #known;));
    let files = documents.iter().map(|(path, document)| {
        let protocols = document.protocols.iter().map(protocol);
        let rows = document.deployments.iter().map(|row| deployment(path, row));
        quote!(RowFile { path: #path, protocols: &[#(#protocols),*], rows: &[#(#rows),*] })
    });
    // The plugin's own names are outside the block of those that are imported.
    quote!({
        #known
        {
            #[allow(unused_imports, reason = "a file may have no row")]
            use ::portolan_plugin_api::embedded::{EmbeddedProtocol, EmbeddedRow, RowFile, RowKey, RowValue};
            use ::portolan_plugin_api::embedded::{Rows, chain_id};
            #tracked
            #checked
            const FILES: &[RowFile] = &[#(#files),*];
            Rows::new(FILES)
        }
    })
}

/// Writes the comparison of each key with the known ones, at its first place.
fn checked(documents: &[(String, Document)]) -> TokenStream {
    let mut seen = BTreeSet::new();
    let rows = documents.iter().flat_map(|(path, document)| document.deployments.iter().map(move |row| (path, row)));
    let keys = rows.flat_map(|(path, row)| row.keys.iter().map(move |entry| (path, entry)));
    let keys = keys.filter(|(_, entry)| seen.insert(&entry.key)).map(|(path, KeyEntry { line, key, .. })| {
        let unknown = format!("{path}:{line}: unknown key `{key}`");
        quote!(::portolan_plugin_api::embedded::known(ROWS_KNOWN_KEYS, #key, #unknown);)
    });
    quote!(const _: () = { #(#keys)* };)
}

fn protocol(row: &ProtocolTable) -> TokenStream {
    let ProtocolTable { slug, name, website, primitives, company_name, company_slug, logo } = row;
    let logo = match logo {
        Some(logo) => quote!(::core::option::Option::Some(#logo)),
        None => quote!(::core::option::Option::None),
    };
    quote!(EmbeddedProtocol {
        slug: #slug, name: #name, website: #website, logo: #logo, primitives: &[#(#primitives),*],
        company: (#company_name, #company_slug),
    })
}

fn deployment(path: &str, row: &DeploymentTable) -> TokenStream {
    let DeploymentTable { line, protocol, networks, market, keys } = row;
    let place = format!("{path}:{line}");
    let networks = networks.iter().map(|network| {
        let unknown = format!("{place}: unknown network `{network}`");
        quote!(chain_id(#network, #unknown))
    });
    let keys = keys.iter().map(|KeyEntry { key, value: one, .. }| {
        let one = value(one);
        quote!(RowKey { key: #key, value: #one })
    });
    quote!(EmbeddedRow {
        place: #place, protocol: #protocol, networks: &[#(#networks),*], market: #market, keys: &[#(#keys),*],
    })
}

fn value(one: &Value) -> TokenStream {
    match one {
        Value::Text(text) => quote!(RowValue::Text(#text)),
        Value::Integer(number) => quote!(RowValue::Integer(#number)),
        Value::Bool(flag) => quote!(RowValue::Bool(#flag)),
        Value::List(list) => {
            let list = list.iter().map(value);
            quote!(RowValue::List(&[#(#list),*]))
        }
    }
}
