//! The crates of the tree as their sources declare them: modules, what each imports and names, and the types in it.
//!
//! Only what is compiled into a product counts: what stands under `#[cfg(test)]` is left out.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use portolan_tests::build::workspace;
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, Lit, Macro, Meta, Token, UseTree};

/// The names of the modules that lead to one from its crate's root.
pub(crate) type Place = Vec<String>;

/// A library or program with its modules.
pub(crate) struct Crate {
    /// The folder of its manifest, relative to the workspace.
    pub(crate) folder: String,
    pub(crate) modules: BTreeMap<Place, Module>,
}

#[derive(Default)]
pub(crate) struct Module {
    /// The source, relative to the workspace.
    pub(crate) file: String,
    /// Every path into the crate that the module names.
    pub(crate) paths: Vec<Place>,
    /// The names that a `use` brings into the module, with the places that they name.
    pub(crate) imports: BTreeMap<String, Place>,
    /// The names of its types and traits.
    pub(crate) types: Vec<String>,
    /// The names of its functions and methods.
    pub(crate) functions: Vec<String>,
}

/// Every crate of the workspace, and the examples beside it.
pub(crate) static CRATES: LazyLock<Vec<Crate>> = LazyLock::new(|| {
    let manifests = super::files("toml").into_iter().map(|(path, _)| path).filter(|path| path.ends_with("Cargo.toml"));
    let folders = manifests.map(|path| Path::new(&path).parent().unwrap().to_owned());
    let crates: Vec<Crate> = folders.flat_map(|folder| crates_of(&folder)).collect();
    assert!(crates.len() > 25, "{} crates: the walk is broken", crates.len());
    crates
});

fn crates_of(folder: &Path) -> Vec<Crate> {
    let source = workspace().join(folder).join("src");
    let roots = ["lib.rs", "main.rs"].map(|name| source.join(name)).into_iter().filter(|root| root.is_file());
    roots.map(|root| Crate::load(folder, &root)).collect()
}

impl Crate {
    fn load(folder: &Path, root: &Path) -> Self {
        let mut modules = BTreeMap::new();
        load(root, root.parent().unwrap(), Place::new(), &mut modules);
        Self { folder: folder.to_string_lossy().into_owned(), modules }
    }

    /// The module that a path leads into, through whatever modules on its way import from others.
    pub(crate) fn module_of(&self, path: &[String]) -> Option<Place> {
        self.follow(path, IMPORTS_MAX)
    }

    fn follow(&self, path: &[String], left: usize) -> Option<Place> {
        let depth = (0..=path.len()).rev().find(|depth| self.modules.contains_key(&path[..*depth]))?;
        let place = &path[..depth];
        let imported = path.get(depth).and_then(|name| self.modules[place].imports.get(name));
        match imported.filter(|_| left > 0) {
            Some(target) => self.follow(&[target, &path[depth + 1..]].concat(), left - 1),
            None => Some(place.to_vec()),
        }
    }
}

/// A name that is imported from module to module; no chain is as long, so that a circle of imports ends.
const IMPORTS_MAX: usize = 8;

/// Reads a file and the files of its modules, which stand below `folder`.
fn load(file: &Path, folder: &Path, place: Place, modules: &mut BTreeMap<Place, Module>) {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    if parsed.attrs.iter().any(is_for_tests) {
        return;
    }
    let shown = super::relative(file);
    let mut reading = Reading { file: shown, folder: folder.to_owned(), place, modules, files: Vec::new() };
    reading.begin();
    reading.visit_file(&parsed);
    for (file, folder, place) in reading.files {
        load(&file, &folder, place, modules);
    }
}

struct Reading<'a> {
    file: String,
    folder: PathBuf,
    place: Place,
    modules: &'a mut BTreeMap<Place, Module>,
    /// Modules in files of their own, to be read next.
    files: Vec<(PathBuf, PathBuf, Place)>,
}

