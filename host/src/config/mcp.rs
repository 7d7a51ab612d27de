//! Access to `/mcp`: `[mcp]`.

use url::{Origin, Url};

use super::form::ValueOrigin;

/// Maximum number of origins.
const ORIGINS_MAX: usize = 64;

/// Who may call tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct McpAccess {
    /// Allowed hosts in lower case, besides loopback ones and the address that a request came to.
    pub(crate) allowed_hosts: Vec<String>,
    /// Origins of web pages, as browsers write them.
    pub(crate) allowed_origins: Vec<String>,
}

impl McpAccess {
    /// The host of the public URL is allowed too.
    pub(super) fn new(hosts: &[String], origins: &[String], public_url: Option<&str>) -> Self {
        let public = public_url.and_then(|url| Url::parse(url).ok());
        let public = public.and_then(|url| Some(url.host_str()?.to_ascii_lowercase()));
        Self { allowed_hosts: hosts.iter().cloned().chain(public).collect(), allowed_origins: origins.to_vec() }
    }
}

/// Reads a list of origins.
pub(super) fn origins(texts: &[String], _: ValueOrigin<'_>) -> Result<Vec<String>, String> {
    let text = texts.join(",");
    let origins = text.split(',').map(str::trim).filter(|origin| !origin.is_empty());
    let origins: Option<Vec<String>> = origins.map(origin).collect();
    let few = origins.filter(|origins| origins.len() <= ORIGINS_MAX);
    few.ok_or_else(|| format!("{text} is not a list of at most {ORIGINS_MAX} origins like https://app.example"))
}

/// Returns an origin as browsers write it; `None` if the text has more or less than one.
fn origin(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    match url.origin() {
        origin @ Origin::Tuple(..) if is_bare => Some(origin.ascii_serialization()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_written_as_browsers_write_it() {
        let cases = [
            ("https://App.example", Some("https://app.example")),
            ("https://app.example:443/", Some("https://app.example")),
            ("http://localhost:6274", Some("http://localhost:6274")),
            ("https://app.example/x", None),
            ("https://a@app.example", None),
            ("app.example", None),
            ("file:///x", None),
            ("null", None),
            ("*", None),
        ];
        for (text, expected) in cases {
            assert_eq!(origin(text).as_deref(), expected, "{text}");
        }
    }
}
