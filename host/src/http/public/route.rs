//! The routes of the API: parses method, path and query string into a validated query.
//!
//! Invariant: pure. Everything about the form of a request is checked here, but not whether a protocol exists.

mod search;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::time::UNIX_EPOCH;

use alloy::primitives::{Address, B256};
use hyper::Method;
use percent_encoding::percent_decode_str;
use portolan_abi::map::PositionKind;
use portolan_assets::names::{CoinType, Name};
use portolan_assets::price::Currency;
use portolan_base::network::{CAIP2_PREFIX, FORMS, Networks};
use portolan_base::sanitize::output::Numbers;
use portolan_events::{KINDS, Kind};
use portolan_reader::BlockRef;

use self::search::Search;
pub(in crate::http) use self::search::check_none;
use crate::address::{self, AddressError};
use crate::gateway::problem::{Problem, quoted};
use crate::gateway::query::{
    About, AboutRows, Account, AnswerOptions, Assets, BlockChoice, ClaimOptions, EventsQuery, Filter, InputLimits,
    List, Lookup, MinBlocks, POSITION_KINDS, Query, Revocation,
};
use crate::http::problem::ALLOW_ANSWERS;
use crate::http::view::form;
use crate::paths::{self, Endpoint};

/// Maximum segments of a valid path, and one to detect longer paths.
const SEGMENTS_MAX: usize = 5;

const ACCOUNT_FORMS: &str = "an account is an address, eip155:CHAIN_ID:ADDRESS or an ENS name";

/// The public listener that got the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Listener {
    Base,
    Claimables,
}

impl Listener {
    pub(in crate::http) fn as_str(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Claimables => "claimables",
        }
    }
}

/// A request's method, by its handling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Verb {
    /// GET and HEAD; the sender drops the body for HEAD.
    Read,
    /// OPTIONS.
    Preflight,
}

/// A well-formed request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::http) struct Request {
    pub(in crate::http) query: Query,
    pub(in crate::http) options: AnswerOptions,
    /// `?detail=full`
    pub(in crate::http) detail_full: bool,
    /// `?amounts=`; `None` if it is absent.
    pub(in crate::http) numbers: Option<Numbers>,
    /// True if the client wants what changes from now on.
    pub(in crate::http) is_watch: bool,
}

/// Checks the method, before all else.
pub(in crate::http) fn verb(method: &Method) -> Result<Verb, Problem> {
    match *method {
        Method::GET | Method::HEAD => Ok(Verb::Read),
        Method::OPTIONS => Ok(Verb::Preflight),
        _ => Err(Problem::MethodNotAllowed { allow: ALLOW_ANSWERS }),
    }
}

/// Parses a request for `path` and `search` (the part after `?`).
pub(in crate::http) fn route(
    listener: Listener,
    path: &str,
    search: Option<&str>,
    networks: &Networks,
    limits: InputLimits,
) -> Result<Request, Problem> {
    let segments = segments(path);
    let segments: Vec<&str> = segments.iter().map(AsRef::as_ref).collect();
    let found = match listener {
        Listener::Base => paths::find(&segments),
        Listener::Claimables => paths::find_claimables(&segments),
    };
    let unknown = || Problem::UnknownPath(format!("there is nothing at {}", quoted(path)));
    let (endpoint, values) = found.ok_or_else(unknown)?;
    let search = Search::of(search.unwrap_or_default(), endpoint)?;
    let query = query(endpoint, &values, &search, networks, limits)?.ok_or_else(unknown)?;
    let (options, detail_full) = (options(endpoint, &query, &search, networks)?, search.is_full()?);
    let numbers = search.one("amounts")?.map(form::numbers).transpose()?;
    Ok(Request { query, options, detail_full, numbers, is_watch: endpoint == Endpoint::Watch })
}

