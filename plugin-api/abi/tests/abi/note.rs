//! The note as bytes, which a host reads without running the file.

use portolan_abi::note::{MANIFEST_BYTES, Manifest, NAME, Note, TYPE};

const MANIFEST: Manifest = Manifest::new(&["{\"plugin\":\"", "acme", "\"}"]);
const FULL: Manifest = Manifest::new(&[FILL, "\"}"]);
const FILL: &str = match std::str::from_utf8(&[b'x'; MANIFEST_BYTES - 2]) {
    Ok(text) => text,
    Err(_) => "",
};

#[test]
fn a_manifest_joins_its_pieces_without_trailing_spaces() {
    assert_eq!(MANIFEST.text(), "{\"plugin\":\"acme\"}");
    assert_eq!(Manifest::new(&[]).text(), "");
}

#[test]
fn a_manifest_may_fill_its_note_to_the_last_byte() {
    assert_eq!(FULL.text().len(), MANIFEST_BYTES);
    assert!(FULL.text().ends_with("x\"}"));
}

#[test]
fn a_note_is_an_elf_note_header_a_name_and_a_descriptor() {
    // A head of 12 bytes, the name padded to 12, and the descriptor. The `sdk` tests read the note of a real file.
    assert_eq!(size_of::<Note>(), 12 + 12 + MANIFEST_BYTES);
    assert_eq!(align_of::<Note>(), 4);
    assert_eq!((NAME, TYPE), ("Portolan", 1));
}
