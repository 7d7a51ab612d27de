//! Settings as typed rows: the shipped deployments, changed by the operator's file.

use std::cell::RefCell;

use alloy::primitives::Address;
use portolan_abi::map::{self, Protocol, SettingsError, SettingsRow, SettingsValue};
use portolan_abi::{Question, codec};

/// The operator's settings file; the default is no file.
#[derive(Clone, Debug)]
pub struct Settings(map::Settings);

impl Default for Settings {
    fn default() -> Self {
        Self(map::Settings { shipped: true, ..map::Settings::default() })
    }
}

/// A mechanism's own keys of a `[[deployment]]`, as a type.
pub trait Mechanism: Clone {
    /// Reads the keys that the mechanism knows; any other is refused afterwards.
    ///
    /// # Errors
    /// [`SettingsError`] for a missing or wrong value.
    fn from_keys(keys: &Keys<'_>) -> Result<Self, SettingsError>;
}

/// A protocol's contracts on one network: a shipped row, or one of the settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployment<M> {
    /// Protocol slug.
    pub protocol: String,
    /// EIP-155 chain id.
    pub network: u64,
    /// Distinguishes several of one protocol on one network; `main` where there is one.
    pub market: String,
    /// The mechanism's own contracts and choices.
    pub mechanism: M,
}

impl<M> Deployment<M> {
    /// The catalogue's row of this deployment, with the questions that it answers.
    ///
    /// `contracts` are those that claims may go to, and whose replies may name further ones (a factory, a list).
    pub fn served(&self, questions: &[Question], contracts: impl IntoIterator<Item = Address>) -> map::Deployment {
        map::Deployment {
            protocol: self.protocol.clone(),
            chain_id: self.network,
            market: self.market.clone(),
            questions: questions.to_vec(),
            contracts: contracts.into_iter().collect(),
        }
    }
}

impl Settings {
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, SettingsError> {
        let settings = codec::decode(bytes);
        settings.map(Self).map_err(|error| SettingsError::new(format!("settings frame: {error}")))
    }

    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn encode(&self) -> Vec<u8> {
        codec::encode(&self.0)
    }

    #[cfg(feature = "testing")]
    pub(crate) fn is_default(&self) -> bool {
        self.0 == Self::default().0
    }

    /// Settings with the operator's rows, as a test gives them.
    #[cfg(feature = "testing")]
    pub fn from_rows(shipped: bool, protocols: Vec<Protocol>, deployments: Vec<SettingsRow>) -> Self {
        Self(map::Settings { shipped, protocols, deployments })
    }

    /// The shipped protocols that `deployments` name, followed by those of the file.
    pub fn protocols<M>(&self, shipped: &[Protocol], deployments: &[Deployment<M>]) -> Vec<Protocol> {
        let added = |slug: &str| self.0.protocols.iter().any(|protocol| protocol.slug == slug);
        let named = |slug: &str| deployments.iter().any(|row| row.protocol == slug);
        let shipped = shipped.iter().filter(|protocol| named(&protocol.slug) && !added(&protocol.slug));
        shipped.chain(&self.0.protocols).cloned().collect()
    }

    /// The shipped rows of a mechanism that the file has no rows of; none where it leaves shipped rows out.
    pub fn shipped<M>(&self, rows: impl IntoIterator<Item = Deployment<M>>) -> Vec<Deployment<M>> {
        rows.into_iter().filter(|_| self.0.shipped).collect()
    }

    /// The shipped rows (unless the file leaves them out), with the file's rows replacing those of the same
    /// protocol, network and market, and the rest of the file's rows added.
    ///
    /// # Errors
    /// [`SettingsError`] names the file's row and key.
    pub fn deployments<M: Mechanism>(
        &self,
        shipped: impl IntoIterator<Item = Deployment<M>>,
    ) -> Result<Vec<Deployment<M>>, SettingsError> {
        self.deployments_by(shipped, M::from_keys)
    }

    /// [`Settings::deployments`] of a mechanism that `read` reads, where its type alone does not say how.
    ///
    /// # Errors
    /// As [`Settings::deployments`].
    pub fn deployments_by<M>(
        &self,
        shipped: impl IntoIterator<Item = Deployment<M>>,
        read: impl Fn(&Keys<'_>) -> Result<M, SettingsError>,
    ) -> Result<Vec<Deployment<M>>, SettingsError> {
        let mut rows = self.shipped(shipped);
        for (place, row) in self.0.deployments.iter().enumerate() {
            let row = read_row(row, &read).map_err(|error| error.in_row(place))?;
            let same = |other: &&mut Deployment<M>| {
                (&other.protocol, other.network, &other.market) == (&row.protocol, row.network, &row.market)
            };
            match rows.iter_mut().find(same) {
                Some(replaced) => *replaced = row,
                None => rows.push(row),
            }
        }
        Ok(rows)
    }
}

fn read_row<M>(
    row: &SettingsRow,
    read: impl Fn(&Keys<'_>) -> Result<M, SettingsError>,
) -> Result<Deployment<M>, SettingsError> {
    let keys = Keys { row, known: RefCell::default() };
    let mechanism = read(&keys)?;
    let known = keys.known.into_inner();
    if let Some(unknown) = row.keys.iter().find(|key| !known.contains(&key.key.as_str())) {
        return Err(SettingsError::new(format!("unknown key; known here: {}", known.join(", "))).at(&unknown.key));
    }
    Ok(Deployment { protocol: row.protocol.clone(), network: row.chain_id, market: row.market.clone(), mechanism })
}

/// The mechanism's keys of one row. Each accessor makes its key known.
#[derive(Debug)]
pub struct Keys<'a> {
    row: &'a SettingsRow,
    known: RefCell<Vec<&'static str>>,
}

impl Keys<'_> {
    /// An address, `0x` and 40 hex digits.
    ///
    /// # Errors
    /// Where it is missing or no address.
    pub fn address(&self, key: &'static str) -> Result<Address, SettingsError> {
        self.address_opt(key)?.ok_or_else(|| SettingsError::new("missing").at(key))
    }