/// Returns `None` if the path's values do not fit its endpoint.
fn query(
    endpoint: Endpoint,
    values: &[&str],
    search: &Search,
    networks: &Networks,
    limits: InputLimits,
) -> Result<Option<Query>, Problem> {
    let about = |account_text, slug: &str, list| {
        let (account, chain_id) = subject(account_text, search, networks)?;
        Ok(Query::Of(account, About::Rows(AboutRows::Protocol { slug: slug.into(), chain_id, list })))
    };
    let query = match (endpoint, values) {
        (Endpoint::Networks, []) => Ok(Query::Networks),
        (Endpoint::Protocols, []) => Ok(Query::Protocols),
        (Endpoint::Coverage, []) => Ok(Query::Coverage),
        (Endpoint::ClearSigning, [slug]) => Ok(Query::ClearSigning((*slug).to_owned())),
        (Endpoint::AllClaimables, [account_text]) => all_claimables(account_text, search, networks),
        (Endpoint::AllPositions | Endpoint::Watch, [account_text]) => all_positions(account_text, search, networks),
        (Endpoint::ClaimablesOfAccounts, []) => {
            let (accounts, chain_id) = subjects(search, networks, limits.accounts_max)?;
            Ok(Query::OfAll(accounts, about_claimables(search, chain_id)?))
        }
        (Endpoint::PositionsOfAccounts, []) => {
            let (accounts, chain_id) = subjects(search, networks, limits.accounts_max)?;
            Ok(Query::OfAll(accounts, about_positions(search, chain_id)?))
        }
        (Endpoint::ClaimPlan, [account_text]) => {
            let (account, chain_id) = subject(account_text, search, networks)?;
            let chain_id = chain_id.ok_or_else(|| unknown_network(None, networks))?;
            let (filter, worth) = (filter(search)?, flag(search, "worth")?.unwrap_or_default());
            Ok(Query::Of(account, About::ClaimPlan { filter, chain_id, worth }))
        }
        (Endpoint::AddressOfName, [name_text]) => {
            let name = name(name_text)?;
            Ok(Query::Address(name, lookup(network(search, networks)?, search)?))
        }
        (Endpoint::NameOfAccount, [account_text]) => {
            let (account, chain_id) = subject(account_text, search, networks)?;
            Ok(Query::Of(account, About::Name(lookup(chain_id, search)?)))
        }
        (Endpoint::Events, [hash_text]) => {
            let hash = hash(hash_text)?;
            let subject = search.one("account")?.map(|text| subject(text, search, networks)).transpose()?;
            let (account, chain_id) = match subject {
                Some((account, chain_id)) => (Some(account), chain_id),
                None => (None, network(search, networks)?),
            };
            let chain_id = chain_id.ok_or_else(|| unknown_network(None, networks))?;
            let (types, logs_max) = (types(search)?, taken_logs(search, limits.logs_max)?);
            Ok(Query::Events(EventsQuery { chain_id, hash, types, logs_max, account }))
        }
        (Endpoint::NativeBalance, [account_text]) => balances(Assets::Native, account_text, search, networks),
        (Endpoint::TokenBalances, [account_text]) => balances(Assets::Tokens, account_text, search, networks),
        (Endpoint::Approvals, [account_text]) => {
            let (account, chain_id) = subject(account_text, search, networks)?;
            Ok(Query::Of(account, About::Approvals { chain_id }))
        }
        (Endpoint::RevokePlan, [account_text]) => {
            let (account, chain_id) = subject(account_text, search, networks)?;
            let chain_id = chain_id.ok_or_else(|| unknown_network(None, networks))?;
            let (token, spender) = (contract(search, "token")?, contract(search, "spender")?);
            Ok(Query::Of(account, About::RevokePlan(Revocation { chain_id, token, spender })))
        }
        (Endpoint::Claimables, [slug, account_text]) => {
            about(account_text, slug, List::Claimables(claim_options(search)?))
        }
        (Endpoint::Farming, [slug, account_text]) => about(account_text, slug, List::Farming),
        (Endpoint::Lending, [slug, account_text]) => about(account_text, slug, List::Lending),
        (Endpoint::Borrowing, [slug, account_text]) => about(account_text, slug, List::Borrowing),
        (Endpoint::Pooling, [slug, account_text]) => about(account_text, slug, List::Pooling),
        (Endpoint::Locked, [slug, account_text]) => about(account_text, slug, List::Locked),
        _ => return Ok(None),
    };
    query.map(Some)
}

