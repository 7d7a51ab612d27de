//! A frame: blocks of rows, then one blob that the rows point into. `resume` takes one and returns one; the logs of a
//! transaction are one too.
//!
//! Layout, little-endian: magic, frame version (u16), number of blocks (u16), blob length (u32), reserved (u32). Each
//! block is count (u32), stride (u32) and `count × stride` bytes; the blob ends the frame.
//! Invariant: a parsed [`Frame`] lies within its bytes. Blob ranges of its rows are checked when they are looked up.

use crate::FRAME_VERSION;
use crate::row::Row;

/// First four bytes of every frame.
pub const MAGIC: [u8; 4] = *b"PTLN";

/// Maximum number of blocks; later versions append blocks.
pub const BLOCKS_MAX: usize = 8;

/// Blocks of the frame that goes into `resume`.
pub mod resume_in {
    /// [`crate::row::JobIn`], in the order of the jobs.
    pub const JOBS: usize = 0;
    /// [`crate::row::Reply`], job by job.
    pub const REPLIES: usize = 1;
}

/// Blocks of the frame that comes out of `resume`.
pub mod resume_out {
    /// [`crate::row::JobOut`], in the order of the jobs.
    pub const JOBS: usize = 0;
    /// [`crate::row::Network`]: chain ids, which reads name by index.
    pub const NETWORKS: usize = 1;
    /// [`crate::row::Read`], job by job.
    pub const READS: usize = 2;
    /// [`crate::row::FactsRow`], in any order.
    pub const FACTS: usize = 3;
}

/// Blocks of the frame of [`crate::map::Transaction::logs`].
pub mod transaction {
    /// [`crate::row::LogRow`], in the order of the receipt.
    pub const LOGS: usize = 0;
}

const HEAD: usize = 16;
const BLOCK_HEAD: usize = 8;

/// Why bytes are not a valid frame.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// Shorter than its parts need.
    #[error("frame ends early")]
    Short,
    /// Not a frame at all.
    #[error("no frame: wrong magic")]
    Magic,
    /// An unsupported version.
    #[error("frame version {0} is not {FRAME_VERSION}")]
    Version(u16),
    /// More blocks than [`BLOCKS_MAX`].
    #[error("{0} blocks are more than {BLOCKS_MAX}")]
    Blocks(u16),
    /// Rows of no bytes.
    #[error("rows of 0 bytes")]
    Stride,
    /// Bytes follow the blob.
    #[error("{0} bytes after the end")]
    Trailing(usize),
    /// A row points outside the blob.
    #[error("{offset}+{len} lies outside the blob of {blob} bytes")]
    OutsideBlob {
        /// Offset in the blob.
        offset: u32,
        /// Length in bytes.
        len: u32,
        /// Size of the blob in bytes.
        blob: usize,
    },
    /// Larger than 32-bit offsets can address.
    #[error("frame is larger than 4 GiB")]
    TooLarge,
}

/// A parsed frame that borrows its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    blocks: [FrameBlock<'a>; BLOCKS_MAX],
    blob: &'a [u8],
}

#[derive(Clone, Copy, Debug, Default)]
struct FrameBlock<'a> {
    stride: usize,
    rows: &'a [u8],
}

impl<'a> Frame<'a> {
    /// Parses a frame; unknown blocks are ignored.
    ///
    /// # Errors
    /// [`FrameError`] for anything but exactly one frame.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, FrameError> {
        let mut rest = bytes;
        let head = take(&mut rest, HEAD)?;
        if head[..4] != MAGIC {
            return Err(FrameError::Magic);
        }
        let version = u16::from_le_bytes([head[4], head[5]]);
        if version != FRAME_VERSION {
            return Err(FrameError::Version(version));
        }
        let count = u16::from_le_bytes([head[6], head[7]]);
        let blob_len = le_u32(&head[8..12]);
        let mut blocks = [FrameBlock::default(); BLOCKS_MAX];
        let used = blocks.get_mut(..usize::from(count)).ok_or(FrameError::Blocks(count))?;
        for block in used {
            let head = take(&mut rest, BLOCK_HEAD)?;
            let (rows, stride) = (le_u32(&head[..4]), le_u32(&head[4..]));
            if stride == 0 && rows > 0 {
                return Err(FrameError::Stride);
            }
            let len = rows.checked_mul(stride).ok_or(FrameError::Short)?;
            *block = FrameBlock { stride, rows: take(&mut rest, len)? };
        }
        let blob = take(&mut rest, blob_len)?;
        if !rest.is_empty() {
            return Err(FrameError::Trailing(rest.len()));
        }
        Ok(Self { blocks, blob })
    }

    /// Returns the number of rows of a block; 0 for a missing block.
    pub fn count(&self, block: usize) -> usize {
        self.blocks.get(block).map_or(0, |block| block.rows.len().checked_div(block.stride).unwrap_or(0))
    }

    /// Iterates over the rows of a block, in order.
    pub fn rows<R: Row>(&self, block: usize) -> impl Iterator<Item = R> + use<'a, R> {
        let block = self.blocks.get(block).copied().unwrap_or_default();
        block.rows.chunks_exact(block.stride.max(1)).map(|row| R::read(&row[..row.len().min(R::SIZE)]))
    }

    /// Returns a range of the blob.
    ///
    /// # Errors
    /// [`FrameError::OutsideBlob`].
    pub fn bytes(&self, offset: u32, len: u32) -> Result<&'a [u8], FrameError> {
        let outside = FrameError::OutsideBlob { offset, len, blob: self.blob.len() };
        let (start, len) = (offset as usize, len as usize);
        start.checked_add(len).and_then(|end| self.blob.get(start..end)).ok_or(outside)
    }

    /// Returns the length-prefixed bytes at [`crate::row::Read::extension`]; `None` if it is 0.
    ///
    /// # Errors
    /// [`FrameError::OutsideBlob`].
    pub fn extension(&self, extension: u32) -> Result<Option<&'a [u8]>, FrameError> {
        let Some(offset) = extension.checked_sub(1) else { return Ok(None) };
        let len = le_u32(self.bytes(offset, 4)?);
        let outside = FrameError::OutsideBlob { offset, len: u32::MAX, blob: self.blob.len() };
        let start = offset.checked_add(4).ok_or(outside.clone())?;
        self.bytes(start, u32::try_from(len).map_err(|_| outside)?).map(Some)
    }
}

