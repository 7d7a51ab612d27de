//! Awaiting the parts of a question together, each of which emits what it finds as soon as it is done.
//!
//! Invariant: a part that fails costs its own findings, and the answer says so.

use std::future::Future;
use std::pin::Pin;

use futures_util::future::FutureExt;
use portolan_abi::map::Finding;

use crate::error::Error;
use crate::job_state::JobState;
use crate::join::{self, shape};

/// One part: it has emitted what it found once it is done.
pub type Emitting<'c> = Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'c>>;

/// Takes what the parts of a job find.
#[derive(Clone, Copy, Debug)]
pub struct Emitter<'c>(pub(crate) &'c JobState);

/// The end of a question whose parts are gathered: an empty list, as everything is emitted.
pub type Gathered<'c, T> = Pin<Box<dyn Future<Output = Result<Vec<T>, Error>> + Send + 'c>>;

/// What [`Chain::gather`](crate::Chain::gather) takes: a tuple of up to twelve parts, or an array, a `Vec` or an
/// iterator of parts of one type. `Shape` is one of [`shape`], and follows from the type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be gathered",
    label = "not a tuple, array, `Vec` or iterator of parts",
    note = "each part is a future of a `Result<_, portolan_plugin_api::Error>` with a `Vec` or an `Option` of findings"
)]
pub trait Gather<'c, Shape> {
    /// What the parts find; of a tuple, what its first one finds.
    type Found: Into<Finding> + 'static;

    /// The parts, in order.
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

/// A tuple: for each member the names of its future's type, the type of what it finds, and itself.
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
