//! Lockers of tokens: contracts that keep a token for its owner until a time that the owner chose, mostly shares of
//! pools.
//!
//! A deployment is the lockers of one protocol, by their forms: UNCX' of pairs, settings keys `pair_lockers` and
//! `numbered_pair_lockers`, and Team Finance's of any token, `token_lockers` and `former_token_lockers`. Answers
//! locked positions of what is locked still, with its end, and claimables of what has reached it. Invariant: an amount
//! is what the locker would pay at the lock's end. The number of locks that are read is bounded, and the answer
//! reports the others.
//!
//! Sources:
//! <https://github.com/uncx-network/liquidity-locker-univ2-contracts/blob/main/contracts/UniswapV2Locker.sol>,
//! <https://github.com/team-finance/team-finance-interface/blob/master/src/app/ethereum/build/coreABI.json>

mod deposits;
mod pairs;

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lineage, Lock, Position, PositionKind,
    Question, SettingsError, U256, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared};

/// Locks of an account and a locker that are answered.
const LOCKS_MAX: usize = 64;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenLockersKit {
    /// Mechanism of locks, and `type` of what they pay.
    pub lock: &'static str,
}

/// The form of a locker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LockerForm {
    /// UNCX' first: locks are numbered for each token, and named by token and place too.
    Pairs,
    /// UNCX' second: locks have numbers of their own.
    NumberedPairs,
    /// Team Finance's: a lock may hold an NFT, and pays an amount that the claim names.
    Deposits,
    /// Team Finance's first: a lock pays all that it has.
    FormerDeposits,
}

/// One locker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Locker {
    address: Address,
    form: LockerForm,
}

/// Lockers of one deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TokenLockers {
    lockers: Vec<Locker>,
    types: TokenLockersKit,
}

/// What an account has locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LockedToken {
    locker: Locker,
    token: Address,
    /// The number by which the locker knows it.
    id: U256,
    /// Its place among the account's locks of the token.
    place: U256,
    amount: U256,
    /// Unix seconds.
    ends_at: U256,
}

const FORMS: [(&str, LockerForm); 4] = [
    ("pair_lockers", LockerForm::Pairs),
    ("numbered_pair_lockers", LockerForm::NumberedPairs),
    ("token_lockers", LockerForm::Deposits),
    ("former_token_lockers", LockerForm::FormerDeposits),
];

impl TokenLockersKit {
    /// Keys of a row for lockers of tokens, at least one of them:
    /// - `pair_lockers` (array of addresses): UNCX' lockers of pairs, version 1
    /// - `numbered_pair_lockers` (array of addresses): version 2, where each lock has a number of its own
    /// - `token_lockers` (array of addresses): Team Finance's lockers, whose locks can be withdrawn in parts
    /// - `former_token_lockers` (array of addresses): those of its first version, whose locks are withdrawn as a whole
    pub const KEYS: &'static [&'static str] =
        &["pair_lockers", "numbered_pair_lockers", "token_lockers", "former_token_lockers"];
}

impl Kit for TokenLockersKit {
    fn keys(&self) -> &'static [&'static str] {
        Self::KEYS
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let mut lockers = Vec::new();
        for (key, form) in FORMS {
            lockers.extend(keys.addresses(key)?.into_iter().map(|address| Locker { address, form }));
        }
        Ok((!lockers.is_empty()).then(|| TokenLockers { lockers, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        pairs::templates().into_iter().chain(deposits::templates()).collect()
    }

    /// Returns the view whose replies withdrawals name.
    fn lineages(&self) -> Vec<Lineage> {
        vec![pairs::lineage()]
    }
}

impl DeploymentReader for TokenLockers {
    fn contracts(&self) -> Vec<Address> {
        self.lockers.iter().map(|locker| locker.address).collect()
    }

    fn bound_claims(&self) -> Vec<(&'static str, Vec<Address>)> {
        self.lockers.iter().map(|locker| (locker.form.withdrawal(), vec![locker.address])).collect()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::LOCKED]
    }

    /// Returns a claim per lock that is over.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let locks = self.locks(cx, labels.market, account).await?.into_iter();
            let over = locks.filter(|lock| lock.is_claimable(cx));
            Ok(over.map(|lock| self.claimable(cx, labels, &lock)).collect())
        })
    }

    /// Returns a position per other lock.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let locks = self.locks(cx, labels.market, account).await?.into_iter();
            Ok(locks.filter(|lock| !lock.is_claimable(cx)).map(|lock| self.position(labels, &lock)).collect())
        })
    }
}

impl TokenLockers {
    /// Returns the account's locks that hold something.
    async fn locks(&self, cx: &JobContext, market: &str, account: Address) -> Result<Vec<LockedToken>, Error> {
        let of = |forms: [LockerForm; 2]| {
            let lockers = self.lockers.iter().filter(move |locker| forms.contains(&locker.form));
            lockers.copied().collect::<Vec<_>>()
        };
        let pairs = pairs::locks(cx, market, of([LockerForm::Pairs, LockerForm::NumberedPairs]), account);
        let deposits = deposits::locks(cx, market, of([LockerForm::Deposits, LockerForm::FormerDeposits]), account);
        let (pairs, deposits) = cx.join((pairs, deposits)).await?;
        Ok(pairs.into_iter().chain(deposits).filter(|lock| !lock.amount.is_zero()).collect())
    }

    fn claimable(&self, cx: &JobContext, labels: Labels<'_>, lock: &LockedToken) -> Claimable {
        let claim = match lock.locker.form {
            LockerForm::Pairs | LockerForm::NumberedPairs => pairs::claim(cx, lock),
            LockerForm::Deposits | LockerForm::FormerDeposits => deposits::claim(cx, lock),
        };
        let row = Claimable::new(labels.market, lock.locker.address, claim).mechanism(self.types.lock);
        row.named(lock.name()).numbered(lock.number()).pays(lock.token, lock.amount)
    }

    fn position(&self, labels: Labels<'_>, lock: &LockedToken) -> Position {
        let row = Position::new(PositionKind::LOCKED, labels.market, lock.locker.address).mechanism(self.types.lock);
        let row = row.named(lock.name()).numbered(lock.number());
        let row = row.leg(Leg::new(LegRole::LOCKED, lock.token, lock.amount));
        Position { lock: Some(Lock { unlocks_at: u64::try_from(lock.ends_at).ok(), is_permanent: None }), ..row }
    }
}

impl LockerForm {
    /// Returns the signature of the withdrawal.
    const fn withdrawal(self) -> &'static str {
        match self {
            Self::Pairs => pairs::FORMER_WITHDRAWAL,
            Self::NumberedPairs => pairs::WITHDRAWAL,
            Self::Deposits => deposits::WITHDRAWAL,
            Self::FormerDeposits => deposits::FORMER_WITHDRAWAL,
        }
    }
}

impl LockedToken {
    /// Returns true if the locker pays it in this block.
    fn is_claimable(&self, cx: &JobContext) -> bool {
        let now = U256::from(cx.block().timestamp);
        match self.locker.form {
            LockerForm::Pairs | LockerForm::NumberedPairs => self.ends_at < now,
            LockerForm::Deposits | LockerForm::FormerDeposits => self.ends_at <= now,
        }
    }

    /// Returns a number that no other lock of the locker has: where each token has its own count, its address comes
    /// first.
    fn number(&self) -> U256 {
        match self.locker.form {
            LockerForm::Pairs => (U256::from_be_slice(self.token.as_slice()) << 96) | (self.id & (U256::MAX >> 160)),
            _ => self.id,
        }
    }

    fn name(&self) -> String {
        format!("{} lock", symbol(self.token))
    }
}
