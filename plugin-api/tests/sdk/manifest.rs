//! Contents that `export!` adds to a file: the note that a host reads without running it, and the header that it loads.
//!
//! This test is itself such a file.

use abi_stable::library::ROOT_MODULE_LOADER_NAME;
use goblin::elf::Elf;
use portolan_abi::root::PluginRef;
use portolan_abi::{API_REV, FRAME_VERSION, HOST_REV_MIN, capability, note};
use portolan_plugin_api::export::module;
use portolan_plugin_api::{Catalogue, Plugin, Settings, SettingsError};
use serde_json::{Value, json};

struct Carried;

impl Plugin for Carried {
    fn configure(_: &Settings) -> Result<Self, SettingsError> {
        Ok(Self)
    }

    fn catalogue(&self) -> Catalogue {
        Catalogue::default()
    }
}

portolan_plugin_api::export!(Carried);

fn this_file() -> Vec<u8> {
    std::fs::read(std::env::current_exe().expect("a test is a file")).expect("which can be read")
}

fn manifest() -> &'static str {
    module::<Carried>().manifest()().as_str()
}

#[test]
fn the_manifest_reports_what_it_promises_and_nothing_else() {
    let actual: Value = serde_json::from_str(manifest()).expect("the manifest is JSON");
    let expected = json!({
        "plugin": "portolan-plugin-api",
        "version": env!("CARGO_PKG_VERSION"),
        "abi": "1.0.0",
        "apiRev": API_REV,
        "hostRevMin": HOST_REV_MIN,
        "frames": [FRAME_VERSION],
        "capabilities": capability::ALL,
        "panic": "unwind",
        "rustc": actual["rustc"],
        "target": actual["target"],
    });
    assert_eq!(actual, expected);
    assert_eq!(manifest(), manifest().trim());
}

#[test]
fn the_manifest_names_the_compiler_and_the_target() {
    let actual: Value = serde_json::from_str(manifest()).expect("the manifest is JSON");
    let rustc = actual["rustc"].as_str().expect("a text");
    let numbers: Vec<&str> = rustc.split('.').collect();
    assert!(numbers.len() == 3 && numbers[..2].iter().all(|part| part.parse::<u32>().is_ok()), "{rustc}");
    let target = actual["target"].as_str().expect("a text");
    assert!(target.starts_with(std::env::consts::ARCH) && target.contains(std::env::consts::OS), "{target}");
}

#[test]
fn the_note_is_found_by_its_name_and_equals_the_manifest() {
    let bytes = this_file();
    let elf = Elf::parse(&bytes).expect("an ELF file");
    let notes = elf.iter_note_headers(&bytes).expect("a file with notes").map(|note| note.expect("a note"));
    let own: Vec<_> = notes.filter(|found| found.name.trim_end_matches('\0') == note::NAME).collect();
    assert_eq!(own.len(), 1);
    assert_eq!((own[0].n_type, own[0].desc.len()), (note::TYPE, note::MANIFEST_BYTES));
    let (text, padding) = own[0].desc.split_at(manifest().len());
    assert_eq!(text, manifest().as_bytes());
    assert!(padding.iter().all(|byte| *byte == b' '));
}

#[test]
fn the_note_has_its_own_section() {
    let bytes = this_file();
    let elf = Elf::parse(&bytes).expect("an ELF file");
    let sections =
        elf.section_headers.iter().filter(|section| elf.shdr_strtab.get_at(section.sh_name) == Some(note::SECTION));
    let sizes: Vec<u64> = sections.map(|section| section.sh_size).collect();
    assert_eq!(sizes, [12 + 12 + note::MANIFEST_BYTES as u64]);
}

#[test]
fn the_header_has_the_name_that_abi_stable_looks_for() {
    let bytes = this_file();
    let elf = Elf::parse(&bytes).expect("an ELF file");
    let found = elf.syms.iter().filter(|symbol| elf.strtab.get_at(symbol.st_name) == Some(ROOT_MODULE_LOADER_NAME));
    assert_eq!(found.count(), 1);
}

#[test]
fn the_header_leads_to_the_plugins_own_functions() {
    let loaded = PORTOLAN_HEADER.init_root_module::<PluginRef>().expect("the layout fits itself");
    assert_eq!(loaded.api_rev(), API_REV);
    assert_eq!(loaded.manifest()().as_str(), manifest());
}
