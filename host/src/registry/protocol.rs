//! A protocol that a plugin serves.

/// A protocol as answers show it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Protocol {
    pub(crate) slug: String,
    pub(crate) name: String,
    pub(crate) website: String,
    pub(crate) logo: String,
    pub(crate) primitives: Vec<String>,
    pub(crate) company_name: String,
    pub(crate) company_slug: String,
}