/// Parses the address of a parameter that has to be given.
fn contract(search: &Search, name: &'static str) -> Result<Address, Problem> {
    let missing = || Problem::InvalidAddress(format!("the parameter {name} is missing; it is an address"));
    let text = search.one(name)?.ok_or_else(missing)?;
    address::parse(text).map_err(|error| Problem::InvalidAddress(format!("{name}: {} {error}", quoted(text))))
}

fn all_claimables(account_text: &str, search: &Search, networks: &Networks) -> Result<Query, Problem> {
    let (account, chain_id) = subject(account_text, search, networks)?;
    Ok(Query::Of(account, About::Rows(about_claimables(search, chain_id)?)))
}

fn about_claimables(search: &Search, chain_id: Option<u64>) -> Result<AboutRows, Problem> {
    let (filter, options) = (filter(search)?, claim_options(search)?);
    Ok(AboutRows::Claimables { filter, chain_id, options })
}

fn claim_options(search: &Search) -> Result<ClaimOptions, Problem> {
    let (simulate, worth) = (flag(search, "simulate")?, flag(search, "worth")?);
    Ok(ClaimOptions { simulate, worth: worth.unwrap_or_default() })
}

/// Parses a boolean parameter; `None` if it is absent.
fn flag(search: &Search, name: &'static str) -> Result<Option<bool>, Problem> {
    let Some(text) = search.one(name)? else { return Ok(None) };
    let known = text.parse().ok();
    known.map(Some).ok_or_else(|| Problem::InvalidFilter(format!("{name} is true or false, not {}", quoted(text))))
}

fn all_positions(account_text: &str, search: &Search, networks: &Networks) -> Result<Query, Problem> {
    let (account, chain_id) = subject(account_text, search, networks)?;
    Ok(Query::Of(account, About::Rows(about_positions(search, chain_id)?)))
}

fn about_positions(search: &Search, chain_id: Option<u64>) -> Result<AboutRows, Problem> {
    let (filter, kinds, options) = (filter(search)?, kinds(search)?, claim_options(search)?);
    Ok(AboutRows::Positions { filter, chain_id, kinds, options })
}

/// Parses the kinds of positions in any letter case; empty if the parameter is absent.
fn kinds(search: &Search) -> Result<BTreeSet<PositionKind>, Problem> {
    let kind = |text: String| {
        let known = POSITION_KINDS.iter().find(|(name, _)| name.eq_ignore_ascii_case(&text));
        let names = || POSITION_KINDS.map(|(name, _)| name).join(", ");
        let unknown = || format!("unknown kind of position {}; the kinds are {}", quoted(&text), names());
        known.map(|(_, kind)| *kind).ok_or_else(|| Problem::InvalidFilter(unknown()))
    };
    search.members("kind").into_iter().map(kind).collect()
}

fn balances(assets: Assets, account_text: &str, search: &Search, networks: &Networks) -> Result<Query, Problem> {
    let (account, chain_id) = subject(account_text, search, networks)?;
    Ok(Query::Of(account, About::Balances { assets, chain_id }))
}

/// Parses an account, and the query's network: that of the parameter `network`, or else that of a CAIP-10 id.
fn subject(text: &str, search: &Search, networks: &Networks) -> Result<(Account, Option<u64>), Problem> {
    let (account, own) = account(text, networks)?;
    let named = network(search, networks)?;
    Ok((account, one_network(text, own, named, "the parameter network names")?))
}

