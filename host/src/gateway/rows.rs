//! Makes rows of an answer from validated findings: their tokens, symbols in names, ids.

use std::collections::BTreeSet;
use std::sync::Arc;

use alloy::primitives::Address;
use portolan_abi::map;

use crate::assets::resolve::{TokenFailure, Tokens};
use crate::gateway::answer::Row;
use crate::jobs::plan::JobPlan;
use crate::jobs::validate::ValidFinding;
use crate::network::Networks;
use crate::sanitize::text::Text;

/// The tokens that a row needs: those that it is about, and those that its name shows.
pub(super) fn tokens(finding: &ValidFinding) -> BTreeSet<Address> {
    let symbols = pieces(finding.name()).filter_map(|piece| match piece {
        Piece::Symbol(token) => Some(token),
        Piece::Text(_) => None,
    });
    let rewards = finding.rewards().iter().map(|reward| reward.token);
    rewards.chain([finding.token()]).chain(symbols).collect()
}

/// The row of a finding.
///
/// # Errors
/// A token that it needs, and why that is missing.
pub(super) fn row(plan: &JobPlan, finding: ValidFinding, tokens: &Tokens) -> Result<Row, (Address, TokenFailure)> {
    let known = |token| tokens.get(token).cloned().map_err(|failure| (token, failure));
    let rewards = finding.rewards().iter().map(|reward: &map::Reward| known(reward.token));
    Ok(Row {
        id: format!("{}-{}-{}", plan.protocol.slug, plan.network.slug, finding.key()),
        protocol: Arc::clone(&plan.protocol),
        network: Arc::clone(&plan.network),
        name: with_symbols(finding.name(), tokens)?,
        account: plan.account,
        plugin: Arc::clone(&plan.instance.label),
        token: known(finding.token())?,
        reward_tokens: rewards.collect::<Result<_, _>>()?,
        finding,
    })
}

/// Puts rows in the order of networks, protocol slugs and ids.
pub(super) fn sort(networks: &Networks, rows: &mut [Row]) {
    rows.sort_by_cached_key(|row| (networks.position(row.network.chain_id), row.protocol.slug.clone(), row.id.clone()));
}

/// A piece of a finding's name.
enum Piece<'a> {
    Text(&'a str),
    Symbol(Address),
}

/// Splits a name at its `{0x…}`; braces around anything else are text.
fn pieces(name: &str) -> impl Iterator<Item = Piece<'_>> {
    name.split_inclusive('}')
        .flat_map(|part| {
            let symbol = part.rsplit_once('{').and_then(|(before, rest)| {
                let address = rest.strip_suffix('}')?.parse::<Address>().ok()?;
                rest.starts_with("0x").then_some((before, address))
            });
            match symbol {
                Some((before, token)) => [Some(Piece::Text(before)), Some(Piece::Symbol(token))],
                None => [Some(Piece::Text(part)), None],
            }
        })
        .flatten()
}

fn with_symbols(name: &str, tokens: &Tokens) -> Result<Text, (Address, TokenFailure)> {
    pieces(name)
        .map(|piece| match piece {
            Piece::Text(text) => Ok(Text::words(text)),
            Piece::Symbol(token) => {
                tokens.named(token).map(|token| token.symbol.clone()).map_err(|failure| (token, failure))
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(name: &str) -> Vec<String> {
        let show = |piece| match piece {
            Piece::Text(text) => text.to_owned(),
            Piece::Symbol(token) => format!("<{token:#x}>"),
        };
        pieces(name).map(show).filter(|piece| !piece.is_empty()).collect()
    }

    #[test]
    fn braces_around_an_address_are_a_symbol_and_other_braces_are_text() {
        let (a, b) = (Address::repeat_byte(0x11), Address::repeat_byte(0x22));
        let name = format!("{{{a:#x}}}/{{{b:#x}}} LP {{x}} reward {{");
        let expected = [format!("<{a:#x}>"), "/".into(), format!("<{b:#x}>"), " LP {x}".into(), " reward {".into()];
        assert_eq!(split(&name), expected);
        assert_eq!(split("plain"), ["plain"]);
    }
}
