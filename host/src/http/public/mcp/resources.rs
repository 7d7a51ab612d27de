//! Resources: the guide's pages, their list, and a skill that says how to claim safely.

use std::fmt::Write as _;

use rmcp::model::{Resource, ResourceContents};

const MARKDOWN: &str = "text/markdown";
/// The guide's pages by file name.
static PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/guide_pages.rs"));
const PAGE_URI: &str = "portolan://docs/use/";
const LIST_URI: &str = "portolan://llms.txt";
const SKILL_URI: &str = "skill://claim-safely/SKILL.md";
static SKILL: &str = include_str!("claim_safely.md");

/// Returns all resources, without their texts.
pub(super) fn list() -> Vec<Resource> {
    let own = |uri: &str, name: &str, title: &str, text: &str| {
        let bytes = u64::try_from(text.len()).unwrap_or(u64::MAX);
        Resource::new(uri, name).with_title(title).with_mime_type(MARKDOWN).with_size(bytes)
    };
    let skill = own(SKILL_URI, "claim-safely", "How to claim safely", SKILL)
        .with_description("Read this before you help anybody to claim.");
    let contents = own(LIST_URI, "llms.txt", "All pages of the guide", &contents());
    let pages = PAGES.iter().map(|(name, text)| own(&format!("{PAGE_URI}{name}"), name, title(text), text));
    [skill, contents].into_iter().chain(pages).collect()
}

/// Returns a resource's text; `None` if there is none with this URI.
pub(super) fn read(uri: &str) -> Option<ResourceContents> {
    let text = match uri {
        SKILL_URI => SKILL.to_owned(),
        LIST_URI => contents(),
        _ => {
            let name = uri.strip_prefix(PAGE_URI)?;
            PAGES.iter().find(|(page, _)| *page == name).map(|(_, text)| (*text).to_owned())?
        }
    };
    Some(ResourceContents::text(text, uri).with_mime_type(MARKDOWN))
}

/// The list of pages, as llmstxt.org has it.
fn contents() -> String {
    let mut list = String::from(
        "# Portolan\n\n> A gateway that answers what an account holds and can claim on EVM networks.\n\n## Guide\n\n",
    );
    for (name, text) in PAGES {
        // Writing to a text never fails.
        let _ = writeln!(list, "- [{}]({PAGE_URI}{name})", title(text));
    }
    let _ = writeln!(list, "\n## Skills\n\n- [How to claim safely]({SKILL_URI})");
    list
}

/// The heading of a page.
fn title(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim_start_matches(['#', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_resource_can_be_read_and_is_listed() {
        let (all, contents) = (list(), contents());
        assert!(all.len() > 20, "{}", all.len());
        for resource in all {
            assert!(read(&resource.uri).is_some(), "{}", resource.uri);
            assert!(resource.uri == LIST_URI || contents.contains(&resource.uri), "{}", resource.uri);
            assert!(!resource.title.unwrap().is_empty(), "{}", resource.uri);
        }
        for uri in ["", "portolan://docs/use/", "portolan://docs/use/../README.md", "file:///etc/passwd"] {
            assert!(read(uri).is_none(), "{uri}");
        }
    }
}
