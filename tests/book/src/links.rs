//! Links of pages: found in their Markdown, and written anew for the place that a page has in the book.

use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::{Page, README, ROOT, is_linked, resolved, tree};

/// A link in a text: where it is, where the text that it shows is, and what it leads to.
struct Link {
    whole: Range<usize>,
    shown: Range<usize>,
    target: String,
}

/// Returns what the links of a text of Markdown show, and what they lead to.
pub fn of(text: &str) -> Vec<(String, String)> {
    let shown = |link: Link| Some((text.get(link.shown)?.to_owned(), link.target));
    found(text).into_iter().filter_map(shown).collect()
}

fn found(text: &str) -> Vec<Link> {
    // As mdBook reads tables; other extensions have no links.
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    let (mut links, mut open): (Vec<Link>, Option<Link>) = (Vec::new(), None);
    for (event, range) in events {
        match (event, &mut open) {
            (Event::Start(Tag::Link { dest_url, .. }), _) => {
                let shown = range.end..range.start;
                open = Some(Link { whole: range, shown, target: dest_url.into_string() });
            }
            (Event::End(TagEnd::Link), _) => links.extend(open.take()),
            (_, Some(link)) => {
                link.shown = link.shown.start.min(range.start)..link.shown.end.max(range.end);
            }
            _ => {}
        }
    }
    links
}

/// Writes the links of one page anew.
pub(crate) struct Links<'a> {
    pub(crate) page: &'a Page,
    pub(crate) pages: &'a [Page],
}

impl Links<'_> {
    /// Returns the text of the page for the book.
    pub(crate) fn rewritten(&self, text: &str) -> String {
        let (mut rewritten, mut done) = (String::new(), 0);
        for link in found(text) {
            let (Some(before), Some(shown)) = (text.get(done..link.whole.start), text.get(link.shown)) else {
                continue;
            };
            rewritten += before;
            rewritten += &self.link(shown, &link.target);
            done = link.whole.end;
        }
        rewritten + text.get(done..).unwrap_or_default()
    }

    fn link(&self, shown: &str, target: &str) -> String {
        let (path, anchor) = target.split_at(target.find('#').unwrap_or(target.len()));
        if path.is_empty() || target.contains("://") {
            return format!("[{shown}]({target})");
        }
        let Some(source) = resolved(&self.page.source, path) else { return shown.to_owned() };
        let is_meant = |page: &&Page| page.source == source || page.source == source.join(README);
        match self.pages.iter().find(is_meant) {
            Some(page) => format!("[{shown}]({}{anchor})", between(&self.page.path, &page.path)),
            None => match source.strip_prefix(ROOT) {
                Ok(file) if tree().join(&source).is_file() && is_linked(file) => {
                    format!("[{shown}]({})", between(&self.page.path, file))
                }
                _ => named(shown, &source),
            },
        }
    }
}

/// Returns what stands in the place of a link out of the book: the path in the tree, after what the link shows unless that
/// is the path.
fn named(shown: &str, source: &Path) -> String {
    let path = format!("`{}{}`", source.display(), if tree().join(source).is_dir() { "/" } else { "" });
    let is_path = shown.trim_matches('`').trim_end_matches('/') == source.to_string_lossy();
    if is_path { path } else { format!("{shown} ({path})") }
}

/// Returns the relative link from one page of the book to another.
fn between(from: &Path, to: &Path) -> String {
    let folder: Vec<Component<'_>> = from.parent().into_iter().flat_map(Path::components).collect();
    let target: Vec<Component<'_>> = to.components().collect();
    let common = folder.iter().zip(&target).take_while(|(one, other)| one == other).count();
    let up = folder.iter().skip(common).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(target.iter().skip(common).copied()).collect();
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::INDEX;

    fn page(source: &str) -> Page {
        Page::new(String::new(), source.into())
    }

    #[test]
    fn links_lead_to_pages_of_the_book_or_become_paths() {
        let pages = ["host/docs/README.md", "host/docs/use/tour.md", "plugin-api/README.md"].map(page);
        let links = Links { page: &pages[1], pages: &pages };
        for (text, expected) in [
            ("see [x](../README.md).", "see [x](../index.md)."),
            ("[`x` y](../README.md#words)", "[`x` y](../index.md#words)"),
            ("[x](#here) [y](https://a.example/b.md)", "[x](#here) [y](https://a.example/b.md)"),
            ("[SDK](../../../plugin-api/README.md)", "[SDK](../plugin-api/index.md)"),
            ("[SDK](../../../plugin-api)", "[SDK](../plugin-api/index.md)"),
            (
                "| [SDK][1] |\n|---|\n\n[1]: ../../../plugin-api\n",
                "| [SDK](../plugin-api/index.md) |\n|---|\n\n[1]: ../../../plugin-api\n",
            ),
            ("[`tests/book`](../../../tests/book)", "`tests/book/`"),
            ("[the lock](../../../Cargo.lock#L1)", "the lock (`Cargo.lock`)"),
            ("[the settings](../book.toml)", "the settings (`host/docs/book.toml`)"),
            ("`[x](../README.md)`", "`[x](../README.md)`"),
            ("    [x](../README.md)", "    [x](../README.md)"),
        ] {
            assert_eq!(links.rewritten(text), expected);
        }
        let links = Links { page: &pages[2], pages: &pages };
        assert_eq!(links.rewritten("[x](../host/docs/use/tour.md)"), "[x](../use/tour.md)");
        assert_eq!(links.rewritten("[x](../../../../etc/passwd)"), "x");
    }

    #[test]
    fn index_pages_stand_for_their_folders() {
        assert_eq!(page("host/docs/README.md").path, Path::new(INDEX));
        assert_eq!(page("plugin-api/abi/README.md").path, Path::new("plugin-api/abi/index.md"));
    }
}
