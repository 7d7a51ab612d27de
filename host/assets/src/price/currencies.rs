//! Currencies that values can be expressed in beside dollars, and the shipped feeds of their rates.
//!
//! A currency is priced like a token, so that fixed prices, feeds and the HTTP source apply to it. Its address is made of
//! its code. Feeds are from [aave-address-book](https://github.com/bgd-labs/aave-address-book), like those of tokens.
//! Invariant: nobody can have a contract at the address of a currency, so that none is mistaken for a token.

use std::collections::HashMap;

use alloy::primitives::{Address, address};
use portolan_base::network::Network;
use portolan_networks as networks;
use portolan_reader::Session;

use super::Prices;
use crate::issuers::Issuers;
use crate::metadata::{MetadataSet, TokenMetadata};
use crate::token::Price;
use crate::token_list::TokenIndex;

/// A currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Currency {
    /// Code of ISO 4217, `BTC` or `ETH`.
    pub code: &'static str,
    /// Address that stands for it where tokens are priced.
    pub token: Address,
}

impl Currency {
    /// Beginning of the addresses of all currencies.
    const SPACE: &str = "currency:";
    const DOLLAR: &str = "USD";

    fn new(code: &'static str) -> Self {
        let mut bytes = [0; 20];
        let text = Self::SPACE.bytes().chain(code.bytes());
        bytes.iter_mut().zip(text).for_each(|(byte, letter)| *byte = letter);
        Self { code, token: Address::new(bytes) }
    }

    /// Returns the currency with this code, in any letter case.
    pub fn named(code: &str) -> Option<Self> {
        Self::all().find(|currency| currency.code.eq_ignore_ascii_case(code))
    }

    /// All currencies, dollars first.
    pub fn all() -> impl Iterator<Item = Self> {
        let others = CURRENCIES.iter().map(|row| row.code);
        std::iter::once(Self::DOLLAR).chain(others).map(Self::new)
    }

    pub fn is_dollar(self) -> bool {
        self.code == Self::DOLLAR
    }
}

impl Prices {
    /// Returns true if a source names the currency's rate on this network.
    pub fn has_rate(&self, network: &Network, currency: Currency) -> bool {
        self.covers(network, currency.token)
    }

    /// Reads the price of one unit of a currency, which is in dollars; `None` if no source has a good one.
    pub async fn rate(&self, session: &Session, network: &Network, currency: Currency) -> Option<Price> {
        let (index, token) = (TokenIndex::default(), currency.token);
        let issuers = Issuers::new(network.chain_id, None, &index);
        let metadata = MetadataSet::of(token, TokenMetadata::default());
        let (mut prices, _) = self.resolve(session, network, &issuers, &metadata, &HashMap::new(), Vec::new()).await;
        prices.remove(&token)
    }
}

/// The contracts that answer in dollars for one unit of a currency: chain id, address of the currency, and the contract.
pub(super) fn feeds() -> impl Iterator<Item = (u64, Address, Address)> {
    CURRENCIES
        .iter()
        .flat_map(|row| row.feeds.iter().map(|(chain_id, feed)| (*chain_id, Currency::new(row.code).token, *feed)))
}

/// A currency and its feeds, which answer in dollars for one unit of it, by chain id.
#[derive(Debug)]
struct CurrencyRow {
    code: &'static str,
    feeds: &'static [(u64, Address)],
}

