//! Reads a dylib without running it: checks that it is complete, built for this machine and linked as a plugin must
//! be, and extracts the manifest from its note.
//!
//! Invariant: all segments and sections of an accepted file are inside the file, so that mapping it cannot end the
//! process. Constructors still run at load; the probe process covers them.

use goblin::elf::dynamic::DF_STATIC_TLS;
use goblin::elf::header::{self, EI_CLASS, EI_DATA, ELFCLASS64, ELFDATA2LSB, ELFDATA2MSB, ELFMAG, ET_DYN, Header};
use goblin::elf::program_header::PT_LOAD;
use goblin::elf::section_header::SHT_NOBITS;
use goblin::elf::{Elf, sym};
use portolan_abi::note;

/// Architecture of this host.
const MACHINE: u16 = if cfg!(target_arch = "x86_64") {
    header::EM_X86_64
} else if cfg!(target_arch = "aarch64") {
    header::EM_AARCH64
} else if cfg!(target_arch = "riscv64") {
    header::EM_RISCV
} else {
    header::EM_NONE
};

const BYTE_ORDER: u8 = if cfg!(target_endian = "little") { ELFDATA2LSB } else { ELFDATA2MSB };

/// System libraries that a plugin may need. Any other would have to be bundled, and the first generation's copy would
/// serve all later ones.
const LIBRARIES: [&str; 5] = ["libc", "libm", "libgcc_s", "libpthread", "libdl"];

/// Reason why a file is not a plugin for this host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ElfError {
    #[error("not an ELF file")]
    NotElf,
    #[error("not a 64-bit library")]
    Not64Bit,
    #[error("built for {}, but this host runs on {}: build it for {}", name(*.0), name(MACHINE), target())]
    Machine(u16),
    #[error("not a shared library")]
    NotLibrary,
    #[error("truncated: {part} ends at byte {end}, the file has {bytes}")]
    Truncated { part: &'static str, end: u64, bytes: u64 },
    #[error("malformed ELF: {0}")]
    Malformed(String),
    #[error("it needs the library {0:?}, but a plugin may need the system's C libraries only: link it statically")]
    Needed(String),
    #[error("it needs musl's library {0:?}, but this host runs on glibc: build it for {target}", target = target())]
    Musl(String),
    #[error("it names folders to search for libraries (RPATH or RUNPATH)")]
    SearchPath,
    #[error("it uses static thread-local storage, which runs out after a few reloads")]
    StaticTls,
    #[error("its symbol {0:?} is unique in the process, so that its reloads would share state")]
    UniqueSymbol(String),
    #[error("not a Portolan plugin: it has no manifest note")]
    NoNote,
}

/// Names of architectures, and the first parts of their targets.
const ARCHITECTURES: [(u16, &str, &str); 3] = [
    (header::EM_X86_64, "x86-64", "x86_64"),
    (header::EM_AARCH64, "AArch64", "aarch64"),
    (header::EM_RISCV, "RISC-V", "riscv64gc"),
];

fn name(machine: u16) -> String {
    let known = ARCHITECTURES.iter().find(|(known, ..)| *known == machine);
    known.map_or_else(|| format!("another architecture ({machine})"), |(_, name, _)| (*name).to_owned())
}

/// The target triple of this host.
fn target() -> String {
    let known = ARCHITECTURES.iter().find(|(known, ..)| *known == MACHINE);
    format!("{}-unknown-linux-gnu", known.map_or("this machine", |(.., target)| target))
}

/// Checks a dylib's bytes and returns the JSON of its manifest.
pub(crate) fn lint(bytes: &[u8]) -> Result<&str, ElfError> {
    check_header(bytes)?;
    let elf = Elf::parse(bytes).map_err(|error| ElfError::Malformed(error.to_string()))?;
    check_whole(bytes, &elf)?;
    check_linkage(&elf)?;
    manifest(bytes, &elf)
}

