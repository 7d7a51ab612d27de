//! Joins futures: tuples of different ones; arrays, vectors and iterators of equal ones.
//!
//! Invariant: all futures are awaited to the end, so that their reads share batches. The first error in order is
//! returned.

use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::future::{self, JoinAll, join_all};
use pin_project_lite::pin_project;

use crate::error::Error;

/// Input of [`JobContext::join`](crate::JobContext::join): a tuple of up to twelve futures, or an array, a `Vec` or an
/// iterator of futures of one type. `Shape`, one of [`shape`], is inferred.
///
/// ```
/// # use portolan_plugin_api::*;
/// # sol! {
/// #     function earned(address account) external view returns (uint256);
/// #     function token() external view returns (address);
/// #     function balanceOf(address account) external view returns (uint256);
/// # }
/// /// Reads a farm's token and a reward in one batch, then the stakes of several accounts in another.
/// async fn read(cx: &JobContext, farm: Address, accounts: &[Address]) -> Result<(Address, U256, Vec<U256>), Error> {
///     let account = accounts[0];
///     let (token, reward) = cx.join((cx.call(farm, tokenCall {}), cx.call(farm, earnedCall { account }))).await?;
///     let stakes = cx.join(accounts.iter().map(|account| cx.call(token, balanceOfCall { account: *account }))).await?;
///     Ok((token, reward, stakes))
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be joined",
    label = "not a tuple, array, `Vec` or iterator of futures",
    note = "each part is a future of a `Result<_, portolan_plugin_api::Error>`, for example a read"
)]
pub trait Join<Shape> {
    /// Values: a tuple for a tuple, an array for an array, a `Vec` otherwise.
    type Values;

    /// Future of the values.
    type Joined: Future<Output = Result<Self::Values, Error>>;

    /// Returns the joined future.
    fn joined(self) -> Self::Joined;
}

/// Shapes of what can be joined and gathered.
pub mod shape {
    /// A tuple, whose members may have different types.
    #[derive(Debug)]
    pub enum Tuple {}
    /// An array.
    #[derive(Debug)]
    pub enum Array {}
    /// A `Vec`.
    #[derive(Debug)]
    pub enum List {}
    /// An iterator.
    #[derive(Debug)]
    pub enum Sequence {}
}

/// Largest number of futures that [`join_all`] polls in turn. Above it, it makes a task and a waker for each, which
/// only pays if few are woken. A job is resumed with most of the replies it awaits.
const CHUNK: usize = 30;

/// Outcomes of [`Chunks`].
type Outcomes<T> = Vec<Vec<T>>;

// These name the futures of `Join`, so that no type of another crate is part of the interface.
pin_project! {
    /// Futures of one type, once each has its outcome.
    pub struct Chunks<F: Future> {
        #[pin]
        all: JoinAll<JoinAll<F>>,
    }
}

pin_project! {
    /// Two futures, once each has its outcome.
    pub struct Pair<A: Future, B: Future> {
        #[pin]
        both: future::Join<A, B>,
    }
}

pin_project! {
    /// The values of joined futures.
    pub struct Joined<F, O, V> {
        #[pin]
        outcomes: F,
        values: fn(O) -> Result<V, Error>,
    }
}

impl<F: Future> Future for Chunks<F> {
    type Output = Outcomes<F::Output>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.project().all.poll(cx)
    }
}

impl<A: Future, B: Future> Future for Pair<A, B> {
    type Output = (A::Output, B::Output);

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.project().both.poll(cx)
    }
}

impl<F: Future<Output = O>, O, V> Future for Joined<F, O, V> {
    type Output = Result<V, Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let joined = self.project();
        joined.outcomes.poll(cx).map(*joined.values)
    }
}

fn in_chunks<F: Future>(futures: impl IntoIterator<Item = F>) -> Chunks<F> {
    let mut futures = futures.into_iter().peekable();
    let mut chunks = Vec::new();
    while futures.peek().is_some() {
        chunks.push(join_all(futures.by_ref().take(CHUNK)));
    }
    Chunks { all: join_all(chunks) }
}

fn pair<A: Future, B: Future>(first: A, second: B) -> Pair<A, B> {
    Pair { both: future::join(first, second) }
}

/// Awaits all futures to the end. Returns their outcomes in order.
pub(crate) fn outcomes<F: Future>(futures: impl IntoIterator<Item = F>) -> impl Future<Output = Vec<F::Output>> {
    let chunks = in_chunks(futures);
    async move { chunks.await.into_iter().flatten().collect() }
}