fn take<'a>(rest: &mut &'a [u8], len: usize) -> Result<&'a [u8], FrameError> {
    let (head, tail) = rest.split_at_checked(len).ok_or(FrameError::Short)?;
    *rest = tail;
    Ok(head)
}

fn le_u32(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |value, byte| (value << 8) | usize::from(*byte))
}

/// Bytes that rows point into.
#[derive(Clone, Debug, Default)]
pub struct Blob(Vec<u8>);

impl Blob {
    /// Appends bytes; returns their offset and length.
    ///
    /// # Errors
    /// [`FrameError::TooLarge`].
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(u32, u32), FrameError> {
        let offset = u32::try_from(self.0.len()).map_err(|_| FrameError::TooLarge)?;
        let len = u32::try_from(bytes.len()).map_err(|_| FrameError::TooLarge)?;
        self.0.extend_from_slice(bytes);
        Ok((offset, len))
    }

    /// Like [`Blob::bytes`], but reuses the range at `last` if it has the same bytes.
    ///
    /// # Errors
    /// [`FrameError::TooLarge`].
    pub fn bytes_unless_at(&mut self, last: (u32, u32), bytes: &[u8]) -> Result<(u32, u32), FrameError> {
        let (start, len) = (last.0 as usize, last.1 as usize);
        match start.checked_add(len).and_then(|end| self.0.get(start..end)) {
            Some(known) if known == bytes => Ok(last),
            _ => self.bytes(bytes),
        }
    }

    /// Appends a length-prefixed extension; returns the value of [`crate::row::Read::extension`].
    ///
    /// # Errors
    /// [`FrameError::TooLarge`].
    pub fn extension(&mut self, bytes: &[u8]) -> Result<u32, FrameError> {
        let len = u32::try_from(bytes.len()).map_err(|_| FrameError::TooLarge)?;
        let (offset, _) = self.bytes(&len.to_le_bytes())?;
        self.bytes(bytes)?;
        offset.checked_add(1).ok_or(FrameError::TooLarge)
    }

    /// Appends another blob; returns the amount to add to offsets into it.
    ///
    /// # Errors
    /// [`FrameError::TooLarge`], also if an offset would not fit.
    pub fn append(&mut self, other: &Self) -> Result<u32, FrameError> {
        let (offset, len) = self.bytes(&other.0)?;
        offset.checked_add(len).and_then(|end| end.checked_add(1)).ok_or(FrameError::TooLarge)?;
        Ok(offset)
    }
}

/// Writes a frame. Rows of different blocks may come in any order, with the bytes they point into.
#[derive(Debug, Default)]
pub struct FrameWriter {
    blocks: Vec<(u32, usize, Vec<u8>)>,
    /// Bytes that the rows point into.
    pub blob: Blob,
}

impl FrameWriter {
    /// Appends a row to a block.
    pub fn row<R: Row>(&mut self, block: usize, row: &R) {
        while self.blocks.len() <= block {
            self.blocks.push((0, R::SIZE, Vec::new()));
        }
        let (count, stride, rows) = &mut self.blocks[block];
        *stride = R::SIZE;
        *count += 1;
        row.write(rows);
    }

    /// Appends bytes to the blob; returns their offset and length.
    ///
    /// # Errors
    /// [`FrameError::TooLarge`].
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(u32, u32), FrameError> {
        self.blob.bytes(bytes)
    }

    /// Appends a length-prefixed extension to the blob; returns the value of [`crate::row::Read::extension`].
    ///
    /// # Errors
    /// [`FrameError::TooLarge`].
    pub fn extension(&mut self, bytes: &[u8]) -> Result<u32, FrameError> {
        self.blob.extension(bytes)
    }

    /// Returns the frame's bytes.
    ///
    /// # Errors
    /// [`FrameError::TooLarge`].
    pub fn finish(self) -> Result<Vec<u8>, FrameError> {
        let blob_len = u32::try_from(self.blob.0.len()).map_err(|_| FrameError::TooLarge)?;
        let count = u16::try_from(self.blocks.len()).map_err(|_| FrameError::TooLarge)?;
        let rows: usize = self.blocks.iter().map(|(_, _, rows)| BLOCK_HEAD + rows.len()).sum();
        let mut out = Vec::with_capacity(HEAD + rows + self.blob.0.len());
        out.extend(MAGIC);
        out.extend(FRAME_VERSION.to_le_bytes());
        out.extend(count.to_le_bytes());
        out.extend(blob_len.to_le_bytes());
        out.extend([0; 4]);
        for (count, stride, rows) in self.blocks {
            out.extend(count.to_le_bytes());
            out.extend(u32::try_from(stride).map_err(|_| FrameError::TooLarge)?.to_le_bytes());
            out.extend(rows);
        }
        out.extend(self.blob.0);
        Ok(out)
    }
}
