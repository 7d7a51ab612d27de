//! Awaiting several futures together: tuples of unlike ones, arrays, vectors and iterators of like ones.
//!
//! Invariant: all are awaited to their ends, so that what they read goes out in the same batches; the first error in
//! order is the outcome.

use std::future::{Future, Ready, ready};

use futures_util::future::{self, FutureExt, JoinAll, Map, join, join_all};

use crate::error::Error;

/// What [`Chain::join`](crate::Chain::join) takes: a tuple of up to twelve futures, or an array, a `Vec` or an iterator
/// of futures of one type. `Shape` is one of [`shape`], and follows from the type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be joined",
    label = "not a tuple, array, `Vec` or iterator of futures",
    note = "each part is a future of a `Result<_, portolan_plugin_api::Error>`, for example a read"
)]
pub trait Join<Shape> {
    /// The values: a tuple for a tuple, an array for an array, a `Vec` for anything else.
    type Values;

    /// The future of the values.
    type Joined: Future<Output = Result<Self::Values, Error>>;

    /// Begins to await them.
    fn joined(self) -> Self::Joined;
}

/// The shapes of what can be joined and gathered.
pub mod shape {
    /// A tuple, whose members may be unlike.
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

/// As many futures as [`join_all`] polls in turn. It makes a task and a waker for each where there are more, which pays
/// where few of many are woken; a job is resumed with the replies to most of what it awaits.
const CHUNK: usize = 30;

type Chunks<F> = JoinAll<JoinAll<F>>;

/// All of one type, once each has its outcome.
type All<F, T, V> = Map<Chunks<F>, fn(Vec<Vec<Result<T, Error>>>) -> Result<V, Error>>;

fn in_chunks<F: Future>(futures: impl IntoIterator<Item = F>) -> Chunks<F> {
    let mut futures = futures.into_iter().peekable();
    let mut chunks = Vec::new();
    while futures.peek().is_some() {
        chunks.push(join_all(futures.by_ref().take(CHUNK)));
    }
    join_all(chunks)
}

/// Awaits all futures to their ends; what each gives, in order.
pub(crate) fn outcomes<F: Future>(futures: impl IntoIterator<Item = F>) -> impl Future<Output = Vec<F::Output>> {
    let chunks = in_chunks(futures);
    async move { chunks.await.into_iter().flatten().collect() }
}

fn values<T>(outcomes: Vec<Vec<Result<T, Error>>>) -> Result<Vec<T>, Error> {
    let mut values = Vec::with_capacity(outcomes.len() * CHUNK);
    for outcome in outcomes.into_iter().flatten() {
        values.push(outcome?);
    }
    Ok(values)
}

fn array<T, const N: usize>(outcomes: Vec<Vec<Result<T, Error>>>) -> Result<[T; N], Error> {
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
    type Joined = All<F, T, Vec<T>>;

    fn joined(self) -> Self::Joined {
        in_chunks(self).map(values)
    }
}

impl<F: Future<Output = Result<T, Error>>, T> Join<shape::List> for Vec<F> {
    type Values = Vec<T>;
    type Joined = All<F, T, Vec<T>>;

    fn joined(self) -> Self::Joined {
        in_chunks(self).map(values)
    }
}

impl<F: Future<Output = Result<T, Error>>, T, const N: usize> Join<shape::Array> for [F; N] {
    type Values = [T; N];
    type Joined = All<F, T, [T; N]>;

    fn joined(self) -> Self::Joined {
        in_chunks(self).map(array)
    }
}

/// Pairs in pairs: what two futures are joined to can be joined with a third.
macro_rules! nested {
    (futures) => { Ready<()> };
    (futures $first:ident $($rest:ident)*) => { future::Join<$first, nested!(futures $($rest)*)> };
    (outcomes) => { () };
    (outcomes $first:ident $($rest:ident)*) => { (Result<$first, Error>, nested!(outcomes $($rest)*)) };
    (joined) => { ready(()) };
    (joined $first:ident $($rest:ident)*) => { join($first, nested!(joined $($rest)*)) };
    (pattern) => { () };
    (pattern $first:ident $($rest:ident)*) => { ($first, nested!(pattern $($rest)*)) };
}

/// A tuple: for each member the names of its future's type, its value's type, and itself.
macro_rules! tuple {
    ($($future:ident $value:ident $member:ident),+) => {
        impl<$($future, $value),+> Join<shape::Tuple> for ($($future,)+)
        where
            $($future: Future<Output = Result<$value, Error>>),+
        {
            type Values = ($($value,)+);
            type Joined =
                Map<nested!(futures $($future)+), fn(nested!(outcomes $($value)+)) -> Result<Self::Values, Error>>;

            fn joined(self) -> Self::Joined {
                let ($($member,)+) = self;
                nested!(joined $($member)+).map(|nested!(pattern $($member)+)| Ok(($($member?,)+)))
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