/// Parses the accounts of a request about several, each once, and the query's network: that of the parameter
/// `network`, or else that of the CAIP-10 ids among them.
fn subjects(search: &Search, networks: &Networks, accounts_max: usize) -> Result<(Vec<Account>, Option<u64>), Problem> {
    let named = network(search, networks)?;
    let what = if named.is_some() { "the parameter network names" } else { "another account is on" };
    let (mut accounts, mut chain_id) = (Vec::new(), named);
    for text in search.members("accounts") {
        let (account, own) = account(&text, networks)?;
        chain_id = one_network(&text, own, chain_id, what)?;
        if !accounts.contains(&account) {
            accounts.push(account);
        }
    }
    match accounts.len() {
        0 => Err(Problem::InvalidAddress(format!("the parameter accounts is missing; {ACCOUNT_FORMS}, with commas"))),
        count if count > accounts_max => Err(Problem::InvalidFilter(format!(
            "accounts names {count} accounts, more than the bound of {accounts_max}"
        ))),
        _ => Ok((accounts, chain_id)),
    }
}

/// Returns the network of an account's CAIP-10 id, or else the other one.
///
/// # Errors
/// They differ; `what` says where the other one comes from.
fn one_network(text: &str, own: Option<u64>, other: Option<u64>, what: &str) -> Result<Option<u64>, Problem> {
    match (own, other) {
        (Some(own), Some(other)) if own != other => Err(Problem::InvalidNetwork(format!(
            "the account {} is on {CAIP2_PREFIX}{own}, and {what} {CAIP2_PREFIX}{other}",
            quoted(text)
        ))),
        _ => Ok(own.or(other)),
    }
}

/// Parses an account, with the chain id of a CAIP-10 id. Names have a dot, addresses do not.
fn account(text: &str, networks: &Networks) -> Result<(Account, Option<u64>), Problem> {
    if let Some((chain_id, address)) = text.strip_prefix(CAIP2_PREFIX).and_then(|id| id.split_once(':')) {
        let account = Account::Address(parsed(address, text)?);
        return Ok((account, account_network(chain_id, networks)?));
    }
    if text.contains('.') {
        return Ok((Account::Name(name(text)?), None));
    }
    Ok((Account::Address(parsed(text, text)?), None))
}

fn parsed(address: &str, account: &str) -> Result<Address, Problem> {
    let forms = |error| match error {
        AddressError::Form => format!("{} {error}; {ACCOUNT_FORMS}", quoted(account)),
        AddressError::Checksum => format!("{} {error}", quoted(account)),
    };
    address::parse(address).map_err(|error| Problem::InvalidAddress(forms(error)))
}

/// Returns the chain id of a CAIP-10 id; `None` for chain 0, which stands for an account on any network:
/// <https://namespaces.chainagnostic.org/eip155/caip10>.
fn account_network(reference: &str, networks: &Networks) -> Result<Option<u64>, Problem> {
    if reference == "0" {
        return Ok(None);
    }
    let caip2 = format!("{CAIP2_PREFIX}{reference}");
    let network = networks.named(&caip2).ok_or_else(|| unknown_network(Some(&caip2), networks))?;
    Ok(Some(network.chain_id))
}

fn name(text: &str) -> Result<Name, Problem> {
    Name::parse(text).map_err(|error| Problem::InvalidName(format!("{} {error}", quoted(text))))
}

/// Makes a name's look-up. Names have an address per network; without one, Ethereum's is meant.
fn lookup(chain_id: Option<u64>, search: &Search) -> Result<Lookup, Problem> {
    let coin = match chain_id {
        None => CoinType::ETHEREUM,
        Some(chain_id) => CoinType::of_chain(chain_id)
            .ok_or_else(|| Problem::InvalidNetwork(format!("names know no addresses of the chain {chain_id}")))?,
    };
    Ok(Lookup { coin, full: search.is_full()? })
}

fn hash(text: &str) -> Result<B256, Problem> {
    let is_hash = |digits: &str| digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let hash = text.strip_prefix("0x").filter(|digits| is_hash(digits)).and_then(|digits| digits.parse().ok());
    hash.ok_or_else(|| Problem::InvalidHash(format!("{} is not 0x and 64 hex digits", quoted(text))))
}

