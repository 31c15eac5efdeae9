//! Servers in separate processes that share a database.

use std::process::Command;

use erp_core::Erp;
use erp_core::erp::Settings;
use erp_core::jiff::Timestamp;
use erp_server::store::postgres::DatabaseUrl;
use erp_server::store::{PostgresOptions, PostgresStore};
use tempfile::TempDir;

use crate::load::{Ledger, Shop};
use erp_tests::process::{self, Credentials, Server};

/// The demo company in a database, and the data folders of its servers.
#[derive(Debug)]
pub struct Demo {
    url: String,
    folder: TempDir,
    users: Vec<Credentials>,
}

impl Demo {
    /// Fills an empty database.
    #[must_use]
    pub fn new(url: &str) -> Self {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let file = folder.path().join("users.json");
        let mut demo = Self {
            url: url.to_owned(),
            folder,
            users: Vec::new(),
        };
        let mut command = demo.command("first", url, "demo");
        command
            .arg("--credentials")
            .arg(&file)
            .args(["--orders", "0"]);
        let mut server = Server::spawn(command).ready();
        server.terminate();
        assert!(server.wait().success(), "{}", server.stderr());
        demo.users = process::credentials(&file);
        demo
    }

    /// A command that serves the database at this address, with a data folder of this name.
    #[must_use]
    pub fn command(&self, name: &str, url: &str, verb: &str) -> Command {
        self.command_at(0, name, url, verb)
    }

    fn command_at(&self, port: u16, name: &str, url: &str, verb: &str) -> Command {
        let data = self.folder.path().join(name);
        let mut command = process::command([verb, "--rate-limits", "false"]);
        command.args(["--listen", &format!("127.0.0.1:{port}")]);
        command
            .args(["--event-private-targets", "true", "--data"])
            .arg(data);
        command.env("ERP_DATABASE", url);
        command
    }

    /// Starts a server with a data folder of this name.
    #[must_use]
    pub fn serve(&self, name: &str) -> Server {
        self.serve_over(&self.url, name)
    }

    /// The same with another connection string of the same database.
    #[must_use]
    pub fn serve_over(&self, url: &str, name: &str) -> Server {
        Server::spawn(self.command(name, url, "serve")).ready()
    }

    /// Starts a server at a fixed port, so that a restart keeps it. Before it stops it serves for another second.
    #[must_use]
    pub fn serve_at(&self, port: u16, name: &str) -> Server {
        let mut command = self.command_at(port, name, &self.url, "serve");
        command.args(["--shutdown-delay-seconds", "1"]);
        Server::spawn(command).ready()
    }

    /// The log of the server with a data folder of this name.
    #[must_use]
    pub fn log(&self, name: &str) -> String {
        let folder = self.folder.path().join(name).join("log");
        let files = std::fs::read_dir(folder).expect("a folder of the log");
        let texts = files.map(|file| {
            let file = file.expect("a readable folder").path();
            std::fs::read_to_string(file).expect("a log in UTF-8")
        });
        texts.collect()
    }

    /// The users.
    #[must_use]
    pub fn users(&self) -> &[Credentials] {
        &self.users
    }

    /// Logs in as an admin, who sees every article.
    pub async fn admin(&self, server: &Server) -> Shop {
        let user = self.users.iter().find(|user| user.role == "admin");
        Shop::log_in(&server.base_url(), user.expect("an admin")).await
    }
}

/// The content of a database that no one writes to, after a check of its records.
pub async fn ledger(url: &str) -> Ledger {
    let url: DatabaseUrl = url.parse().expect("a connection string");
    let store = PostgresStore::open(&PostgresOptions::new(url)).expect("the database responds");
    let erp = Erp::new(store.clone(), Settings::default());
    let audit = erp
        .upkeep(Timestamp::now())
        .check()
        .await
        .expect("the database responds");
    assert_eq!(audit.findings, [], "the records do not fit together");
    let ledger = Ledger::of(store.clone()).await;
    store.close();
    ledger
}
