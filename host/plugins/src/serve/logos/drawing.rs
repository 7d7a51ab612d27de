//! Draws the logo of a protocol without a published one: its initials on a colour that follows from its slug.
//!
//! Invariant: the same slug gives the same bytes, and only its letters, digits, `_` and `-` are in them.

/// Letters of a drawing; more are too small to read in a list.
const INITIALS: usize = 2;

/// Returns the SVG document of a slug.
pub fn draw(slug: &str) -> String {
    let (initials, hue) = (initials(slug), hue(slug));
    let shade = (hue + 40) % 360;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 64 64\" role=\"img\"><title>{slug}</title>\
         <linearGradient id=\"g\" x1=\"0\" y1=\"0\" x2=\"1\" y2=\"1\">\
         <stop offset=\"0\" stop-color=\"hsl({hue},58%,48%)\"/><stop offset=\"1\" stop-color=\"hsl({shade},62%,34%)\"/>\
         </linearGradient><rect width=\"64\" height=\"64\" rx=\"16\" fill=\"url(#g)\"/>\
         <text x=\"32\" y=\"42\" font-family=\"system-ui,sans-serif\" font-size=\"28\" font-weight=\"600\" \
         text-anchor=\"middle\" fill=\"#fff\">{initials}</text></svg>"
    )
}

/// The first letters of its words, or of its only word; version numbers do not count.
fn initials(slug: &str) -> String {
    let is_version = |word: &str| word.strip_prefix('v').is_some_and(|rest| rest.parse::<u8>().is_ok());
    let words: Vec<&str> = slug.split(['_', '-']).filter(|word| !word.is_empty() && !is_version(word)).collect();
    let letters: String = match words.as_slice() {
        [] => slug.chars().filter(char::is_ascii_alphanumeric).take(INITIALS).collect(),
        [word] => word.chars().take(INITIALS).collect(),
        words => words.iter().take(INITIALS).filter_map(|word| word.chars().next()).collect(),
    };
    letters
        .char_indices()
        .map(|(place, letter)| if place == 0 { letter.to_ascii_uppercase() } else { letter })
        .collect()
}

/// Hue in degrees: FNV-1a of the slug, <https://datatracker.ietf.org/doc/html/draft-eastlake-fnv>.
fn hue(slug: &str) -> u32 {
    slug.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)) % 360
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initials_are_those_of_words_and_never_of_versions() {
        let cases = [
            ("fluid-lending", "Fl"),
            ("extra_finance", "Ef"),
            ("pendle", "Pe"),
            ("granary_v2", "Gr"),
            ("1inch", "1i"),
            ("0x", "0x"),
            ("v3", "V3"),
            ("-", ""),
        ];
        for (slug, expected) in cases {
            assert_eq!(initials(slug), expected, "{slug}");
        }
    }

    #[test]
    fn a_drawing_follows_from_its_slug_alone() {
        let drawn = draw("ether-fi");
        assert_eq!(drawn, draw("ether-fi"));
        assert_ne!(drawn, draw("renzo"));
        assert!(drawn.starts_with("<svg xmlns=") && drawn.ends_with("</svg>") && drawn.contains(">Ef</text>"));
        assert!(!drawn.contains("script") && !drawn.contains("href"));
    }
}
