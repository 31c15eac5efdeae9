//! A stretch of network that can be cut: TCP connections to one address, forwarded byte by byte.

use std::fmt;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From the client to the server.
    Up,
    /// From the server to the client.
    Down,
}

/// What becomes of bytes and new connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Pass,
    /// New connections are closed at once.
    Refuse,
    /// Nothing moves, nothing is closed.
    Hold,
}

#[derive(Default)]
struct State {
    mode: Mode,
    /// The connection that carries this byte is cut before it: bytes left, for either way.
    up: Option<usize>,
    down: Option<usize>,
    /// The next bytes up go through, and what the server answers to them is lost with the connection.
    lose_answer: bool,
    /// The connection whose answer is lost.
    losing: Option<usize>,
    /// Both ends of every connection that is open.
    open: Vec<(usize, TcpStream, TcpStream)>,
    accepted: usize,
    cut: usize,
    /// Requests of clients that wait for an answer, as PostgreSQL's protocol counts them.
    requests: usize,
}

/// The messages of one client of PostgreSQL, as its bytes pass.
#[derive(Default)]
struct Messages {
    /// Type and length of the message that begins, as far as they have come.
    head: Vec<u8>,
    /// What is left of its body.
    body: usize,
    /// Whether the message without a type that opens a connection is over.
    opened: bool,
}

impl Messages {
    /// How many of these bytes end a request: a query, the end of an extended one, a step of a login.
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

/// The proxy. It cuts everything when it is dropped.
pub struct Proxy {
    address: SocketAddr,
    shared: Arc<(Mutex<State>, Condvar)>,
}

impl Proxy {
    /// Listens on a free port and forwards to this one of loopback.
    ///
    /// # Panics
    /// When no port is free.
    #[must_use]
    pub fn to(port: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("a port");
        let shared = Arc::new((Mutex::default(), Condvar::new()));
        let state = Arc::downgrade(&shared);
        // Ends with the first connection after the proxy is gone.
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

    /// Where it listens.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.address.port()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.shared)
    }

    /// Cuts all connections now; new ones are let through.
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

    /// Lets nothing through any more, and nobody is told.
    pub fn hold(&self) {
        self.state().mode = Mode::Hold;
    }

    /// Lets everything through again, also what was held.
    pub fn pass(&self) {
        let mut state = self.state();
        *state = State {
            open: std::mem::take(&mut state.open),
            accepted: state.accepted,
            cut: state.cut,
            requests: state.requests,
            ..State::default()
        };
        self.shared.1.notify_all();
    }

    /// Lets so many more bytes through this way, over all connections, then cuts the one that brings the
    /// next.
    pub fn cut_after(&self, way: Way, bytes: usize) {
        let mut state = self.state();
        match way {
            Way::Up => state.up = Some(bytes),
            Way::Down => state.down = Some(bytes),
        }
    }

    /// Lets the next request through whole and cuts its connection before the answer.
    pub fn lose_next_answer(&self) {
        self.state().lose_answer = true;
    }

    /// How many connections it cut so far.
    #[must_use]
    pub fn cuts(&self) -> usize {
        self.state().cut
    }

    /// How often a client of PostgreSQL has waited for an answer so far: logins, queries, and statements that were
    /// prepared.
    #[must_use]
    pub fn requests(&self) -> usize {
        self.state().requests
    }

    /// How many connections came so far.
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
        // Wakes the thread that listens.
        let _ = TcpStream::connect(self.address);
    }
}

impl State {
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

    /// How many of these bytes may pass. Fewer than all: the connection is to be cut behind them.
    fn allowed(&mut self, way: Way, id: usize, bytes: usize) -> usize {
        if way == Way::Up && self.lose_answer {
            self.lose_answer = false;
            self.losing = Some(id);
        } else if way == Way::Down && self.losing == Some(id) {
            self.losing = None;
            return 0;
        }
        let left = match way {
            Way::Up => &mut self.up,
            Way::Down => &mut self.down,
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

fn lock(shared: &(Mutex<State>, Condvar)) -> MutexGuard<'_, State> {
    shared.0.lock().unwrap_or_else(PoisonError::into_inner)
}

fn close(client: &TcpStream, server: &TcpStream) {
    let _ = client.shutdown(Shutdown::Both);
    let _ = server.shutdown(Shutdown::Both);
}

fn connect(client: TcpStream, port: u16, shared: &Arc<(Mutex<State>, Condvar)>) {
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
    for (way, from, to) in [(Way::Up, &client, &server), (Way::Down, &server, &client)] {
        let (from, to, shared) = (handle(from), handle(to), Arc::clone(shared));
        thread::spawn(move || {
            forward(way, id, &from, &to, &shared);
            let _ = from.shutdown(Shutdown::Read);
            let _ = to.shutdown(Shutdown::Write);
        });
    }
    state.open.push((id, client, server));
}

fn forward(
    way: Way,
    id: usize,
    mut from: &TcpStream,
    mut to: &TcpStream,
    shared: &(Mutex<State>, Condvar),
) {
    let mut buffer = [0; 16 << 10];
    let mut messages = Messages::default();
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        let allowed = {
            let state = lock(shared);
            let waited = shared.1.wait_while(state, |state| state.mode == Mode::Hold);
            let mut state = waited.unwrap_or_else(PoisonError::into_inner);
            if way == Way::Up {
                state.requests += messages.requests(&buffer[..read]);
            }
            state.allowed(way, id, read)
        };
        if to.write_all(&buffer[..allowed]).is_err() {
            break;
        }
        if allowed < read {
            lock(shared).cut_one(id);
            return;
        }
    }
    // One side has finished; the entry goes when the other does, too.
    if way == Way::Down {
        lock(shared).open.retain(|(open, ..)| *open != id);
    }
}
