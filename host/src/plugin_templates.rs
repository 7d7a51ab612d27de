//! The templates of `portolan plugin new`, as the build script embeds them.

/// Files of a folder by their paths in it, each with its text.
pub(crate) type TemplateFiles = &'static [(&'static str, &'static str)];

/// The folders of `examples/plugins`.
static TEMPLATES: &[(&str, TemplateFiles)] = include!(concat!(env!("OUT_DIR"), "/plugin_templates.rs"));

/// The folder whose files belong to every project.
pub(crate) const COMMON: &str = "common";

/// Returns the kinds of plugins that there are templates of.
pub(crate) fn kinds() -> impl Iterator<Item = &'static str> {
    TEMPLATES.iter().map(|(kind, _)| *kind).filter(|kind| *kind != COMMON)
}

/// Returns the files of a folder; none for a folder that is not there.
pub(crate) fn files(folder: &str) -> TemplateFiles {
    TEMPLATES.iter().find(|(name, _)| *name == folder).map_or(&[], |(_, files)| *files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_folder_but_the_common_one_is_a_kind() {
        let kinds: Vec<_> = kinds().collect();
        assert!(["events", "farm", "rows"].iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
        assert!(!kinds.contains(&COMMON) && !files(COMMON).is_empty());
        for kind in kinds {
            let paths: Vec<_> = files(kind).iter().map(|(path, _)| *path).collect();
            for path in ["Cargo.lock", "Cargo.toml", "README.md", "protocols/acme.toml", "src/lib.rs"] {
                assert!(paths.contains(&path), "{kind} has no {path}: {paths:?}");
            }
            assert!(paths.iter().all(|path| !path.starts_with("target/")), "{kind}: {paths:?}");
        }
    }
}
