//! A primary that fails, with a standby that takes over.

use std::thread;
use std::time::Duration;

use crate::postgres::{Bouncer, Cluster, ClusterOptions, Patroni};

/// A primary and its synchronous standby: two databases and our own script, or two nodes under Patroni with
/// `ERP_TEST_CLUSTER=patroni`.
#[derive(Debug)]
pub enum Pair {
    /// The test promotes the standby, and points PgBouncer to it if there is one.
    Ours {
        /// The database that fails.
        primary: Cluster,
        /// The database that takes over.
        standby: Cluster,
        /// With `ERP_TEST_CLUSTER=pgbouncer`.
        bouncer: Option<Bouncer>,
    },
    /// Patroni promotes, and HAProxy follows.
    Patroni(Patroni),
}

impl Pair {
    /// Starts a new pair; `None` if the programs are missing and the caller is skipped.
    #[must_use]
    pub fn start() -> Option<Self> {
        if let Some(patroni) = Patroni::if_configured(&ClusterOptions::durable()) {
            return Some(Self::Patroni(patroni));
        }
        let primary = Cluster::start(&ClusterOptions::durable())?;
        let standby = primary.standby();
        let bouncer = Bouncer::if_configured(&primary);
        Some(Self::Ours {
            primary,
            standby,
            bouncer,
        })
    }

    /// Creates an empty database and returns a connection string that stays valid after a failover.
    #[must_use]
    pub fn create_database(&self, name: &str) -> String {
        match self {
            Self::Ours {
                primary,
                standby,
                bouncer,
            } => {
                primary.create_database(name);
                match bouncer {
                    Some(bouncer) => bouncer.url(name),
                    None => primary.url_with(standby, name),
                }
            }
            Self::Patroni(patroni) => patroni.front().create_database(name),
        }
    }

    /// The primary fails, and its standby takes over. Returns the database that now has the records.
    pub fn fail_over(&mut self) -> &Cluster {
        match self {
            Self::Ours {
                primary,
                standby,
                bouncer,
            } => {
                primary.kill_all();
                // A failure is not noticed immediately.
                thread::sleep(Duration::from_millis(500));
                standby.promote();
                if let Some(bouncer) = bouncer {
                    bouncer.point_to(standby);
                }
                standby
            }
            Self::Patroni(patroni) => {
                patroni.lose_primary();
                patroni.wait_for_takeover();
                patroni.front()
            }
        }
    }

    /// Patroni makes the lost primary the new standby. Returns false if there is no Patroni.
    #[must_use]
    pub fn bring_back(&self) -> bool {
        match self {
            Self::Ours { .. } => false,
            Self::Patroni(patroni) => {
                patroni.bring_back();
                true
            }
        }
    }
}