fn values<T>(outcomes: Outcomes<Result<T, Error>>) -> Result<Vec<T>, Error> {
    let mut values = Vec::with_capacity(outcomes.len() * CHUNK);
    for outcome in outcomes.into_iter().flatten() {
        values.push(outcome?);
    }
    Ok(values)
}

fn array<T, const N: usize>(outcomes: Outcomes<Result<T, Error>>) -> Result<[T; N], Error> {
    let values = values(outcomes)?;
    let count = values.len();
    values.try_into().map_err(|_| Error::new(format!("{count} values of {N} joined futures")))
}

impl<I, F, T> Join<shape::Sequence> for I
where
    I: Iterator<Item = F>,
    F: Future<Output = Result<T, Error>>,
{
    type Values = Vec<T>;
    type Joined = Joined<Chunks<F>, Outcomes<F::Output>, Vec<T>>;

    fn joined(self) -> Self::Joined {
        Joined { outcomes: in_chunks(self), values }
    }
}

impl<F: Future<Output = Result<T, Error>>, T> Join<shape::List> for Vec<F> {
    type Values = Vec<T>;
    type Joined = Joined<Chunks<F>, Outcomes<F::Output>, Vec<T>>;

    fn joined(self) -> Self::Joined {
        Joined { outcomes: in_chunks(self), values }
    }
}

impl<F: Future<Output = Result<T, Error>>, T, const N: usize> Join<shape::Array> for [F; N] {
    type Values = [T; N];
    type Joined = Joined<Chunks<F>, Outcomes<F::Output>, [T; N]>;

    fn joined(self) -> Self::Joined {
        Joined { outcomes: in_chunks(self), values: array }
    }
}

/// Nests pairs: the join of two futures is joined with a third.
macro_rules! nested {
    (futures) => { Ready<()> };
    (futures $first:ident $($rest:ident)*) => { Pair<$first, nested!(futures $($rest)*)> };
    (outcomes) => { () };
    (outcomes $first:ident $($rest:ident)*) => { (Result<$first, Error>, nested!(outcomes $($rest)*)) };
    (joined) => { ready(()) };
    (joined $first:ident $($rest:ident)*) => { pair($first, nested!(joined $($rest)*)) };
    (pattern) => { () };
    (pattern $first:ident $($rest:ident)*) => { ($first, nested!(pattern $($rest)*)) };
}

/// Implements the trait for a tuple; each member has names for its future type, its value type and itself.
macro_rules! tuple {
    ($($future:ident $value:ident $member:ident),+) => {
        impl<$($future, $value),+> Join<shape::Tuple> for ($($future,)+)
        where
            $($future: Future<Output = Result<$value, Error>>),+
        {
            type Values = ($($value,)+);
            type Joined = Joined<nested!(futures $($future)+), nested!(outcomes $($value)+), Self::Values>;

            fn joined(self) -> Self::Joined {
                let ($($member,)+) = self;
                let values = |nested!(pattern $($member)+)| Ok(($($member?,)+));
                Joined { outcomes: nested!(joined $($member)+), values }
            }
        }
    };
}

tuple!(A Va a);
tuple!(A Va a, B Vb b);
tuple!(A Va a, B Vb b, C Vc c);
tuple!(A Va a, B Vb b, C Vc c, D Vd d);
tuple!(A Va a, B Vb b, C Vc c, D Vd d, E Ve e);
tuple!(A Va a, B Vb b, C Vc c, D Vd d, E Ve e, F Vf f);
tuple!(A Va a, B Vb b, C Vc c, D Vd d, E Ve e, F Vf f, G Vg g);
tuple!(A Va a, B Vb b, C Vc c, D Vd d, E Ve e, F Vf f, G Vg g, H Vh h);
tuple!(A Va a, B Vb b, C Vc c, D Vd d, E Ve e, F Vf f, G Vg g, H Vh h, I Vi i);
tuple!(A Va a, B Vb b, C Vc c, D Vd d, E Ve e, F Vf f, G Vg g, H Vh h, I Vi i, J Vj j);
tuple!(A Va a, B Vb b, C Vc c, D Vd d, E Ve e, F Vf f, G Vg g, H Vh h, I Vi i, J Vj j, K Vk k);
tuple!(A Va a, B Vb b, C Vc c, D Vd d, E Ve e, F Vf f, G Vg g, H Vh h, I Vi i, J Vj j, K Vk k, L Vl l);
