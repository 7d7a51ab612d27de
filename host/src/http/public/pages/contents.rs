//! `/llms.txt` by llmstxt.org: what this is, and where each page of the book is as Markdown.

use std::fmt::Write as _;

use crate::http::public::pages::DOCS;
use crate::http::public::pages::page_folder::PageFolder;

/// The contents of the book, as mdBook reads them.
const CONTENTS: &str = "SUMMARY.md";

const HEAD: &str = "# Portolan\n\n\
    > A self-hosted gateway for EVM networks. It answers over plain HTTP GET and JSON what an account holds and what it can \
    claim, with transactions that are ready to sign.\n\n\
    An empty list means that there is nothing. The header `portolan-partial` names what could not be read.\n";

/// Returns the file. Without a book it names what the gateway itself has.
pub(super) fn llms_txt(book: &PageFolder, public_url: &str) -> String {
    let mut text = HEAD.to_owned();
    let contents = book.file(CONTENTS).map(|file| String::from_utf8_lossy(&file.bytes)).unwrap_or_default();
    let mut section = "The book";
    for line in contents.lines() {
        match line.strip_prefix("# ") {
            Some("Contents") => {}
            Some(title) => section = title,
            None => {
                let Some((title, path)) = chapter(line).filter(|(_, path)| book.file(path).is_some()) else { continue };
                if !section.is_empty() {
                    // Writing to a text never fails.
                    let _ = write!(text, "\n## {section}\n\n");
                    section = "";
                }
                let _ = writeln!(text, "- [{title}]({public_url}{DOCS}{path})");
            }
        }
    }
    let _ = write!(
        text,
        "\n## This gateway\n\n- [Description]({public_url}/openapi.json): every endpoint, in OpenAPI 3.1\n\
         - [Problems]({public_url}/problems): what each problem means, and what to do\n\
         - [Networks]({public_url}/networks): the networks that it serves, as JSON\n\
         - [Protocols]({public_url}/protocols): the protocols that it serves, as JSON\n"
    );
    text
}

/// Returns the title and path of a chapter: `- [Title](path.md)`, at any depth.
fn chapter(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start().trim_start_matches("- ");
    line.strip_prefix('[')?.strip_suffix(')')?.rsplit_once("](")
}
