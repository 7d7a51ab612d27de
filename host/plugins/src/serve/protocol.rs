//! A protocol that a plugin serves.

use portolan_base::sanitize::text::Text;
use portolan_base::sanitize::web_url::WebUrl;

/// A protocol as answers show it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protocol {
    pub slug: String,
    pub name: Text,
    pub website: WebUrl,
    pub logo: WebUrl,
    pub primitives: Vec<String>,
    pub company_name: Text,
    pub company_slug: Text,
}
