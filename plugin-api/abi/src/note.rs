//! The manifest as an ELF note, built at compile time. A host reads it without running code of the file.
//!
//! Section [`SECTION`], name [`NAME`], type [`TYPE`], descriptor: the manifest's JSON, padded with spaces.

/// Section of the note.
pub const SECTION: &str = ".note.portolan";
/// Name of the note.
pub const NAME: &str = "Portolan";
/// Type of the note.
pub const TYPE: u32 = 1;
/// Size of the descriptor in bytes.
pub const MANIFEST_BYTES: usize = 1024;

const NAME_BYTES: usize = 12;

/// An `Elf64_Nhdr` with name and descriptor.
#[repr(C, align(4))]
#[derive(Debug)]
pub struct Note {
    name_bytes: u32,
    descriptor_bytes: u32,
    kind: u32,
    name: [u8; NAME_BYTES],
    descriptor: [u8; MANIFEST_BYTES],
}

impl Note {
    /// Wraps a manifest in a note.
    pub const fn new(manifest: &Manifest) -> Self {
        let mut name = [0; NAME_BYTES];
        let text = NAME.as_bytes();
        let mut at = 0;
        while at < text.len() {
            name[at] = text[at];
            at += 1;
        }
        // The name's size includes its terminating zero, but not the padding to four bytes.
        Self { name_bytes: 9, descriptor_bytes: 1024, kind: TYPE, name, descriptor: manifest.0 }
    }
}

/// A manifest's JSON, as constant bytes.
///
/// Members: `plugin`, `version`, `abi` (the version of the interface), `apiRev`, `hostRevMin`, `frames` (versions),
/// `capabilities` (bits), `panic` (`unwind` or `abort`), `rustc`, `target`.
#[derive(Debug)]
pub struct Manifest([u8; MANIFEST_BYTES]);

impl Manifest {
    /// Joins pieces of JSON; spaces fill the rest.
    ///
    /// # Panics
    /// At compile time, if the pieces need more than [`MANIFEST_BYTES`].
    #[expect(clippy::panic, reason = "it is the build of the plugin that fails")]
    pub const fn new(pieces: &[&str]) -> Self {
        let mut bytes = [b' '; MANIFEST_BYTES];
        let (mut at, mut piece) = (0, 0);
        while piece < pieces.len() {
            let text = pieces[piece].as_bytes();
            let mut from = 0;
            while from < text.len() {
                if at == MANIFEST_BYTES {
                    panic!("the manifest is longer than its note");
                }
                bytes[at] = text[from];
                at += 1;
                from += 1;
            }
            piece += 1;
        }
        Self(bytes)
    }

    /// The JSON text.
    pub const fn text(&self) -> &str {
        match core::str::from_utf8(&self.0) {
            Ok(text) => text.trim_ascii_end(),
            Err(_) => "",
        }
    }
}
