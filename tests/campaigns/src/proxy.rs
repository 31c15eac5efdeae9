//! A network connection that can be cut: a proxy that forwards TCP connections to one address.

use std::fmt;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// The direction of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the client to the server.
    ToServer,
    /// From the server to the client.
    ToClient,
}

/// How the proxy treats bytes and new connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Pass,
    /// Closes new connections at once.
    Refuse,
    /// Forwards nothing and closes nothing.
    Hold,
}

#[derive(Default)]
struct ProxyState {
    mode: Mode,
    /// Number of bytes until a connection is cut, for either direction.
    to_server: Option<usize>,
    to_client: Option<usize>,
    /// Forwards the next request and cuts the connection before the response.
    lose_response: bool,
    /// The connection whose response is lost.
    losing: Option<usize>,
    /// Both ends of every open connection.
    open: Vec<(usize, TcpStream, TcpStream)>,
    accepted: usize,
    cut: usize,
    /// Number of requests that wait for a response, counted by PostgreSQL's protocol.
    requests: usize,
}

/// Parses the messages of one PostgreSQL client from the forwarded bytes.
#[derive(Default)]
struct Messages {
    /// Type and length of the current message, as far as received.
    head: Vec<u8>,
    /// Remaining bytes of its body.
    body: usize,
    /// Whether the startup message, which has no type, is complete.
    opened: bool,
}

impl Messages {
    /// Number of requests that end in these bytes: queries, ends of extended queries, steps of a login.
    fn requests(&mut self, mut bytes: &[u8]) -> usize {
        let mut requests = 0;
        loop {
            let skipped = self.body.min(bytes.len());
            self.body -= skipped;
            bytes = &bytes[skipped..];
            let Some((first, rest)) = bytes.split_first() else {
                return requests;
            };
            bytes = rest;
            self.head.push(*first);
            let typed = usize::from(self.opened);
            if self.head.len() < typed + 4 {
                continue;
            }
            let length: [u8; 4] = self.head[typed..].try_into().expect("four bytes");
            self.body = (u32::from_be_bytes(length) as usize).saturating_sub(4);
            requests += usize::from(!self.opened || b"SQp".contains(&self.head[0]));
            self.opened = true;
            self.head.clear();
        }
    }
}

/// The proxy. It cuts all connections when it is dropped.
pub struct Proxy {
    address: SocketAddr,
    shared: Arc<(Mutex<ProxyState>, Condvar)>,
}

impl Proxy {
    /// Listens on a free port and forwards to this port of loopback.
    #[must_use]
    pub fn to(port: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("a port");
        let shared = Arc::new((Mutex::default(), Condvar::new()));
        let state = Arc::downgrade(&shared);
        // The thread ends at the first connection after the proxy was dropped.
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Some(shared) = state.upgrade() else {
                    return;
                };
                connect(client, port, &shared);
            }
        });
        Self { address, shared }
    }

    /// The port on which it listens.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.address.port()
    }

    fn state(&self) -> MutexGuard<'_, ProxyState> {
        lock(&self.shared)
    }

    /// Cuts all connections now; new ones are forwarded.
    pub fn cut(&self) {
        self.state().cut_all();
    }

    /// Cuts all connections and refuses new ones.
    pub fn refuse(&self) {
        let mut state = self.state();
        state.mode = Mode::Refuse;
        state.cut_all();
        self.shared.1.notify_all();
    }

    /// Forwards nothing any more, without closing connections.
    pub fn hold(&self) {
        self.state().mode = Mode::Hold;
    }

    /// Forwards everything again, including the bytes that were held back.
    pub fn pass(&self) {
        let mut state = self.state();
        *state = ProxyState {
            open: std::mem::take(&mut state.open),
            accepted: state.accepted,
            cut: state.cut,
            requests: state.requests,
            ..ProxyState::default()
        };
        self.shared.1.notify_all();
    }

    /// Forwards this many more bytes in this direction, over all connections, then cuts the connection that sends the
    /// next byte.
    pub fn cut_after(&self, direction: Direction, bytes: usize) {
        let mut state = self.state();
        match direction {
            Direction::ToServer => state.to_server = Some(bytes),
            Direction::ToClient => state.to_client = Some(bytes),
        }
    }

    /// Forwards the next request and cuts its connection before the response.
    pub fn lose_next_response(&self) {
        self.state().lose_response = true;
    }

    /// Number of connections that were cut so far.
    #[must_use]
    pub fn cuts(&self) -> usize {
        self.state().cut
    }

    /// Number of times a PostgreSQL client has waited for a response so far: logins, queries, and statements that were
    /// prepared.
    #[must_use]
    pub fn requests(&self) -> usize {
        self.state().requests
    }

    /// Number of connections accepted so far.
    #[must_use]
    pub fn accepted(&self) -> usize {
        self.state().accepted
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxy")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.refuse();
        // Wakes the listening thread.
        let _ = TcpStream::connect(self.address);
    }
}

