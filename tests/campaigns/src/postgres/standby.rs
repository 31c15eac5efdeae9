//! A standby: a second cluster that receives every commit of the first one before it is acknowledged.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use super::{ADMIN, Cluster, ROLE, run};
use erp_tests::wait::PATIENCE;

/// The name of the standby at its primary.
const NAME: &str = "standby";

impl Cluster {
    /// Copies this cluster and starts streaming replication to the copy. From then on every commit waits until it is on
    /// the disks of both.
    #[must_use]
    pub fn standby(&self) -> Self {
        let standby = Self::new(self.programs.clone(), self.passwords.clone());
        let mut copy = self.programs.command("pg_basebackup");
        copy.args([
            "--wal-method=stream",
            "--checkpoint=fast",
            "--no-sync",
            "--create-slot",
        ]);
        copy.args(["--slot", NAME, "-D"]).arg(standby.data());
        self.reach(&mut copy, "");
        let _ = run(&mut copy).success();
        let (port, password) = (self.port, &self.passwords.admin);
        standby.configure(&format!(
            "port = {}\nprimary_slot_name = '{NAME}'\nprimary_conninfo = 'host=127.0.0.1 port={port} \
             user={ADMIN} password={password} application_name={NAME}'\n",
            standby.port
        ));
        let signal = standby.data().join("standby.signal");
        fs::write(&signal, "").expect("a file in our folder");
        standby.programs.hand_over(&signal);
        standby.restart();
        self.psql(&format!(
            "ALTER SYSTEM SET synchronous_standby_names = '{NAME}'"
        ));
        self.psql("SELECT pg_reload_conf()");
        self.wait_for("SELECT sync_state FROM pg_stat_replication", "sync");
        standby
    }

    /// Promotes a standby and waits until it accepts writes.
    pub fn promote(&self) {
        assert_eq!(
            self.psql("SELECT pg_promote(true, 60)"),
            "t",
            "{}",
            self.log()
        );
        self.wait_for("SELECT pg_is_in_recovery()", "f");
    }

    /// A connection string with both hosts, which selects the one that accepts writes.
    #[must_use]
    pub fn url_with(&self, other: &Self, database: &str) -> String {
        let (password, one, two) = (&self.passwords.role, self.port, other.port);
        format!(
            "postgres://{ROLE}:{password}@127.0.0.1:{one},127.0.0.1:{two}/{database}?target_session_attrs=read-write"
        )
    }

    /// Waits until no other client runs a statement or has an open transaction.
    pub fn wait_until_quiet(&self) {
        let busy = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' \
                    AND state <> 'idle' AND pid <> pg_backend_pid()";
        self.wait_for(busy, "0");
    }

    /// Waits until a statement returns this.
    pub fn wait_for(&self, sql: &str, wanted: &str) {
        let started = Instant::now();
        loop {
            let found = self.psql(sql);
            if found == wanted {
                return;
            }
            assert!(started.elapsed() < PATIENCE, "{sql}: {found}, not {wanted}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}