#[rustfmt::skip]
static CURRENCIES: [CurrencyRow; 23] = [
    CurrencyRow { code: "AUD", feeds: &[(networks::ETHEREUM, address!("77f9710e7d0a19669a13c055f62cd80d313df022")), (networks::OPTIMISM, address!("39be70e93d2d285c9e71be7f70fc5a45a7777b14")), (networks::ARBITRUM, address!("9854e9a850e7c354c1de177ea953a6b1fba8fc22")), (networks::BSC, address!("498f912b09b5df618c77fcc9e8da503304df92bf")), (networks::POLYGON, address!("062df9c4efd2030e243ffcc398b652e8b8f95c6f")), (networks::BASE, address!("46e51b8ca41d709928eda9ae43e42193e6cdf229"))] }, // Australian dollar
    CurrencyRow { code: "BRL", feeds: &[(networks::OPTIMISM, address!("b22900d4d0cea5db0b3bb08565a9f0f4a831d32c")), (networks::ARBITRUM, address!("04b7384473a2adf1903e3a98acac5d62ba8c2702")), (networks::BSC, address!("5cb1cb3ea5fb46de1ce1d0f3badb3212e8d8ef48")), (networks::POLYGON, address!("b90da3ff54c3ed09115abf6fba0ff4645586af2c")), (networks::BASE, address!("0b0e64c05083fdf9ed7c5d3d8262c4216efc9394"))] }, // Brazilian real
    CurrencyRow { code: "CAD", feeds: &[(networks::ETHEREUM, address!("a34317db73e77d453b1b8d04550c44d10e981c8e")), (networks::ARBITRUM, address!("f6da27749484843c4f02f5ad1378cee723dd61d4")), (networks::POLYGON, address!("aca44abb8b04d07d883202f99fa5e3c53ed57fb5")), (networks::BASE, address!("a840145f87572e82519d578b1f36340368a25d5d"))] }, // Canadian dollar
    CurrencyRow { code: "CHF", feeds: &[(networks::ETHEREUM, address!("449d117117838ffa61263b61da6301aa2a88b13a")), (networks::ARBITRUM, address!("e32accc8c4ec03f6e75bd3621bfc9fbb234e1fc3")), (networks::AVALANCHE, address!("a418573ab5226711c8564eeb449c3618abfaf677")), (networks::BSC, address!("964261740356cb4aad0c3d2003ce808a4176a46d")), (networks::POLYGON, address!("c76f762cedf0f78a439727861628e0fdfe1e70c2")), (networks::BASE, address!("3a1d6444fb6a402470098e23dad0b7e86e14252f"))] }, // Swiss franc
    CurrencyRow { code: "CNY", feeds: &[(networks::ETHEREUM, address!("ef8a4af35cd47424672e3c590abd37fbb7a7759a")), (networks::ARBITRUM, address!("cc3370bde6afe51e1205a5038947b9836371eccb")), (networks::POLYGON, address!("04bb437aa63e098236fa47365f0268547f6eab32"))] }, // Chinese yuan
    CurrencyRow { code: "EUR", feeds: &[(networks::ETHEREUM, address!("b49f677943bc038e9857d61e7d053caa2c1734c1")), (networks::OPTIMISM, address!("3626369857a10ccc6cc3a6e4f5c2f5984a519f20")), (networks::ARBITRUM, address!("a14d53bc1f1c0f31b4aa3bd109344e5009051a84")), (networks::AVALANCHE, address!("192f2dba961bb0277520c082d6bfa87d5961333e")), (networks::BSC, address!("0bf79f617988c472dca68ff41efe1338955b9a80")), (networks::POLYGON, address!("73366fe0aa0ded304479862808e02506fe556a98")), (networks::BASE, address!("c91d87e81fab8f93699ecf7ee9b44d11e1d53f0f"))] }, // euro
    CurrencyRow { code: "GBP", feeds: &[(networks::ETHEREUM, address!("5c0ab2d9b5a7ed9f470386e82bb36a3613cdd4b5")), (networks::ARBITRUM, address!("9c4424fd84c6661f97d8d6b3fc3c1aac2bedd137")), (networks::BSC, address!("8faf16f710003e538189334541f5d4a391da46a0")), (networks::POLYGON, address!("099a2540848573e94fb1ca0fa420b00acbbc845a")), (networks::BASE, address!("ccea6576904c118037695eb71195a5425e69fa15"))] }, // pound sterling
    CurrencyRow { code: "HKD", feeds: &[(networks::ARBITRUM, address!("5082d93991dfcc69f57a27cec63edee1b8c22757"))] }, // Hong Kong dollar
    CurrencyRow { code: "IDR", feeds: &[(networks::ETHEREUM, address!("91b99c9b75af469a71ee1ab528e8da994a5d7030")), (networks::POLYGON, address!("80a5cb83ce268ed11a6efc4bbf0bec39df35db21")), (networks::BASE, address!("05a6cf213ecc5501a11a08ebefa4a8a60313ef97"))] }, // Indonesian rupiah
    CurrencyRow { code: "INR", feeds: &[(networks::OPTIMISM, address!("5535e67d8f99c8ebe961e1fc1f6ddae96fec82c9")), (networks::BSC, address!("ef0a3109ce97e0b58557f0e3ba95ea16bfa4a89d")), (networks::POLYGON, address!("da0f8df6f5db15b346f4b8d1156722027e194e60"))] }, // Indian rupee
    CurrencyRow { code: "JPY", feeds: &[(networks::ETHEREUM, address!("bce206cae7f0ec07b545edde332a47c2f75bbeb3")), (networks::OPTIMISM, address!("536944c3a71feb7c1e5c66ee37d1a148d8d8f619")), (networks::ARBITRUM, address!("3dd6e51cb9cae717d5a8778cf79a04029f9cfdf8")), (networks::AVALANCHE, address!("f8b283ad4d969ecfd70005714dd5910160565b94")), (networks::BSC, address!("22db8397a6e77e41471de256a7803829fdc8bc57")), (networks::POLYGON, address!("d647a6fc9bc6402301583c91decc5989d8bc382d"))] }, // Japanese yen
    CurrencyRow { code: "KRW", feeds: &[(networks::ETHEREUM, address!("01435677fb11763550905594a16b645847c1d0f3")), (networks::ARBITRUM, address!("85bb02e0ae286600d1c68bb6ce22cc998d411916")), (networks::POLYGON, address!("24b820870f726da9b0d83b0b28a93885061dbf50"))] }, // South Korean won
    CurrencyRow { code: "MXN", feeds: &[(networks::BSC, address!("16c0c1f971b1780f952572670a9d5ce4123582a1")), (networks::POLYGON, address!("171b16562ea3476f5c61d1b8dad031dba0768545")), (networks::BASE, address!("9e8ee77c76d4fa41306056d1c3196af5da1600bd"))] }, // Mexican peso
    CurrencyRow { code: "NZD", feeds: &[(networks::ETHEREUM, address!("3977cfc9e4f29c184d4675f4eb8e0013236e5f3e")), (networks::POLYGON, address!("a302a0b8a499fd0f00449df0a490dede21105955")), (networks::BASE, address!("06bdfe07e71c476157fc025d3ccd4bbe08e83ef9"))] }, // New Zealand dollar
    CurrencyRow { code: "PHP", feeds: &[(networks::ETHEREUM, address!("3c7db4d25deab7c89660512c5494dc9a3fc40f78")), (networks::ARBITRUM, address!("ff82aaf635645fd0bcc7b619c3f28004cdb58574")), (networks::BSC, address!("1ccad765d39aa2060eb4f6dd94e5874db786c16f")), (networks::POLYGON, address!("218231089bebb2a31970c3b77e96ecfb3ba006d1")), (networks::BASE, address!("0396000dc82bfaee746a9ac6dc69dad3223ca9c6"))] }, // Philippine peso
    CurrencyRow { code: "PLN", feeds: &[(networks::POLYGON, address!("b34bce11040702f71c11529d00179b2959bce6c0"))] }, // Polish zloty
    CurrencyRow { code: "SEK", feeds: &[(networks::ARBITRUM, address!("de89a55d04ded40a410877ab87d4f567ee66a1f0")), (networks::POLYGON, address!("bd92b4919ae82be8473859295def0e778a626302"))] }, // Swedish krona
    CurrencyRow { code: "SGD", feeds: &[(networks::ETHEREUM, address!("e25277ff4bbf9081c75ab0eb13b4a13a721f3e13")), (networks::ARBITRUM, address!("f0d38324d1f86a176ac727a4b0c43c9f9d9c5eb1")), (networks::AVALANCHE, address!("05950959b6d876ae0fed1bbe5caa2d74d8659d59")), (networks::BSC, address!("3065b2369820f76c829b9bbcaf4b90f9f47d6314")), (networks::POLYGON, address!("8ce3cac0e6635ce04783709ca3cc4f5fc5304299")), (networks::BASE, address!("81575495532fb311efc5c993b612564274f0949b"))] }, // Singapore dollar
    CurrencyRow { code: "THB", feeds: &[(networks::BSC, address!("00edea5d03e6cb155662dbf1b00dea5693be874a")), (networks::POLYGON, address!("5164ad28fb12a5e55946090ec3ee1b748afb3785"))] }, // Thai baht
    CurrencyRow { code: "TRY", feeds: &[(networks::ETHEREUM, address!("b09fc5fd3f11cf9eb5e1c5dba43114e3c9f477b5")), (networks::ARBITRUM, address!("e8f8afe4b56c6c421f691bfac225ce61b2c7cd05")), (networks::AVALANCHE, address!("a61bf273688ea095b5e4c11f1af5e763f7aeee91")), (networks::POLYGON, address!("d78325dca0f90f0ffe53ccea1b02bb12e1bf8fdb")), (networks::BASE, address!("29413773e7cd4dfd6ad89a50887877b88a6c592c"))] }, // Turkish lira
    CurrencyRow { code: "ZAR", feeds: &[(networks::ARBITRUM, address!("a9cc9b5ea2584239365ea6b985868d121cb7aea6")), (networks::BSC, address!("de1952a1bf53f8e558cc761ad2564884e55b2c6f")), (networks::POLYGON, address!("d4a120c26d57b910c56c910cdd13eebfa3135502")), (networks::BASE, address!("2ecc8a8b370fc6a217166b2782a35339bebee98b"))] }, // South African rand
    CurrencyRow { code: "BTC", feeds: &[(networks::ETHEREUM, address!("f4030086522a5beea4988f8ca5b36dbc97bee88c")), (networks::OPTIMISM, address!("d702dd976fb76fffc2d3963d037dfdae5b04e593")), (networks::ARBITRUM, address!("6ce185860a4963106506c203335a2910413708e9")), (networks::AVALANCHE, address!("2779d32d5166baaa2b2b658333ba7e6ec0c65743")), (networks::BSC, address!("264990fbd0a4796a3e3d8e37c4d5f87a3aca5ebf")), (networks::POLYGON, address!("c907e116054ad103354f2d350fd2514433d57f6f")), (networks::BASE, address!("64c911996d3c6ac71f9b455b1e8e7266bcbd848f"))] }, // bitcoin
    CurrencyRow { code: "ETH", feeds: &[(networks::ETHEREUM, address!("5f4ec3df9cbd43714fe2740f5e3616155c5b8419")), (networks::OPTIMISM, address!("13e3ee699d1909e989722e753853ae30b17e08c5")), (networks::ARBITRUM, address!("639fe6ab55c921f74e7fac1ee960c0b6293ba612")), (networks::AVALANCHE, address!("976b3d034e162d8bd72d6b9c989d545b839003b0")), (networks::BSC, address!("9ef1b8c0e4f7dc8bf5719ea496883dc6401d5b2e")), (networks::POLYGON, address!("f9680d99d6c9589e2a93a78a04a279e509205945")), (networks::BASE, address!("71041dddad3595f9ced3dccfbe3d1f4b0a16bb70"))] }, // ether
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn currencies_have_one_code_and_one_address_each() {
        let codes: BTreeSet<&str> = Currency::all().map(|currency| currency.code).collect();
        let tokens: BTreeSet<Address> = Currency::all().map(|currency| currency.token).collect();
        assert_eq!((codes.len(), tokens.len()), (CURRENCIES.len() + 1, CURRENCIES.len() + 1));
        for row in &CURRENCIES {
            let chain_ids: BTreeSet<u64> = row.feeds.iter().map(|(chain_id, _)| *chain_id).collect();
            assert!(!row.feeds.is_empty() && chain_ids.len() == row.feeds.len(), "{}", row.code);
        }
    }

    #[test]
    fn a_feed_is_the_rate_of_one_currency() {
        let feeds: BTreeSet<(u64, Address)> = CURRENCIES.iter().flat_map(|row| row.feeds.iter().copied()).collect();
        assert_eq!(feeds.len(), CURRENCIES.iter().map(|row| row.feeds.len()).sum::<usize>());
    }

    #[test]
    fn a_currency_has_the_address_of_its_code() {
        let euro = Currency::named("eur").unwrap();
        // "currency:EUR" in ASCII.
        assert_eq!((euro.code, euro.token), ("EUR", address!("63757272656e63793a4555520000000000000000")));
        assert_eq!(Currency::named("XXX"), None);
    }
}