    /// The same, `None` where it is missing.
    ///
    /// # Errors
    /// Where it is no address.
    pub fn address_opt(&self, key: &'static str) -> Result<Option<Address>, SettingsError> {
        self.text(key)?.map(|text| parse_address(text).map_err(|error| error.at(key))).transpose()
    }

    /// An array of addresses; empty where it is missing.
    ///
    /// # Errors
    /// Where it is no array of addresses.
    pub fn addresses(&self, key: &'static str) -> Result<Vec<Address>, SettingsError> {
        let wrong = || SettingsError::new("not an array of addresses").at(key);
        match self.value(key) {
            None => Ok(Vec::new()),
            Some(SettingsValue::List(list)) => {
                let one = |value: &SettingsValue| match value {
                    SettingsValue::Text(text) => parse_address(text).map_err(|error| error.at(key)),
                    _ => Err(wrong()),
                };
                list.iter().map(one).collect()
            }
            Some(_) => Err(wrong()),
        }
    }

    /// An array of texts; empty where it is missing.
    ///
    /// # Errors
    /// Where it is no array of texts.
    pub fn texts(&self, key: &'static str) -> Result<Vec<&str>, SettingsError> {
        let wrong = || SettingsError::new("not an array of texts").at(key);
        match self.value(key) {
            None => Ok(Vec::new()),
            Some(SettingsValue::List(list)) => {
                let texts = list.iter().map(|value| match value {
                    SettingsValue::Text(text) => Ok(text.as_str()),
                    _ => Err(wrong()),
                });
                texts.collect()
            }
            Some(_) => Err(wrong()),
        }
    }

    /// True or false; false where it is missing.
    ///
    /// # Errors
    /// Where it is neither.
    pub fn flag(&self, key: &'static str) -> Result<bool, SettingsError> {
        match self.value(key) {
            None => Ok(false),
            Some(SettingsValue::Bool(flag)) => Ok(*flag),
            Some(_) => Err(SettingsError::new("not true or false").at(key)),
        }
    }

    /// A whole number; `None` where it is missing.
    ///
    /// # Errors
    /// Where it is none.
    pub fn integer(&self, key: &'static str) -> Result<Option<i64>, SettingsError> {
        match self.value(key) {
            None => Ok(None),
            Some(SettingsValue::Integer(number)) => Ok(Some(*number)),
            Some(_) => Err(SettingsError::new("not a whole number").at(key)),
        }
    }

    /// Text; `None` where it is missing.
    ///
    /// # Errors
    /// Where it is none.
    pub fn text(&self, key: &'static str) -> Result<Option<&str>, SettingsError> {
        match self.value(key) {
            None => Ok(None),
            Some(SettingsValue::Text(text)) => Ok(Some(text)),
            Some(_) => Err(SettingsError::new("not a text").at(key)),
        }
    }

    /// The name of a contract's function; `None` where it is missing.
    ///
    /// # Errors
    /// Where Solidity could not name one so.
    pub fn function(&self, key: &'static str) -> Result<Option<&str>, SettingsError> {
        match self.text(key)? {
            Some(name) if !is_identifier(name) => {
                Err(SettingsError::new(format!("{name:?} is no name of a function")).at(key))
            }
            name => Ok(name),
        }
    }

    fn value(&self, key: &'static str) -> Option<&SettingsValue> {
        self.known.borrow_mut().push(key);
        self.row.keys.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }
}

/// Longer than any function's name.
const NAME_BYTES_MAX: usize = 64;

fn is_identifier(name: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$';
    let begins = name.bytes().next().is_some_and(letter);
    begins && name.len() <= NAME_BYTES_MAX && name.bytes().all(|byte| letter(byte) || byte.is_ascii_digit())
}

fn parse_address(text: &str) -> Result<Address, SettingsError> {
    let digits = text.strip_prefix("0x").unwrap_or_default();
    let mixed = digits.contains(|c: char| c.is_ascii_uppercase()) && digits.contains(|c: char| c.is_ascii_lowercase());
    let address: Option<Address> = if digits.len() == 40 { text.parse().ok() } else { None };
    match address {
        Some(address) if mixed && Address::parse_checksummed(text, None).is_err() => {
            Err(SettingsError::new(format!("{text} has a wrong checksum, should be {address}")))
        }
        Some(address) => Ok(address),
        None => Err(SettingsError::new(format!("{text:?} is not 0x and 40 hex digits"))),
    }
}
