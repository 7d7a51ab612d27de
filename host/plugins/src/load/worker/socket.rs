//! The host's end of a worker's socket.
//!
//! Tokio's own stream asks the kernel to report that bytes can be read and that more can be written. Then the kernel
//! wakes the host each time the worker has read a request, which nobody waits for, and again for its reply.
#![expect(unsafe_code, reason = "tokio cannot know that a socket stays open while it is registered")]

use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, Interest, ReadBuf};

/// A socket that reports only that bytes can be read.
#[derive(Debug)]
pub(super) struct Socket(AsyncFd<UnixStream>);

impl Socket {
    /// Takes a socket that does not block.
    pub(super) fn new(socket: UnixStream) -> io::Result<Self> {
        register(socket, Interest::READABLE).map(Self)
    }

    /// Sends all bytes. Nearly all messages fit into the socket's buffer at once.
    pub(super) async fn send(&self, mut bytes: &[u8]) -> io::Result<()> {
        let mut socket = self.0.get_ref();
        while !bytes.is_empty() {
            match socket.write(bytes) {
                Ok(sent) => bytes = &bytes[sent..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => return send_rest(socket, bytes).await,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

fn register(socket: UnixStream, interest: Interest) -> io::Result<AsyncFd<UnixStream>> {
    // SAFETY: the stream owns its descriptor, keeps it until it is dropped, and is given to nobody else.
    Ok(unsafe { AsyncFd::register_with_interest(socket, interest) }?)
}

/// Sends the bytes as there is room for them.
async fn send_rest(socket: &UnixStream, mut bytes: &[u8]) -> io::Result<()> {
    let writable = register(socket.try_clone()?, Interest::WRITABLE)?;
    while !bytes.is_empty() {
        let sent = writable.async_io(Interest::WRITABLE, |mut socket| socket.write(bytes)).await?;
        bytes = &bytes[sent..];
    }
    Ok(())
}

impl AsyncRead for Socket {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            let mut guard = ready!(self.0.poll_read_ready(context))?;
            let room = buffer.initialize_unfilled();
            let most = room.len();
            if let Ok(read) = guard.try_io(|socket| socket.get_ref().read(room)) {
                // A read of less than there is room for took all: the next bytes are reported. What was reported since
                // the read began stays.
                if read.as_ref().is_ok_and(|read| (1..most).contains(read)) {
                    guard.clear_ready();
                }
                return Poll::Ready(read.map(|read| buffer.advance(read)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    #[tokio::test]
    async fn messages_larger_than_the_buffer_of_the_socket_arrive_whole_both_ways() {
        let (own, mut theirs) = UnixStream::pair().unwrap();
        own.set_nonblocking(true).unwrap();
        let mut own = Socket::new(own).unwrap();
        let message: Vec<u8> = (0_u32..1 << 20).flat_map(u32::to_le_bytes).collect();
        let len = message.len();
        let echo = std::thread::spawn(move || {
            let mut bytes = vec![0; len];
            theirs.read_exact(&mut bytes).unwrap();
            theirs.write_all(&bytes).unwrap();
        });
        own.send(&message).await.unwrap();
        let mut back = Vec::new();
        own.read_to_end(&mut back).await.unwrap();
        assert!(back == message);
        echo.join().unwrap();
    }

    #[tokio::test]
    async fn a_closed_socket_is_an_error_to_send_to() {
        let (own, theirs) = UnixStream::pair().unwrap();
        own.set_nonblocking(true).unwrap();
        drop(theirs);
        let sent = Socket::new(own).unwrap().send(b"request").await;
        assert_eq!(sent.unwrap_err().kind(), ErrorKind::BrokenPipe);
    }
}