fn check_header(bytes: &[u8]) -> Result<(), ElfError> {
    if !bytes.starts_with(ELFMAG) {
        return Err(ElfError::NotElf);
    }
    if bytes.get(EI_CLASS) != Some(&ELFCLASS64) {
        return Err(ElfError::Not64Bit);
    }
    let header = Elf::parse_header(bytes).map_err(|error| ElfError::Malformed(error.to_string()))?;
    if header.e_machine != MACHINE || bytes.get(EI_DATA) != Some(&BYTE_ORDER) {
        return Err(ElfError::Machine(header.e_machine));
    }
    if header.e_type != ET_DYN {
        return Err(ElfError::NotLibrary);
    }
    let Header { e_phoff, e_phnum, e_phentsize, e_shoff, e_shnum, e_shentsize, .. } = header;
    inside(bytes, "the program header table", e_phoff, u64::from(e_phnum) * u64::from(e_phentsize))?;
    inside(bytes, "the section header table", e_shoff, u64::from(e_shnum) * u64::from(e_shentsize))
}

fn check_whole(bytes: &[u8], elf: &Elf<'_>) -> Result<(), ElfError> {
    for segment in &elf.program_headers {
        inside(bytes, "a segment", segment.p_offset, segment.p_filesz)?;
        if segment.p_type == PT_LOAD && segment.p_filesz > segment.p_memsz {
            return Err(ElfError::Malformed("a segment is larger in the file than in memory".into()));
        }
    }
    for section in elf.section_headers.iter().filter(|section| section.sh_type != SHT_NOBITS) {
        inside(bytes, "a section", section.sh_offset, section.sh_size)?;
    }
    Ok(())
}

fn inside(bytes: &[u8], part: &'static str, offset: u64, len: u64) -> Result<(), ElfError> {
    let (end, bytes) = (offset.saturating_add(len), bytes.len() as u64);
    if end > bytes { Err(ElfError::Truncated { part, end, bytes }) } else { Ok(()) }
}

fn check_linkage(elf: &Elf<'_>) -> Result<(), ElfError> {
    let Some(dynamic) = elf.dynamic.as_ref().filter(|_| elf.is_lib) else { return Err(ElfError::NotLibrary) };
    if dynamic.info.needed_count != elf.libraries.len() {
        return Err(ElfError::Malformed("a needed library has no name".into()));
    }
    if let Some(library) = elf.libraries.iter().find(|library| !is_of_system(library)) {
        let library = (*library).to_owned();
        return Err(if is_of_musl(&library) { ElfError::Musl(library) } else { ElfError::Needed(library) });
    }
    if !elf.rpaths.is_empty() || !elf.runpaths.is_empty() {
        return Err(ElfError::SearchPath);
    }
    if dynamic.info.flags & DF_STATIC_TLS != 0 {
        return Err(ElfError::StaticTls);
    }
    match elf.dynsyms.iter().find(|symbol| symbol.st_bind() == sym::STB_GNU_UNIQUE) {
        Some(unique) => Err(ElfError::UniqueSymbol(elf.dynstrtab.get_at(unique.st_name).unwrap_or("?").to_owned())),
        None => Ok(()),
    }
}

/// `libc.so.6`, `libm.so.6`, `ld-linux-x86-64.so.2` and the like.
fn is_of_system(library: &str) -> bool {
    let Some((stem, version)) = library.split_once(".so") else { return false };
    let known = LIBRARIES.contains(&stem) || stem.starts_with("ld-linux") && !stem.contains('/');
    known && !version.is_empty() && version.bytes().all(|byte| byte == b'.' || byte.is_ascii_digit())
}

/// The C library of musl has no version in its name: `libc.so`, or `libc.musl-x86_64.so.1` on Alpine.
fn is_of_musl(library: &str) -> bool {
    library == "libc.so" || library.starts_with("libc.musl-") || library.starts_with("ld-musl-")
}