impl ProxyState {
    fn cut_all(&mut self) {
        self.cut += self.open.len();
        for (_, client, server) in self.open.drain(..) {
            close(&client, &server);
        }
    }

    fn cut_one(&mut self, id: usize) {
        let Some(at) = self.open.iter().position(|(open, ..)| *open == id) else {
            return;
        };
        let (_, client, server) = self.open.swap_remove(at);
        close(&client, &server);
        self.cut += 1;
    }

    /// Number of these bytes to forward. If it is not all, the connection is to be cut after them.
    fn allowed(&mut self, direction: Direction, id: usize, bytes: usize) -> usize {
        if direction == Direction::ToServer && self.lose_response {
            self.lose_response = false;
            self.losing = Some(id);
        } else if direction == Direction::ToClient && self.losing == Some(id) {
            self.losing = None;
            return 0;
        }
        let left = match direction {
            Direction::ToServer => &mut self.to_server,
            Direction::ToClient => &mut self.to_client,
        };
        match left {
            None => bytes,
            Some(count) if *count >= bytes => {
                *count -= bytes;
                bytes
            }
            Some(count) => {
                let count = *count;
                *left = None;
                count
            }
        }
    }
}

fn lock(shared: &(Mutex<ProxyState>, Condvar)) -> MutexGuard<'_, ProxyState> {
    shared.0.lock().unwrap_or_else(PoisonError::into_inner)
}

fn close(client: &TcpStream, server: &TcpStream) {
    let _ = client.shutdown(Shutdown::Both);
    let _ = server.shutdown(Shutdown::Both);
}

fn connect(client: TcpStream, port: u16, shared: &Arc<(Mutex<ProxyState>, Condvar)>) {
    let mut state = lock(shared);
    state.accepted += 1;
    if state.mode == Mode::Refuse {
        return;
    }
    let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else {
        return;
    };
    let _ = client.set_nodelay(true);
    let _ = server.set_nodelay(true);
    let id = state.accepted;
    let handle = |stream: &TcpStream| stream.try_clone().expect("a second handle");
    for (direction, from, to) in [
        (Direction::ToServer, &client, &server),
        (Direction::ToClient, &server, &client),
    ] {
        let (from, to, shared) = (handle(from), handle(to), Arc::clone(shared));
        thread::spawn(move || {
            forward(direction, id, &from, &to, &shared);
            let _ = from.shutdown(Shutdown::Read);
            let _ = to.shutdown(Shutdown::Write);
        });
    }
    state.open.push((id, client, server));
}

fn forward(
    direction: Direction,
    id: usize,
    mut from: &TcpStream,
    mut to: &TcpStream,
    shared: &(Mutex<ProxyState>, Condvar),
) {
    let mut buffer = [0; 16 << 10];
    let mut messages = Messages::default();
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        let allowed = {
            let state = lock(shared);
            let waited = shared.1.wait_while(state, |state| state.mode == Mode::Hold);
            let mut state = waited.unwrap_or_else(PoisonError::into_inner);
            if direction == Direction::ToServer {
                state.requests += messages.requests(&buffer[..read]);
            }
            state.allowed(direction, id, read)
        };
        if to.write_all(&buffer[..allowed]).is_err() {
            break;
        }
        if allowed < read {
            lock(shared).cut_one(id);
            return;
        }
    }
    // One direction has ended; the entry is removed when the other ends, too.
    if direction == Direction::ToClient {
        lock(shared).open.retain(|(open, ..)| *open != id);
    }
}