impl Reading<'_> {
    fn begin(&mut self) {
        self.modules.insert(self.place.clone(), Module { file: self.file.clone(), ..Module::default() });
    }

    fn module(&mut self) -> &mut Module {
        self.modules.get_mut(&self.place).unwrap()
    }

    /// The place of a path that begins with `crate`, `self` or `super`.
    fn absolute(&self, path: &[String]) -> Option<Place> {
        let mut place = self.place.clone();
        let mut rest = path;
        match rest.first()?.as_str() {
            "crate" => (place, rest) = (Place::new(), &rest[1..]),
            "self" => rest = &rest[1..],
            "super" => {}
            _ => return None,
        }
        while rest.first().is_some_and(|name| name == "super") {
            place.pop()?;
            rest = &rest[1..];
        }
        place.extend_from_slice(rest);
        Some(place)
    }

    fn names_path(&mut self, path: &[String]) {
        if let Some(place) = self.absolute(path) {
            self.module().paths.push(place);
        }
    }

    fn imports(&mut self, prefix: &[String], tree: &UseTree) {
        let with = |name: &syn::Ident| [prefix, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.imports(&with(&path.ident), &path.tree),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.imports(prefix, tree)),
            UseTree::Glob(_) => self.names_path(prefix),
            UseTree::Name(name) if name.ident == "self" => self.import(prefix, prefix.last().cloned()),
            UseTree::Name(name) => self.import(&with(&name.ident), Some(name.ident.to_string())),
            UseTree::Rename(rename) => self.import(&with(&rename.ident), Some(rename.rename.to_string())),
        }
    }

    fn import(&mut self, path: &[String], name: Option<String>) {
        self.names_path(path);
        // A child is imported by its own name too.
        let child = path.first().map(|first| [self.place.as_slice(), std::slice::from_ref(first)].concat());
        let is_child = child.is_some_and(|child| self.modules.contains_key(&child) || self.has_file(&child));
        let target = self.absolute(path).or_else(|| is_child.then(|| [self.place.as_slice(), path].concat()));
        if let (Some(name), Some(target)) = (name, target) {
            self.module().imports.insert(name, target);
        }
    }

    fn has_file(&self, child: &Place) -> bool {
        self.files.iter().any(|(_, _, place)| place == child)
    }

    /// Paths in tokens that nothing has parsed: what is written into a macro.
    fn scan(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Ident(ident) if colons == 2 && !path.is_empty() => {
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Ident(ident) => {
                    self.names_path(&std::mem::replace(&mut path, vec![ident.to_string()]));
                    colons = 0;
                }
                TokenTree::Group(group) => {
                    self.names_path(&std::mem::take(&mut path));
                    colons = 0;
                    self.scan(group.stream());
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {
                    self.names_path(&std::mem::take(&mut path));
                    colons = 0;
                }
            }
        }
        self.names_path(&path);
    }
}

impl<'ast> Visit<'ast> for Reading<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if attributes(item).iter().any(is_for_tests) {
            return;
        }
        match item {
            Item::Struct(item) => self.module().types.push(item.ident.to_string()),
            Item::Enum(item) => self.module().types.push(item.ident.to_string()),
            Item::Union(item) => self.module().types.push(item.ident.to_string()),
            Item::Trait(item) => self.module().types.push(item.ident.to_string()),
            Item::Type(item) => self.module().types.push(item.ident.to_string()),
            Item::Fn(item) => self.module().functions.push(item.sig.ident.to_string()),
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !item.attrs.iter().any(is_for_tests) {
            self.module().functions.push(item.sig.ident.to_string());
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.module().functions.push(item.sig.ident.to_string());
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        let name = item.ident.to_string();
        let place = [self.place.as_slice(), std::slice::from_ref(&name)].concat();
        let folder = self.folder.join(&name);
        match &item.content {
            None => self.files.push((self.folder.join(format!("{name}.rs")), folder, place)),
            Some(_) => {
                let outer = (std::mem::replace(&mut self.place, place), std::mem::replace(&mut self.folder, folder));
                self.begin();
                visit::visit_item_mod(self, item);
                (self.place, self.folder) = outer;
            }
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.imports(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.names_path(&names);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast Macro) {
        self.scan(item.tokens.clone());
        visit::visit_macro(self, item);
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        // Derives take paths as texts: `#[serde(with = "crate::hex")]`.
        if let Meta::List(list) = &attribute.meta {
            for token in list.tokens.clone() {
                if let TokenTree::Literal(literal) = token
                    && let Lit::Str(text) = Lit::new(literal)
                {
                    self.names_path(&text.value().split("::").map(str::to_owned).collect::<Vec<_>>());
                }
            }
        }
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// `#[cfg(test)]`, and `#[cfg(all(test, …))]`.
fn is_for_tests(attribute: &Attribute) -> bool {
    let is_test = |meta: &Meta| meta.path().is_ident("test");
    attribute.path().is_ident("cfg")
        && attribute.parse_args::<Meta>().is_ok_and(|meta| match &meta {
            Meta::List(list) if list.path.is_ident("all") => list
                .parse_args_with(syn::punctuated::Punctuated::<Meta, Token![,]>::parse_terminated)
                .is_ok_and(|all| all.iter().any(is_test)),
            meta => is_test(meta),
        })
}
