//! The settings keys of the plugins: the tables of the READMEs are the docs of the lists of keys.
//!
//! A list is a constant whose doc begins with `Keys of a row for …:`, and has an item for each key or group of keys:
//! `` - `key`, `other` (value): meaning ``. Kits have theirs as `KEYS`; the `KEYS` of a plugin are all of its lists.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use portolan_tests::tables;
use syn::{Attribute, Expr, ImplItem, Item, Lit, Meta, Type};

use crate::{plugins, sources};

/// Name of the constants.
const KEYS: &str = "KEYS";
/// Beginning of their docs.
const ROW_FOR: &str = "Keys of a row for ";

/// The keys of a mechanism.
struct KeyList {
    mechanism: String,
    docs: Vec<KeyDoc>,
}

/// The documentation of keys that stand together.
struct KeyDoc {
    keys: Vec<String>,
    value: String,
    meaning: String,
}

impl KeyList {
    /// Reads the documentation of a constant; `None` if it is not one of a mechanism's keys.
    fn read(attributes: &[Attribute], list: &Expr) -> Option<Self> {
        let doc = documentation(attributes);
        let (mechanism, items) = doc.strip_prefix(ROW_FOR)?.split_once(":\n- ")?;
        let docs: Vec<KeyDoc> = items.split("\n- ").map(KeyDoc::read).collect();
        let documented: Vec<&String> = docs.iter().flat_map(|doc| &doc.keys).collect();
        let listed: Vec<String> = elements(list).into_iter().map(text).collect();
        assert!(listed.iter().eq(documented.iter().copied()), "{mechanism}: has {listed:?}, documents {documented:?}");
        Some(Self { mechanism: mechanism.to_owned(), docs })
    }

    fn rows(&self) -> String {
        let mut mechanism = self.mechanism.as_str();
        let mut rows = String::new();
        for KeyDoc { keys, value, meaning } in &self.docs {
            let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
            rows += &format!("| {mechanism} | {} | {value} | {meaning} |\n", keys.join(", "));
            mechanism = "";
        }
        rows
    }
}

impl KeyDoc {
    fn read(item: &str) -> Self {
        let item = item.split_whitespace().collect::<Vec<_>>().join(" ");
        let wrong = || panic!("not `key` (value): meaning: {item}");
        let (keys, rest) = item.split_once(" (").unwrap_or_else(wrong);
        let (value, meaning) = rest.split_once("): ").unwrap_or_else(wrong);
        let keys = keys.split(", ").map(|key| key.trim_matches('`').to_owned()).collect();
        Self { keys, value: value.to_owned(), meaning: meaning.to_owned() }
    }
}

/// Returns the lines of a doc comment.
fn documentation(attributes: &[Attribute]) -> String {
    let docs = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(doc) if doc.path.is_ident("doc") => Some(text(&doc.value)),
        _ => None,
    });
    docs.map(|line| line.strip_prefix(' ').unwrap_or(&line).to_owned()).collect::<Vec<_>>().join("\n")
}

fn text(literal: &Expr) -> String {
    match literal {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => text.value(),
            _ => panic!("a list of keys has texts"),
        },
        _ => panic!("a list of keys has texts"),
    }
}

/// Returns the elements of `&[…]`.
fn elements(list: &Expr) -> Vec<&Expr> {
    match list {
        Expr::Reference(reference) => match &*reference.expr {
            Expr::Array(array) => array.elems.iter().collect(),
            _ => panic!("a list of keys is an array"),
        },
        _ => panic!("a list of keys is an array"),
    }
}

/// Returns the lists of a source, by the constant's name or, for `KEYS` of a type, by the type's.
fn lists(source: &syn::File) -> BTreeMap<String, KeyList> {
    let mut found = BTreeMap::new();
    for item in &source.items {
        match item {
            Item::Const(item) => {
                found.extend(KeyList::read(&item.attrs, &item.expr).map(|list| (item.ident.to_string(), list)));
            }
            Item::Impl(item) if item.trait_.is_none() => {
                let Type::Path(of) = &*item.self_ty else { continue };
                let name = of.path.segments.last().unwrap().ident.to_string();
                for member in &item.items {
                    if let ImplItem::Const(member) = member
                        && member.ident == KEYS
                    {
                        let list = KeyList::read(&member.attrs, &member.expr);
                        found.insert(name.clone(), list.unwrap_or_else(|| panic!("{name}: {ROW_FOR}…:, and a list")));
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// Returns the names of a plugin's lists: those of types for `Type::KEYS`, else the constants.
fn named(source: &syn::File) -> Vec<String> {
    let keys = source.items.iter().find_map(|item| match item {
        Item::Const(item) if item.ident == KEYS => Some(&item.expr),
        _ => None,
    });
    let name = |list: &Expr| match list {
        Expr::Path(path) => path.path.segments.first().unwrap().ident.to_string(),
        _ => panic!("{KEYS} has names of lists"),
    };
    elements(keys.unwrap()).into_iter().map(name).collect()
}

fn table(plugin: &Path, kits: &BTreeMap<String, KeyList>) -> String {
    let source = syn::parse_file(&fs::read_to_string(plugin.join("src/lib.rs")).unwrap()).unwrap();
    let own = lists(&source);
    let list = |name: &String| own.get(name).or_else(|| kits.get(name)).unwrap_or_else(|| panic!("no keys of {name}"));
    let rows: String = named(&source).iter().map(|name| list(name).rows()).collect();
    format!("| row for | key | value | meaning |\n|---|---|---|---|\n{rows}")
}

#[test]
fn the_tables_of_keys_are_the_docs_of_the_lists() {
    let kits = sources().into_iter().filter(|(path, _)| path.starts_with("plugins/kits/src/"));
    let kits: BTreeMap<_, _> = kits.flat_map(|(_, source)| lists(&syn::parse_file(&source).unwrap())).collect();
    for plugin in plugins() {
        tables::check(&plugin.join("README.md"), "keys", &table(&plugin, &kits)).unwrap();
    }
}
