//! A read that a plugin requested, until it has the reply.

use portolan_reader::{Read, Reply};

use super::document_reads::PreparedRead;
use super::frames::FrameReply;

/// A read that a job waits for.
pub(super) enum OpenRead {
    /// The reply is there, and goes to the plugin when it is resumed.
    Answered(FrameReply),
    /// The next miss of the lookup of the job's own network; the read itself where its reply is to be noted.
    Own(Option<Box<Read>>),
    /// A read of the job's own network that walks a fact list.
    Walk(Read),
    /// A read of another network.
    Guest(u64, Read),
    /// A document of a server.
    Document(PreparedRead),
}

impl OpenRead {
    pub(super) fn is_answered(&self) -> bool {
        matches!(self, Self::Answered(_))
    }

    /// The read whose reply is to be noted.
    pub(super) fn take_noted(&mut self) -> Option<Box<Read>> {
        if let Self::Own(noted) = self { noted.take() } else { None }
    }
}

impl From<Reply> for OpenRead {
    fn from(reply: Reply) -> Self {
        Self::Answered(reply.into())
    }
}
