//! A protocol that a plugin serves.

use portolan_base::sanitize::text::Text;
use portolan_base::sanitize::web_url::WebUrl;

/// A protocol as answers show it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Protocol {
    pub(crate) slug: String,
    pub(crate) name: Text,
    pub(crate) website: WebUrl,
    pub(crate) logo: WebUrl,
    pub(crate) primitives: Vec<String>,
    pub(crate) company_name: Text,
    pub(crate) company_slug: Text,
}
