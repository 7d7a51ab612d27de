//! Awaits the parts of a question together; each emits its findings when it is done.
//!
//! Invariant: a failed part loses only its own findings, and the answer reports it.

use std::future::Future;
use std::pin::Pin;

use futures_util::future::FutureExt;
use portolan_abi::map::Finding;

use crate::error::Error;
use crate::job_state::JobState;
use crate::join::{self, shape};

/// One part; it has emitted its findings when it ends.
pub type Emitting<'c> = Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'c>>;

/// Receives the findings of a job's parts.
#[derive(Clone, Copy, Debug)]
pub struct Emitter<'c>(pub(crate) &'c JobState);

/// Result of gathered parts: an empty list, since everything is emitted.
pub type Gathered<'c, T> = Pin<Box<dyn Future<Output = Result<Vec<T>, Error>> + Send + 'c>>;

/// Input of [`JobContext::gather`](crate::JobContext::gather): a tuple of up to twelve parts, or an array, a `Vec` or
/// an iterator of parts of one type. `Shape`, one of [`shape`], is inferred.
///
/// ```
/// # use portolan_plugin_api::*;
/// # sol! {
/// #     function earned(address account) external view returns (uint256);
/// #     function token() external view returns (address);
/// #     function balanceOf(address account) external view returns (uint256);
/// # }
/// /// Parts that are awaited together. What one of them cannot read is missing, and the others' findings stay.
/// async fn positions(cx: &JobContext, farms: Vec<Address>, account: Address) -> Result<Vec<Position>, Error> {
///     cx.gather(farms.into_iter().map(async |farm| {
///         let staked = cx.call(farm, balanceOfCall { account }).await?;
///         let leg = Leg::new(LegRole::STAKED, cx.call(farm, tokenCall {}).immutable().await?, staked);
///         Ok(Some(Position::new(PositionKind::STAKED, "main", farm).named("Farm").leg(leg)))
///     }))
///     .await
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be gathered",
    label = "not a tuple, array, `Vec` or iterator of parts",
    note = "each part is a future of a `Result<_, portolan_plugin_api::Error>` with a `Vec` or an `Option` of findings"
)]
pub trait Gather<'c, Shape> {
    /// Type of the findings; for a tuple, that of its first part.
    type Found: Into<Finding> + 'static;

    /// Returns the parts, in order.
    fn parts(self, emitter: Emitter<'c>) -> Vec<Emitting<'c>>;
}

pub(crate) fn gather<'c, T: 'static>(emitter: Emitter<'c>, parts: Vec<Emitting<'c>>) -> Gathered<'c, T> {
    Box::pin(async move {
        let outcomes = join::outcomes(parts).await;
        let failed: Vec<&Error> = outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).collect();
        match failed.first() {
            Some(first) if failed.len() == outcomes.len() => return Err((*first).clone()),
            _ => failed.iter().for_each(|error| emitter.0.report_missing(error.to_string())),
        }
        Ok(Vec::new())
    })
}

fn part<'c, F, L>(emitter: Emitter<'c>, part: F) -> Emitting<'c>
where
    F: Future<Output = Result<L, Error>> + Send + 'c,
    L: IntoIterator<Item: Into<Finding>>,
{
    Box::pin(part.map(move |found| {
        found?.into_iter().for_each(|finding| emitter.0.emit(finding.into()));
        Ok(())
    }))
}

impl<'c, I, F, L> Gather<'c, shape::Sequence> for I
where
    I: Iterator<Item = F>,
    F: Future<Output = Result<L, Error>> + Send + 'c,
    L: IntoIterator<Item: Into<Finding> + 'static>,
{
    type Found = L::Item;

    fn parts(self, emitter: Emitter<'c>) -> Vec<Emitting<'c>> {
        self.map(|each| part(emitter, each)).collect()
    }
}

impl<'c, F, L> Gather<'c, shape::List> for Vec<F>
where
    F: Future<Output = Result<L, Error>> + Send + 'c,
    L: IntoIterator<Item: Into<Finding> + 'static>,
{
    type Found = L::Item;

    fn parts(self, emitter: Emitter<'c>) -> Vec<Emitting<'c>> {
        self.into_iter().map(|each| part(emitter, each)).collect()
    }
}

impl<'c, F, L, const N: usize> Gather<'c, shape::Array> for [F; N]
where
    F: Future<Output = Result<L, Error>> + Send + 'c,
    L: IntoIterator<Item: Into<Finding> + 'static>,
{
    type Found = L::Item;

    fn parts(self, emitter: Emitter<'c>) -> Vec<Emitting<'c>> {
        self.into_iter().map(|each| part(emitter, each)).collect()
    }
}

/// Implements the trait for a tuple; each member has names for its future type, its finding type and itself.
macro_rules! tuple {
    ($first:ident $first_found:ident $first_member:ident $(, $future:ident $found:ident $member:ident)*) => {
        impl<'c, $first, $first_found $(, $future, $found)*> Gather<'c, shape::Tuple> for ($first, $($future,)*)
        where
            $first: Future<Output = Result<$first_found, Error>> + Send + 'c,
            $first_found: IntoIterator<Item: Into<Finding> + 'static>,
            $($future: Future<Output = Result<$found, Error>> + Send + 'c,)*
            $($found: IntoIterator<Item: Into<Finding>>,)*
        {
            type Found = $first_found::Item;

            fn parts(self, emitter: Emitter<'c>) -> Vec<Emitting<'c>> {
                let ($first_member, $($member,)*) = self;
                vec![part(emitter, $first_member) $(, part(emitter, $member))*]
            }
        }
    };
}

tuple!(A La a);
tuple!(A La a, B Lb b);
tuple!(A La a, B Lb b, C Lc c);
tuple!(A La a, B Lb b, C Lc c, D Ld d);
tuple!(A La a, B Lb b, C Lc c, D Ld d, E Le e);
tuple!(A La a, B Lb b, C Lc c, D Ld d, E Le e, F Lf f);
tuple!(A La a, B Lb b, C Lc c, D Ld d, E Le e, F Lf f, G Lg g);
tuple!(A La a, B Lb b, C Lc c, D Ld d, E Le e, F Lf f, G Lg g, H Lh h);
tuple!(A La a, B Lb b, C Lc c, D Ld d, E Le e, F Lf f, G Lg g, H Lh h, I Li i);
tuple!(A La a, B Lb b, C Lc c, D Ld d, E Le e, F Lf f, G Lg g, H Lh h, I Li i, J Lj j);
tuple!(A La a, B Lb b, C Lc c, D Ld d, E Le e, F Lf f, G Lg g, H Lh h, I Li i, J Lj j, K Lk k);
tuple!(A La a, B Lb b, C Lc c, D Ld d, E Le e, F Lf f, G Lg g, H Lh h, I Li i, J Lj j, K Lk k, L Ll l);
