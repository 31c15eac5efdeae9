//! TLS handshakes that never end, and handshakes without a pause.

use std::io;
use std::time::Duration;

use rustls::ClientConnection;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{Attack, Holder, Load};
use crate::client::server_name;

/// Number of connections that are opened again as soon as they end.
const STORM: usize = 64;

pub(super) fn all() -> Vec<Load> {
    let load = super::encrypted;
    vec![
        load("TLS: no handshake, 5,000 of 40 addresses", |attack| {
            attack.hold_tcp(5_000, 40, silent);
        }),
        load("TLS: hellos of 60 kB, 5,000 of 40 addresses", |attack| {
            attack.hold_tcp(5_000, 40, long_hello);
        }),
        load("TLS: a byte a second, 5,000 of 40 addresses", |attack| {
            attack.hold_tcp(5_000, 40, slow_hello);
        }),
        load("TLS: half a handshake, 5,000 of 40 addresses", |attack| {
            attack.hold_tcp(5_000, 40, half);
        }),
        load("TLS: handshakes without a pause, 64", storm),
    ]
}

async fn until_closed(mut stream: TcpStream) -> io::Result<()> {
    let mut buffer = [0; 4_096];
    while stream.read(&mut buffer).await? > 0 {}
    Ok(())
}

async fn silent(holder: Holder, stream: TcpStream) -> io::Result<()> {
    holder.attacker.is_in_place();
    until_closed(stream).await
}

/// Sends an incomplete `ClientHello`: it announces more bytes than it sends, in records of the usual size.
async fn long_hello(holder: Holder, mut stream: TcpStream) -> io::Result<()> {
    const ANNOUNCED: u32 = 65_000;
    const SENT: usize = 64_000;
    let mut hello = vec![1];
    hello.extend(&ANNOUNCED.to_be_bytes()[1..]);
    hello.resize(SENT, b'x');
    for part in hello.chunks(16_000) {
        let length = u16::try_from(part.len()).expect("a short record");
        stream.write_all(&[0x16, 3, 1]).await?;
        stream.write_all(&length.to_be_bytes()).await?;
        stream.write_all(part).await?;
    }
    holder.attacker.is_in_place();
    until_closed(stream).await
}

/// The `ClientHello` of a real client.
fn hello(holder: &Holder) -> Vec<u8> {
    let client = holder.dialer.tls().expect("the server speaks TLS");
    let mut client = ClientConnection::new(client, server_name()).expect("a client");
    let mut hello = Vec::new();
    client.write_tls(&mut hello).expect("room in memory");
    hello
}

async fn slow_hello(holder: Holder, mut stream: TcpStream) -> io::Result<()> {
    let hello = hello(&holder);
    holder.attacker.is_in_place();
    for byte in hello {
        stream.write_all(&[byte]).await?;
        let mut buffer = [0; 64];
        if let Ok(read) = timeout(Duration::from_secs(1), stream.read(&mut buffer)).await
            && read? == 0
        {
            return Ok(());
        }
    }
    until_closed(stream).await
}

/// The server has to sign its part of the handshake, and the client sends nothing more.
async fn half(holder: Holder, mut stream: TcpStream) -> io::Result<()> {
    stream.write_all(&hello(&holder)).await?;
    holder.attacker.is_in_place();
    until_closed(stream).await
}

fn storm(attack: &Attack) {
    attack.hold_tcp(STORM, 40, |holder, stream| async move {
        let address = holder.address;
        let mut stream = stream;
        loop {
            drop(holder.dialer.encrypt(stream).await?);
            holder.attacker.is_in_place();
            holder.attacker.counts.handshake();
            stream = holder.dialer.connect_from(address).await?;
        }
    });
}