fn manifest<'a>(bytes: &'a [u8], elf: &Elf<'_>) -> Result<&'a str, ElfError> {
    let whole = Elf::parse_header(bytes).and_then(Elf::lazy_parse);
    let Ok(mut notes) = whole else { return Err(ElfError::NoNote) };
    notes.program_headers.clone_from(&elf.program_headers);
    let notes = notes.iter_note_headers(bytes).into_iter().flatten().flatten();
    let mut ours = notes.filter(|found| found.n_type == note::TYPE && found.name == note::NAME);
    let found = ours.next().ok_or(ElfError::NoNote)?;
    let text = std::str::from_utf8(found.desc).map_err(|_| ElfError::Malformed("its note is not text".into()))?;
    Ok(text.trim_ascii_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT_NULL: u64 = 0;
    const DT_NEEDED: u64 = 1;
    const DT_STRTAB: u64 = 5;
    const DT_SYMTAB: u64 = 6;
    const DT_STRSZ: u64 = 10;
    const DT_RUNPATH: u64 = 29;
    const DT_FLAGS: u64 = 30;
    const DT_HASH: u64 = 4;

    const STRINGS: &[u8] = b"\0libc.so.6\0libother.so.1\0/opt\0state\0libc.so\0libc.musl-x86_64.so.1\0";
    const LIBC: u64 = 1;
    const OTHER: u64 = 11;
    const FOLDER: u64 = 25;
    const STATE: u32 = 30;
    const MUSL: u64 = 36;
    const ALPINE: u64 = 44;

    /// A library with one segment, laid out as in the ELF standard: header, three program headers, then the parts.
    fn library(dynamic: &[(u64, u64)], symbol_binding: u8, note: Option<&[u8]>) -> Vec<u8> {
        let tables = 64 + 3 * 56;
        let mut body = Vec::new();
        let mut part = |bytes: &[u8]| {
            let at = (tables + body.len()) as u64;
            body.extend(bytes);
            body.resize(body.len().next_multiple_of(8), 0);
            (at, bytes.len() as u64)
        };
        let strings = part(STRINGS);
        let mut symbols = vec![0; 24];
        symbols.extend(STATE.to_le_bytes());
        symbols.extend([symbol_binding << 4 | 1, 0, 1, 0]);
        symbols.extend([0; 16]);
        let symbols = part(&symbols);
        let hash = part(&[1_u32, 2, 1, 0, 0].map(u32::to_le_bytes).concat());
        let note = part(note.unwrap_or_default());
        let own = [(DT_STRTAB, strings.0), (DT_STRSZ, strings.1), (DT_SYMTAB, symbols.0), (DT_HASH, hash.0)];
        let entries = own.iter().chain(dynamic).chain(&[(DT_NULL, 0)]);
        let dynamic = part(
            &entries.flat_map(|(tag, value)| [tag.to_le_bytes(), value.to_le_bytes()].concat()).collect::<Vec<_>>(),
        );
        let len = (tables + body.len()) as u64;

        let mut file = b"\x7fELF\x02\x01\x01".to_vec();
        file.resize(16, 0);
        file.extend([3_u16, MACHINE].map(u16::to_le_bytes).concat());
        file.extend(1_u32.to_le_bytes());
        file.extend([0_u64, 64, 0].map(u64::to_le_bytes).concat());
        file.extend(0_u32.to_le_bytes());
        file.extend([64_u16, 56, 3, 64, 0, 0].map(u16::to_le_bytes).concat());
        for (kind, (offset, bytes)) in [(1_u32, (0, len)), (2, dynamic), (4, note)] {
            file.extend([kind, 4].map(u32::to_le_bytes).concat());
            file.extend([offset, offset, offset, bytes, bytes, 4].map(u64::to_le_bytes).concat());
        }
        file.extend(body);
        file
    }

    fn note(json: &str) -> Vec<u8> {
        let mut note = [9, u32::try_from(json.len()).unwrap(), note::TYPE].map(u32::to_le_bytes).concat();
        note.extend(b"Portolan\0\0\0\0");
        note.extend(json.as_bytes());
        note
    }

    const GLOBAL: u8 = 1;

    type Dynamic = &'static [(u64, u64)];

    #[test]
    fn the_manifest_of_a_sound_library_is_read() {
        let bytes = library(&[(DT_NEEDED, LIBC)], GLOBAL, Some(&note(r#"{"plugin":"x"}    "#)));
        assert_eq!(lint(&bytes), Ok(r#"{"plugin":"x"}"#));
    }

    #[test]
    fn what_is_linked_otherwise_than_a_plugin_is_refused() {
        let note = note("{}");
        let cases: [(Dynamic, u8, Option<&[u8]>, ElfError); 7] = [
            (&[(DT_NEEDED, MUSL)], GLOBAL, Some(&note), ElfError::Musl("libc.so".into())),
            (&[(DT_NEEDED, ALPINE)], GLOBAL, Some(&note), ElfError::Musl("libc.musl-x86_64.so.1".into())),
            (&[(DT_NEEDED, OTHER)], GLOBAL, Some(&note), ElfError::Needed("libother.so.1".into())),
            (&[(DT_RUNPATH, FOLDER)], GLOBAL, Some(&note), ElfError::SearchPath),
            (&[(DT_FLAGS, DF_STATIC_TLS)], GLOBAL, Some(&note), ElfError::StaticTls),
            (&[], sym::STB_GNU_UNIQUE, Some(&note), ElfError::UniqueSymbol("state".into())),
            (&[], GLOBAL, None, ElfError::NoNote),
        ];
        for (dynamic, binding, note, refusal) in cases {
            assert_eq!(lint(&library(dynamic, binding, note)), Err(refusal));
        }
    }

    #[test]
    fn what_is_no_library_of_this_machine_is_refused() {
        let good = library(&[], GLOBAL, Some(&note("{}")));
        let patched = |at: usize, byte: u8| {
            let mut bytes = good.clone();
            bytes[at] = byte;
            bytes
        };
        assert_eq!(lint(b"#!/bin/sh\necho no plugin\n"), Err(ElfError::NotElf));
        assert_eq!(lint(b""), Err(ElfError::NotElf));
        assert_eq!(lint(&patched(EI_CLASS, 1)), Err(ElfError::Not64Bit));
        assert_eq!(lint(&patched(18, 8)), Err(ElfError::Machine(8)));
        assert!(
            ElfError::Machine(8).to_string().starts_with("built for another architecture (8), but this host runs on ")
        );
        assert_eq!(lint(&patched(16, 2)), Err(ElfError::NotLibrary));
    }

    #[test]
    fn a_library_cut_anywhere_is_refused() {
        let good = library(&[(DT_NEEDED, LIBC)], GLOBAL, Some(&note("{}")));
        assert!(lint(&good).is_ok());
        for len in 0..good.len() {
            assert!(lint(&good[..len]).is_err(), "cut at {len} of {}", good.len());
        }
    }

    #[test]
    fn a_running_executable_is_no_plugin_and_its_first_nine_tenths_are_truncated() {
        let bytes = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(lint(&bytes), Err(ElfError::NotLibrary));
        let cut = lint(&bytes[..bytes.len() / 10 * 9]);
        assert!(matches!(cut, Err(ElfError::Truncated { part: "the section header table", .. })), "{cut:?}");
    }

    #[test]
    fn libraries_of_the_system_are_known_by_their_whole_name() {
        for good in
            ["libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libdl.so.2"]
        {
            assert!(is_of_system(good), "{good}");
        }
        for bad in ["libssl.so.3", "libc++.so.1", "libc.so.6.evil", "/tmp/libc.so.6", "libc", "ld-linux/../x.so"] {
            assert!(!is_of_system(bad), "{bad}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_changed_bytes_make_it_panic(changes in proptest::collection::vec((0..600_usize, proptest::num::u8::ANY), 1..8)) {
            let mut bytes = library(&[(DT_NEEDED, LIBC)], GLOBAL, Some(&note("{}")));
            for (at, byte) in changes {
                if let Some(slot) = bytes.get_mut(at) {
                    *slot = byte;
                }
            }
            let _ = lint(&bytes);
        }
    }
}