/// Parses the types of events in any letter case; empty if the parameter is absent.
fn types(search: &Search) -> Result<BTreeSet<Kind>, Problem> {
    let kind = |text: String| Kind::named(&text.to_ascii_uppercase()).ok_or_else(|| unknown_type(&text));
    search.members("type").into_iter().map(kind).collect()
}

fn unknown_type(text: &str) -> Problem {
    let names: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
    Problem::InvalidFilter(format!("unknown event type {}; the types are {}", quoted(text), names.join(", ")))
}

/// Parses the client's limit of logs, which is at most, and by default, the gateway's.
fn taken_logs(search: &Search, logs_max: usize) -> Result<usize, Problem> {
    let Some(text) = search.one("max-logs")? else { return Ok(logs_max) };
    let number = text.parse().ok().filter(|number| (1..=logs_max).contains(number));
    number.ok_or_else(|| {
        Problem::InvalidFilter(format!("max-logs is not a number from 1 to {logs_max}: {}", quoted(text)))
    })
}

/// Returns the chain id of the named network; `None` if the parameter is absent.
fn network(search: &Search, networks: &Networks) -> Result<Option<u64>, Problem> {
    let Some(text) = search.one("network")? else { return Ok(None) };
    match networks.named(text) {
        Some(network) => Ok(Some(network.chain_id)),
        None => Err(unknown_network(Some(text), networks)),
    }
}

fn unknown_network(text: Option<&str>, networks: &Networks) -> Problem {
    let names: Vec<&str> = networks.iter().map(|network| network.name.as_str()).collect();
    let what = match text {
        Some(text) => format!("unknown network {}: give {FORMS}", quoted(text)),
        None => "the parameter network is missing".into(),
    };
    Problem::InvalidNetwork(format!("{what}; the networks are {}", names.join(", ")))
}

/// Accounts and names can be read at chosen blocks, and only rows can be traced.
fn options(endpoint: Endpoint, query: &Query, search: &Search, networks: &Networks) -> Result<AnswerOptions, Problem> {
    let has_rows = matches!(query, Query::Of(_, About::Rows(_)) | Query::OfAll(..));
    let (blocks, min_blocks) = if endpoint.parameters().contains(&"block") {
        (blocks(search, networks)?, min_blocks(search, networks)?)
    } else {
        Default::default()
    };
    if blocks != BlockChoice::Newest && min_blocks != MinBlocks::default() {
        return Err(Problem::InvalidBlock("min-block is for newest blocks, and block names others".into()));
    }
    let currency = if endpoint.parameters().contains(&"currency") { currency(search)? } else { None };
    Ok(AnswerOptions { blocks, min_blocks, is_traced: has_rows && search.is_full()?, currency })
}

/// Parses the currency of values beside dollars; `None` if the parameter is absent.
fn currency(search: &Search) -> Result<Option<Currency>, Problem> {
    let Some(text) = search.one("currency")? else { return Ok(None) };
    let codes = || Currency::all().map(|currency| currency.code).collect::<Vec<_>>().join(", ");
    let unknown = || format!("unknown currency {}; the currencies are {}", quoted(text), codes());
    Currency::named(text).map(Some).ok_or_else(|| Problem::InvalidFilter(unknown()))
}

/// Parses the chosen blocks; the newest if the parameter is absent.
fn blocks(search: &Search, networks: &Networks) -> Result<BlockChoice, Problem> {
    let Some(text) = search.one("block")? else { return Ok(BlockChoice::Newest) };
    if text.eq_ignore_ascii_case("latest") {
        return Ok(BlockChoice::Newest);
    }
    if let Some(named) = block(text) {
        return Ok(BlockChoice::Named(named));
    }
    let mut each = BTreeMap::new();
    for member in text.split(',') {
        let (name, of_network) = network_and_block(member.trim()).ok_or_else(|| unknown_block(member))?;
        let network = networks.named(name).ok_or_else(|| unknown_network(Some(name), networks))?;
        let named = block(of_network).ok_or_else(|| unknown_block(of_network))?;
        if each.insert(network.chain_id, named).is_some() {
            return Err(Problem::InvalidBlock(format!("block names two blocks of {}", network.slug)));
        }
    }
    Ok(BlockChoice::Each(each))
}

