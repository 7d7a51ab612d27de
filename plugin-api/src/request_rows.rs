//! Requested reads of a job, as rows of a frame.
//!
//! Invariant: offsets are relative to the blob beside the rows until both are added to a frame.

use alloy::primitives::{Address, B256};
use alloy::sol_types::SolCall;
use alloy::sol_types::abi::{Encoder, TokenSeq};
use portolan_abi::codec;
use portolan_abi::frame::{Blob, FrameError};
use portolan_abi::map::ReadExtension;
use portolan_abi::row;

use crate::read_request::ReadRequest;

/// Rows with their networks, and the blob that they point into.
#[derive(Debug, Default)]
pub(crate) struct RequestRows {
    pub(crate) rows: Vec<(u64, row::Read)>,
    pub(crate) blob: Blob,
    /// Offset and length of the last row's calldata.
    last_data: (u32, u32),
    /// Error of the first row that did not fit; rows are missing then.
    pub(crate) error: Option<FrameError>,
}

/// Targets of calls, with their calldata.
#[derive(Debug, Default)]
pub(crate) struct CallList {
    calls: Vec<(Address, (u32, u32))>,
    blob: Blob,
    error: Option<FrameError>,
}

impl CallList {
    /// Stores equal consecutive calldata once: jobs ask many contracts the same.
    pub(crate) fn of<C: SolCall>(calls: impl IntoIterator<Item = (Address, C)>) -> Self {
        let mut list = Self::default();
        // One encoder for all calls, since each one would allocate twice.
        let (mut encoder, mut last) = (Encoder::new(), 0..0);
        for (to, call) in calls {
            let words = encoder.words().len();
            call.tokenize().encode_sequence(&mut encoder);
            let words = words..encoder.words().len();
            let known = list.calls.last().filter(|_| encoder.words()[last] == encoder.words()[words.clone()]);
            let place = match known {
                Some((_, place)) => Ok(*place),
                None => list.put(C::SELECTOR, &encoder.words()[words.clone()]),
            };
            match place {
                Ok(place) => list.calls.push((to, place)),
                Err(error) => list.error = Some(error),
            }
            last = words;
        }
        list
    }

    fn put(&mut self, selector: [u8; 4], words: &[B256]) -> Result<(u32, u32), FrameError> {
        let (offset, mut len) = self.blob.bytes(&selector)?;
        for word in words {
            len = len.checked_add(self.blob.bytes(word.as_slice())?.1).ok_or(FrameError::TooLarge)?;
        }
        Ok((offset, len))
    }

    pub(crate) fn len(&self) -> usize {
        self.calls.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    pub(crate) fn targets(&self) -> impl Iterator<Item = Address> {
        self.calls.iter().map(|(to, _)| *to)
    }
}

impl RequestRows {
    pub(crate) fn push(&mut self, request: &ReadRequest) {
        self.error = self.try_push(request).err().or(self.error.take());
    }

    /// Adds a row per call, equal to the request except for target and calldata.
    pub(crate) fn push_each(&mut self, request: &ReadRequest, of: &CallList) {
        self.error = self.try_push_each(request, of).err().or(self.error.take());
    }

    fn try_push(&mut self, request: &ReadRequest) -> Result<(), FrameError> {
        let row = self.row(request)?;
        let (data_offset, data_len) = self.blob.bytes_unless_at(self.last_data, &request.data)?;
        self.last_data = (data_offset, data_len);
        self.rows.push((request.network, row::Read { to: request.to, data_offset, data_len, ..row }));
        Ok(())
    }

    fn try_push_each(&mut self, request: &ReadRequest, of: &CallList) -> Result<(), FrameError> {
        let row = self.row(request)?;
        let base = self.blob.append(&of.blob)?;
        self.rows.extend(of.calls.iter().map(|(to, (offset, len))| {
            (request.network, row::Read { to: *to, data_offset: base + offset, data_len: *len, ..row.clone() })
        }));
        of.error.clone().map_or(Ok(()), Err)
    }

    /// Returns the row of a request, without target and data.
    fn row(&mut self, request: &ReadRequest) -> Result<row::Read, FrameError> {
        let ReadRequest { kind, mode, freshness, purpose, freshness_s, gas_cap, from, ref function, .. } = *request;
        let mut row = row::Read { kind, mode, freshness, purpose, freshness_s, gas_cap, ..row::Read::default() };
        if from.is_some() || function.is_some() {
            let extension = ReadExtension { from, function: function.clone(), ..ReadExtension::default() };
            row.extension = self.blob.extension(&codec::encode(&extension))?;
        }
        Ok(row)
    }
}
