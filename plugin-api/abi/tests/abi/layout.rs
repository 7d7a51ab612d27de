//! The committed snapshot of the interface, which changes only together with `API_REV`.
//!
//! `layout.txt` holds the root module's fields, the row sizes and the bytes of one full value of every map. After
//! raising `API_REV`, run this test once with `PORTOLAN_WRITE_LAYOUT=1` and commit the file.

use std::fmt::Write as _;
use std::path::PathBuf;

use abi_stable::StableAbi;
use abi_stable::type_layout::{TLData, TLField, TLPrefixType, TypeLayout};
use portolan_abi::codec;
use portolan_abi::map::{
    Catalogue, FactList, Finding, ReadExtension, Selftest, Settings, SettingsError, Start, StartError,
};
use portolan_abi::root::PluginRef;
use portolan_abi::row::{FactsRow, JobIn, JobOut, LogRow, Network, Read, Reply, Row};
use portolan_abi::{API_REV, FRAME_VERSION, capability};

use crate::bytes::{hex, unhex};
use crate::samples::{self, each_map};

/// Depth to which types are described: pointer, length, capacity and vtable of an `RVec`.
const DEPTH: usize = 2;

fn root() -> TLPrefixType {
    let reference = <PluginRef as StableAbi>::LAYOUT;
    let module = reference.phantom_fields().into_iter().next().expect("a reference to a prefix type names it");
    match module.layout().data() {
        TLData::PrefixType(prefix) => prefix,
        other => panic!("the root module is not a prefix type: {other}"),
    }
}

/// Describes a field by its type; a function by the types of its parameters and its result.
fn field_text(field: TLField) -> String {
    let function = |parameters: Vec<String>, returned: Option<String>| {
        format!("extern \"C\" fn({}) -> {}", parameters.join(", "), returned.unwrap_or_else(|| "()".to_owned()))
    };
    let mut functions = field.function_range().iter().map(|found| {
        let parameters = found.param_type_layouts.iter().map(|layout| type_text(layout(), DEPTH)).collect();
        function(parameters, found.return_type_layout().map(|layout| type_text(layout(), DEPTH)))
    });
    functions.next().unwrap_or_else(|| type_text(field.layout(), DEPTH))
}

fn type_text(layout: &'static TypeLayout, depth: usize) -> String {
    let size = format!("{}/{}", layout.size(), layout.alignment());
    let fields = layout.get_fields().filter(|fields| !fields.is_empty() && depth > 0);
    let name = layout.full_type().to_string();
    match fields {
        None => format!("{} {size}", name.split_whitespace().collect::<Vec<_>>().join(" ")),
        Some(fields) => {
            let fields =
                fields.into_iter().map(|field| format!("{}: {}", field.name(), type_text(field.layout(), depth - 1)));
            format!("{} {size} {{{}}}", name.trim(), fields.collect::<Vec<_>>().join(", "))
        }
    }
}

fn picture() -> String {
    let root = root();
    let mut text = String::new();
    let mut line = |words: String| writeln!(text, "{words}").expect("a String takes every line");
    line(format!("api_rev {API_REV}"));
    line(format!("frame_version {FRAME_VERSION}"));
    line(format!("capabilities {:#x}", capability::ALL));
    line(format!("prefix {}", root.first_suffix_field));
    for field in root.fields {
        line(format!("root {}: {}", field.name(), field_text(field)));
    }
    let rows = [
        ("Read", Read::SIZE),
        ("Reply", Reply::SIZE),
        ("JobIn", JobIn::SIZE),
        ("JobOut", JobOut::SIZE),
        ("Facts", FactsRow::SIZE),
        ("Network", Network::SIZE),
        ("Log", LogRow::SIZE),
    ];
    for (name, size) in rows {
        line(format!("row {name} {size}"));
    }
    for (name, bytes) in samples::encoded() {
        line(format!("map {name} {}", hex(&bytes)));
    }
    text
}

fn revision(picture: &str) -> Option<u32> {
    picture.lines().next()?.strip_prefix("api_rev ")?.parse().ok()
}

#[test]
fn the_interface_changes_only_with_a_new_revision() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("layout.txt");
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let now = picture();
    if committed == now {
        return;
    }
    assert!(
        revision(&committed) != Some(API_REV),
        "the binary interface changed, but API_REV is still {API_REV}: an addition needs the next revision, \
         and nothing may ever be removed, retyped or reordered\n--- committed\n{committed}\n--- now\n{now}"
    );
    assert!(
        std::env::var_os("PORTOLAN_WRITE_LAYOUT").is_some(),
        "API_REV is {API_REV}, layout.txt is of another revision: write it with PORTOLAN_WRITE_LAYOUT=1"
    );
    let roots = |picture: &str| picture.lines().filter(|line| line.starts_with("root ")).map(str::to_owned).collect();
    let (before, after): (Vec<String>, Vec<String>) = (roots(&committed), roots(&now));
    assert!(after.starts_with(&before), "functions of the root module may only be appended");
    std::fs::write(&path, now).expect("layout.txt can be written");
}

#[test]
fn the_committed_maps_still_decode() {
    let committed = include_str!("../../layout.txt");
    let map = |name: &str| {
        let line = committed.lines().find_map(|line| line.strip_prefix("map ")?.strip_prefix(name)?.strip_prefix(' '));
        unhex(line.expect("layout.txt has every map"))
    };
    macro_rules! decode {
        ($map:ident, $sample:expr) => {
            let decoded = codec::decode::<$map>(&map(stringify!($map)));
            assert!(decoded.is_ok(), "{}: {decoded:?}", stringify!($map));
        };
    }
    each_map!(decode);
}

#[test]
fn the_fields_before_the_first_revisions_end_are_required_and_in_order() {
    let root = root();
    let names: Vec<&str> = root.fields.into_iter().map(|field| field.name()).collect();
    let first =
        ["api_rev", "manifest", "configure", "catalogue", "start", "resume", "drop_job", "drop_instance", "selftest"];
    assert_eq!(names[..first.len()], first);
    assert_eq!(usize::from(root.first_suffix_field), first.len());
}
