//! Logos of protocols in
//! <https://github.com/decentri-fi/data/tree/b8c1a389e91f11ca13927e8176352a1f73b041cd/logo/protocol>, by slug.
//!
//! Invariant: each file exists in that folder. Check there before adding one.

const FOLDER: &str = "https://github.com/decentri-fi/data/raw/master/logo/protocol/";

static FILES: [(&str, &str); 50] = [
    ("aave_v2", "aave.png"),
    ("aave_v3", "aave.png"),
    ("aelin", "aelin.jpeg"),
    ("aerodrome", "aerodrome.png"),
    ("alienbase", "alienbase.png"),
    ("apeswap", "apeswap.png"),
    ("aura", "aura.jpeg"),
    ("balancer", "balancer.png"),
    ("bancor", "bancor.png"),
    ("baseswap", "baseswap.png"),
    ("beethovenx", "beethovenx.png"),
    ("camelot", "camelot.png"),
    ("compound", "compound.png"),
    ("convex", "convex.png"),
    ("cowswap", "cowswap.png"),
    ("curve", "curve.png"),
    ("dinoswap", "dinoswap.png"),
    ("eigenlayer", "eigenlayer.png"),
    ("equalizer", "equalizer.png"),
    ("frax", "frax.png"),
    ("gmx", "gmx.png"),
    ("hop", "hop.jpg"),
    ("lido", "lido.png"),
    ("liquity", "liquity.png"),
    ("lyra", "lyra.png"),
    ("mantle", "mantle.png"),
    ("moonwell", "moonwell.png"),
    ("pancakeswap", "pancakeswap.png"),
    ("polygon-protocol", "polygon.png"),
    ("qidao", "qidao.png"),
    ("quickswap", "quickswap.png"),
    ("radiant", "radiant.png"),
    ("rocketpool", "rocketpool.png"),
    ("seamless", "seamless.png"),
    ("sonne", "sonne.png"),
    ("spark", "spark.png"),
    ("spookyswap", "spooky.png"),
    ("stargate", "stargate.svg"),
    ("sushiswap", "sushiswap.png"),
    ("swapfish", "swapfish.png"),
    ("swell", "swell.png"),
    ("trader-joe", "traderjoe.png"),
    ("uniswap_v1", "uniswap.png"),
    ("uniswap_v2", "uniswap.png"),
    ("uniswap_v3", "uniswap.png"),
    ("uniswap_v4", "uniswap.png"),
    ("velodrome_v1", "velodrome.svg"),
    ("velodrome_v2", "velodrome.svg"),
    ("wepiggy", "wepiggy.png"),
    ("yearn", "yearn.png"),
];

/// The URL of a published logo; `None` if the repository has none.
pub(super) fn of_protocol(slug: &str) -> Option<String> {
    let (_, file) = FILES.iter().find(|(known, _)| *known == slug)?;
    Some(format!("{FOLDER}{file}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_protocol_stands_once_and_in_order() {
        assert!(FILES.is_sorted_by(|(one, _), (other, _)| one < other));
    }
}
