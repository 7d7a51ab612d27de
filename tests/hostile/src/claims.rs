//! One claim that is as it should be, and many that no account should ever sign.

use portolan_plugin_api::*;

use crate::contracts::*;

/// The templates that this plugin declares; the host knows better about some of it.
pub(crate) fn templates() -> Vec<ClaimTemplate> {
    vec![
        // Where it pays shares, the lair is their token.
        ClaimTemplate::new::<getRewardCall>([]).of_token(),
        ClaimTemplate::new::<claimForCall>([Role::ACCOUNT]),
        ClaimTemplate::new::<claimManyCall>([Role::array(Role::NUMBER)]),
        ClaimTemplate::new::<claimTokenCall>([Role::TOKEN]),
        ClaimTemplate::new::<approveCall>([Role::MARKET, Role::NUMBER]),
        ClaimTemplate::new::<transferCall>([Role::ACCOUNT, Role::NUMBER]),
        ClaimTemplate::new::<multicallCall>([Role::array(Role::BYTES)]),
        ClaimTemplate::new::<unstakeCall>([]),
    ]
}

/// A claimable around a claim; its amount tells the cases apart.
pub(crate) fn claimable(name: &str, amount: u64, claim: Claim) -> Claimable {
    Claimable::new("main", LAIR, claim).named(name).mechanism("hostile").pays(QUICK, U256::from(amount))
}

/// As it should be.
pub(crate) fn good(cx: &JobContext, name: &str, amount: u64) -> Claimable {
    claimable(name, amount, cx.claim(LAIR, &getRewardCall {}))
}

/// As it should be too, by a function that the host's table does not list.
pub(crate) fn for_account(cx: &JobContext, account: Address) -> Claimable {
    claimable("unlisted", 12, cx.claim(LAIR, &claimForCall { account })).numbered(U256::from(2))
}

/// Ends a stake by a function that is honest on the contracts to which the host's table binds it.
pub(crate) fn stake_ended(cx: &JobContext) -> Claimable {
    claimable("stake", 13, cx.claim(LAIR, &unstakeCall {})).numbered(U256::from(3))
}

/// Ends a stake before it claims as it should be.
pub(crate) fn stake_ended_first(cx: &JobContext) -> Claimable {
    good(cx, "stake first", 14).numbered(U256::from(4)).after(cx.claim(LAIR, &unstakeCall {}))
}

/// Pays somebody else.
pub(crate) fn foreign_beneficiary(cx: &JobContext) -> Claimable {
    claimable("foreign beneficiary", 1, cx.claim(LAIR, &claimForCall { account: STRANGER }))
}

/// Goes to a contract that nobody declared.
pub(crate) fn undeclared_target(cx: &JobContext) -> Claimable {
    claimable("undeclared target", 2, cx.claim(STRANGER, &getRewardCall {}))
}

/// Goes to a contract that only an undeclared one named.
pub(crate) fn hearsay_target(cx: &JobContext, named: Address) -> Claimable {
    claimable("hearsay target", 3, cx.claim(named, &getRewardCall {}))
}

/// Gives a contract power over a token.
pub(crate) fn approval(cx: &JobContext) -> Claimable {
    claimable("approval", 4, cx.claim(QUICK, &approveCall { spender: LAIR, amount: U256::MAX }))
}

/// Moves a token.
pub(crate) fn transfer(cx: &JobContext, account: Address) -> Claimable {
    claimable("transfer", 5, cx.claim(QUICK, &transferCall { to: account, amount: U256::from(1) }))
}

/// Carries other calls.
pub(crate) fn nested(cx: &JobContext) -> Claimable {
    let inner = approveCall { spender: STRANGER, amount: U256::MAX }.abi_encode();
    claimable("nested", 6, cx.claim(LAIR, &multicallCall { calls: vec![inner.into()] }))
}

/// Costs native tokens.
pub(crate) fn with_value(cx: &JobContext) -> Claimable {
    claimable("with value", 7, cx.claim(LAIR, &getRewardCall {}).with_fee(U256::from(1)))
}

/// Names a number that this job never read.
pub(crate) fn unread_number(cx: &JobContext) -> Claimable {
    claimable("unread number", 13, cx.claim(LAIR, &claimManyCall { ids: vec![U256::from(7)] }))
}

/// Pays the same token twice.
pub(crate) fn paid_twice(cx: &JobContext) -> Claimable {
    good(cx, "paid twice", 14).pays(QUICK, U256::from(15))
}

/// Is owed by a market that the catalogue does not have.
pub(crate) fn foreign_market(cx: &JobContext) -> Claimable {
    Claimable { market: "other".to_owned(), ..good(cx, "foreign market", 16) }
}

/// Calls a function that is in no template.
pub(crate) fn without_template(cx: &JobContext) -> Claimable {
    claimable("without template", 8, cx.claim(LAIR, &undeclaredCall {}))
}

/// Names a token that this job never read.
pub(crate) fn unknown_token(cx: &JobContext) -> Claimable {
    claimable("unknown token", 9, cx.claim(LAIR, &claimTokenCall { token: STRANGER }))
}

/// Says `claimMany(uint256[])`, and carries bytes that are no array.
pub(crate) fn undecodable(cx: &JobContext) -> Claimable {
    claimable("undecodable", 10, cx.claim(LAIR, &Undecodable(claimManyCall { ids: Vec::new() })))
}

/// A call that encodes as something else than its signature says.
struct Undecodable(claimManyCall);

impl SolCall for Undecodable {
    type Parameters<'a> = <claimManyCall as SolCall>::Parameters<'a>;
    type Return = <claimManyCall as SolCall>::Return;
    type ReturnToken<'a> = <claimManyCall as SolCall>::ReturnToken<'a>;
    type ReturnTuple<'a> = <claimManyCall as SolCall>::ReturnTuple<'a>;
    type Token<'a> = <claimManyCall as SolCall>::Token<'a>;

    const SELECTOR: [u8; 4] = claimManyCall::SELECTOR;
    const SIGNATURE: &'static str = claimManyCall::SIGNATURE;

    fn new(tuple: <Self::Parameters<'_> as alloy::sol_types::SolType>::RustType) -> Self {
        Self(claimManyCall::new(tuple))
    }

    fn tokenize(&self) -> Self::Token<'_> {
        self.0.tokenize()
    }

    fn tokenize_returns(_: &Self::Return) -> Self::ReturnToken<'_> {}

    fn abi_decode_returns(data: &[u8]) -> alloy::sol_types::Result<Self::Return> {
        claimManyCall::abi_decode_returns(data)
    }

    fn abi_decode_returns_validate(data: &[u8]) -> alloy::sol_types::Result<Self::Return> {
        claimManyCall::abi_decode_returns_validate(data)
    }

    fn abi_encode_raw(&self, out: &mut Vec<u8>) {
        // An offset far outside, and nothing there.
        out.extend([0xff; 32]);
    }
}
