//! Detects a connection pooler between the server and the database.
//!
//! A pooler like PgBouncer may send each transaction of a connection to another back end. Prepared statements and
//! session settings do not survive that, and another server's statement of the same name would be run instead. So
//! behind a pooler statements are sent unprepared, and the limits are settings of the role, see [`limit_role`].
//!
//! A database announces the number of the back end as it accepts a connection; it is part of a cancel request. A pooler
//! announces a number of its own.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{
    AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream, ReadBuf,
};
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};
use tokio_postgres::{Client, SimpleQueryMessage};

/// Makes the limits of a session, in milliseconds, settings of this role in this database, unless they are. The back
/// end that runs it has them at once, later ones from their start.
pub(super) fn limit_role(lock: u128, statement: u128) -> String {
    format!(
        "DO $$
DECLARE
    parameter text;
    wanted text;
BEGIN
    FOR parameter, wanted IN VALUES ('lock_timeout', '{lock}'), ('statement_timeout', '{statement}'),
        ('idle_in_transaction_session_timeout', '{lock}')
    LOOP
        IF (SELECT setting FROM pg_settings WHERE name = parameter) <> wanted THEN
            EXECUTE format('ALTER ROLE CURRENT_USER IN DATABASE %I SET %I = %L',
                current_database(), parameter, wanted);
            PERFORM set_config(parameter, wanted, false);
        END IF;
    END LOOP;
END $$"
    )
}

/// Whether the peer is not the back end that runs the statements of this connection.
pub(super) async fn is_between(client: &Client) -> bool {
    match (announced(client).await, own(client).await) {
        (Some(announced), Some(own)) => announced != own,
        _ => false,
    }
}

/// The number of the back end, as it says itself.
async fn own(client: &Client) -> Option<i32> {
    let rows = client.simple_query("SELECT pg_backend_pid()").await.ok()?;
    rows.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0)?.parse().ok(),
        _ => None,
    })
}

/// The number that was announced: the next to last 4 bytes of a cancel request.
async fn announced(client: &Client) -> Option<i32> {
    let (near, mut far) = tokio::io::duplex(64);
    // The answer to the question for encryption, if it is asked.
    far.write_all(b"S").await.ok()?;
    let token = client.cancel_token();
    token.cancel_query_raw(near, Unencrypted).await.ok()?;
    let mut sent = Vec::new();
    far.read_to_end(&mut sent).await.ok()?;
    let [number, _] = sent.as_chunks::<4>().0.last_chunk()?;
    Some(i32::from_be_bytes(*number))
}

/// Encryption that does nothing, for bytes that never leave this process.
struct Unencrypted;

impl TlsConnect<DuplexStream> for Unencrypted {
    type Stream = Memory;
    type Error = Infallible;
    type Future = Ready<Result<Memory, Infallible>>;

    fn connect(self, stream: DuplexStream) -> Self::Future {
        ready(Ok(Memory(stream)))
    }
}

struct Memory(DuplexStream);

impl TlsStream for Memory {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for Memory {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Memory {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().0).poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().0).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().0).poll_shutdown(context)
    }
}