/// Parses the lowest numbers of newest blocks; none if the parameter is absent.
fn min_blocks(search: &Search, networks: &Networks) -> Result<MinBlocks, Problem> {
    let Some(text) = search.one("min-block")? else { return Ok(MinBlocks::default()) };
    if let Some(number) = number(text) {
        return Ok(MinBlocks::OfOne(number));
    }
    let mut each = BTreeMap::new();
    for member in text.split(',').map(str::trim) {
        let (name, number_text) =
            member.split_once('=').or_else(|| network_and_block(member)).ok_or_else(|| unknown_min_block(member))?;
        let network = networks.named(name).ok_or_else(|| unknown_network(Some(name), networks))?;
        let least = number(number_text).ok_or_else(|| unknown_min_block(member))?;
        if each.insert(network.chain_id, least).is_some() {
            return Err(Problem::InvalidBlock(format!("min-block names two blocks of {}", network.slug)));
        }
    }
    Ok(MinBlocks::Each(each))
}

fn unknown_min_block(text: &str) -> Problem {
    Problem::InvalidBlock(format!(
        "{} names no block: min-block is a number, or NETWORK:NUMBER of several networks, NETWORK being {FORMS}",
        quoted(text)
    ))
}

fn number(text: &str) -> Option<u64> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// Splits `polygon:5`, `137:5` or `eip155:137:5`; `None` for a block without a network. Times have colons too.
fn network_and_block(member: &str) -> Option<(&str, &str)> {
    let prefix = if member.starts_with(CAIP2_PREFIX) { CAIP2_PREFIX.len() } else { 0 };
    let colon = prefix + member.get(prefix..)?.find(':')?;
    let (name, block) = (member.get(..colon)?, member.get(colon + 1..)?);
    let is_time = name.starts_with(|first: char| first.is_ascii_digit()) && name.contains('-');
    (!is_time).then_some((name, block))
}

/// Parses a number, a hash, a tag or a time in UTC.
fn block(text: &str) -> Option<BlockRef> {
    match text {
        "safe" => Some(BlockRef::Safe),
        "finalized" => Some(BlockRef::Finalized),
        _ if text.bytes().all(|byte| byte.is_ascii_digit()) => number(text).map(BlockRef::Number),
        _ if text.starts_with("0x") => hash(text).ok().map(BlockRef::Hash),
        _ => {
            let time = humantime::parse_rfc3339(text).ok()?.duration_since(UNIX_EPOCH).ok()?;
            Some(BlockRef::At(time.as_secs()))
        }
    }
}

fn unknown_block(text: &str) -> Problem {
    let forms = "a number, a hash, safe, finalized, or a time like 2026-01-01T00:00:00Z";
    Problem::InvalidBlock(format!(
        "{} names no block: it is {forms}, or NETWORK:BLOCK of several networks, NETWORK being {FORMS}",
        quoted(text)
    ))
}

fn filter(search: &Search) -> Result<Filter, Problem> {
    match (search.members("include"), search.members("exclude")) {
        (include, exclude) if !include.is_empty() && !exclude.is_empty() => {
            Err(Problem::InvalidFilter("include and exclude cannot both be given".into()))
        }
        (include, _) if !include.is_empty() => Ok(Filter::Include(include)),
        (_, exclude) if !exclude.is_empty() => Ok(Filter::Exclude(exclude)),
        _ => Ok(Filter::All),
    }
}

/// Returns the decoded segments; one leading and one trailing slash are ignored.
pub(in crate::http) fn segments(path: &str) -> Vec<Cow<'_, str>> {
    let path = path.strip_prefix('/').unwrap_or(path);
    let path = path.strip_suffix('/').unwrap_or(path);
    let decode = |segment| percent_decode_str(segment).decode_utf8_lossy();
    path.split('/').take(SEGMENTS_MAX).map(decode).collect()
}

#[cfg(test)]
mod tests;
