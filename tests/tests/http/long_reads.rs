//! A search that holds its thread stops no other request.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use erp_core::Erp;
use erp_core::master::{Role, User};
use erp_core::storage::{
    ChangeSet, CommitError, Entry, Key, MemoryStore, Page, Revision, Scan, Space, Storage,
    StorageError,
};
use erp_core::text::Text;
use erp_server::backup::Backups;
use erp_server::config::{Settings, core_settings};
use erp_server::web::{Application as _, Handle, Listener};
use erp_server::{serve, tokens, web};
use erp_tests::forward_storage;
use erp_tests::wait::PATIENCE;
use jiff::{SignedDuration, Timestamp};
use reqwest::{Client, StatusCode};
use secrecy::ExposeSecret as _;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// Where a read of customers stands still once: it says that it is there, and goes on when it is told.
type Gate = (Sender<()>, Receiver<()>);

/// A store whose reads of customers and their lists can be held. They hold their thread, as reads of an embedded
/// store do that never wait.
#[derive(Debug, Default)]
struct Held {
    store: MemoryStore,
    gate: Mutex<Option<Gate>>,
}

impl Held {
    fn hold(&self, space: u8) {
        if ![Space::Customer as u8, Space::AddressTerm as u8].contains(&space) {
            return;
        }
        let gate = self.gate.lock().unwrap().take();
        if let Some((there, go_on)) = gate {
            there.send(()).unwrap();
            go_on.recv_timeout(PATIENCE).unwrap();
        }
    }
}

impl Storage for Held {
    forward_storage!(store: next_numbers);

    async fn get(&self, keys: &[Key]) -> Result<Vec<Option<Entry>>, StorageError> {
        keys.iter().for_each(|key| self.hold(key.space()));
        self.store.get(keys).await
    }

    async fn scan(&self, scan: Scan) -> Result<Page, StorageError> {
        self.hold(scan.from.space());
        self.store.scan(scan).await
    }

    async fn commit(&self, changes: ChangeSet) -> Result<Revision, CommitError> {
        self.store.commit(changes).await
    }
}

/// A server whose runtime has one thread.
struct Narrow {
    erp: Arc<Erp<Held>>,
    base: String,
    token: String,
    handle: Handle,
    runtime: Option<Runtime>,
    _folder: TempDir,
}

impl Narrow {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = Settings::defaults().unwrap();
        for (name, value) in [
            ("listen", "127.0.0.1:0"),
            ("data_dir", folder.path().to_str().unwrap()),
        ] {
            settings.set(name, value, "the test").unwrap();
        }
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let erp = Erp::new(Held::default(), core_settings(&settings));
        let app = serve::app(erp, &settings, None, Backups::default());
        let erp = Arc::clone(app.erp());
        let (base, token, handle) = runtime.block_on(async {
            let token = token(&erp).await;
            let listener = Listener::bind(app.http_state()).await.unwrap();
            let base = listener.address().to_owned();
            let server = web::Server::new(listener, web::service(&app, serve::routes(None, false)));
            let handle = server.handle();
            tokio::spawn(server.serve());
            (base, token, handle)
        });
        Self {
            erp,
            base,
            token,
            handle,
            runtime: Some(runtime),
            _folder: folder,
        }
    }

    /// The status of a request.
    async fn ask(&self, path: &str) -> StatusCode {
        let client = Client::builder().no_proxy().timeout(PATIENCE / 2).build();
        let request = client.unwrap().get(format!("{}{path}", self.base));
        request
            .bearer_auth(&self.token)
            .send()
            .await
            .unwrap()
            .status()
    }

    /// The next read of a customer waits until the returned sender says so.
    fn close_gate(&self) -> (Receiver<()>, Sender<()>) {
        let (there, is_there) = channel();
        let (open, go_on) = channel();
        *self.erp.store().gate.lock().unwrap() = Some((there, go_on));
        (is_there, open)
    }
}

impl Drop for Narrow {
    fn drop(&mut self) {
        self.handle.stop_now();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn token(erp: &Erp<Held>) -> String {
    let user = User::new(
        Text::new("admin").unwrap(),
        String::new(),
        Role::Admin,
        None,
    );
    erp.users().add(&user, None).await.unwrap();
    let (token, hash) = tokens::create().unwrap();
    let now = Timestamp::now();
    let until = now + SignedDuration::from_hours(1);
    let issued = erp.users().issue_token(&hash, &user, now, until, None);
    issued.await.unwrap();
    token.expose_secret().to_owned()
}

#[test]
fn a_search_that_holds_its_thread_stops_no_other_request() {
    let server = Arc::new(Narrow::start());
    let clients = Runtime::new().unwrap();
    for (path, status) in [
        ("/www/adressensuche?OrtLand=CH", StatusCode::OK),
        ("/www/kunden/10001?order=1&status=A", StatusCode::NOT_FOUND),
    ] {
        let (is_there, open) = server.close_gate();
        let asked = clients.spawn({
            let server = Arc::clone(&server);
            async move { server.ask(path).await }
        });
        is_there.recv_timeout(PATIENCE).unwrap();
        let other = clients.block_on(server.ask("/www/artikel"));
        assert_eq!(other, StatusCode::OK, "{path}");
        open.send(()).unwrap();
        assert_eq!(clients.block_on(asked).unwrap(), status, "{path}");
    }
}
