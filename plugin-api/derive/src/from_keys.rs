//! Derives `FromKeys` for a struct: each field is a key of a settings row, named once.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Error, Expr, Field, Fields, Ident, Lit, Meta};

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream, Error> {
    let Data::Struct(data) = &input.data else { return Err(unsuitable(input.ident.span())) };
    let fields = match &data.fields {
        Fields::Named(fields) => fields.named.iter().map(member).collect::<Result<Vec<_>, _>>()?,
        Fields::Unit => Vec::new(),
        Fields::Unnamed(fields) => return Err(unsuitable(fields.span())),
    };
    let keys = match &data.fields {
        Fields::Named(fields) => fields.named.iter().filter_map(|field| field.ident.as_ref()).map(key).collect(),
        Fields::Unit | Fields::Unnamed(_) => Vec::new(),
    };
    let name = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #generics ::portolan_plugin_api::FromKeys for #name #arguments #bounds {
            const KEYS: &'static [&'static str] = &[#(#keys),*];

            fn from_keys(
                keys: &::portolan_plugin_api::Keys<'_>,
            ) -> ::core::result::Result<Self, ::portolan_plugin_api::SettingsError> {
                let _ = keys;
                ::core::result::Result::Ok(Self { #(#fields,)* })
            }
        }
    })
}

fn unsuitable(span: Span) -> Error {
    Error::new(span, "`FromKeys` is derived for a struct with named fields: each is a key of a settings row")
}

/// Returns the key of a field.
fn key(name: &Ident) -> String {
    name.unraw().to_string()
}

fn member(field: &Field) -> Result<TokenStream, Error> {
    let Some(name) = &field.ident else { return Err(unsuitable(field.span())) };
    let (key, doc, kind) = (key(name), documentation(&field.attrs), &field.ty);
    let span = kind.span();
    let mut defaults = field.attrs.iter().filter(|attribute| attribute.path().is_ident("default"));
    let Some(default) = defaults.next() else {
        return Ok(quote_spanned! { span =>
            #name: <#kind as ::portolan_plugin_api::KeyField>::from_key(keys, #key, #doc)?
        });
    };
    if let Some(second) = defaults.next() {
        return Err(Error::new(second.span(), "a key has one default"));
    }
    let missing = match &default.meta {
        Meta::Path(_) => quote!(::core::default::Default::default()),
        Meta::List(list) => list.tokens.clone(),
        Meta::NameValue(value) => return Err(Error::new(value.span(), "write `#[default]` or `#[default(value)]`")),
    };
    Ok(quote_spanned! { span =>
        #name: match keys.value::<#kind>(#key)? {
            ::core::option::Option::Some(value) => value,
            ::core::option::Option::None => #missing,
        }
    })
}

/// Returns the first paragraph of a field's doc comment, without the full stop.
fn documentation(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(doc) if doc.path.is_ident("doc") => match &doc.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value().trim().to_owned()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    let paragraph = lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    paragraph.trim_end_matches('.').to_owned()
}
