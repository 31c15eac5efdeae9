//! Password hashes: Argon2id with the parameters OWASP recommends, on threads of their own.

use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};

use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher as _, PasswordVerifier as _, Version};
use secrecy::{ExposeSecret as _, SecretString};
use thiserror::Error;
use tokio::sync::{Semaphore, oneshot};

use crate::http::ApiError;

/// 19 MiB, 2 passes, 1 lane: OWASP's first choice for Argon2id, some 20 ms of one core.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// Shorter passwords can be guessed.
pub const SHORTEST_PASSWORD: usize = 10;

/// Longer passwords cannot be sent: Basic credentials with them are refused.
pub const LONGEST_PASSWORD: usize = 255;

/// A hash of a password nobody knows, in the form and with the cost of every other. It is checked
/// when there is no such user, so that the answer takes the same time.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$\
                      Pn0zdTYJpo3CQ0ahEfHbCsuL6EPbUBgrGBNVxpODc6M";

/// A hash that could not be computed. No message of it says anything about the password.
#[derive(Debug, Error)]
pub enum PasswordError {
    /// The system or the task failed.
    #[error("the password could not be hashed: {0}")]
    Failed(String),
    /// So many wait already that this one would have to wait too long.
    #[error("too many passwords wait to be checked")]
    Busy,
}

impl From<PasswordError> for ApiError {
    fn from(error: PasswordError) -> Self {
        match error {
            PasswordError::Busy => Self::unavailable(error.to_string()),
            PasswordError::Failed(_) => Self::internal(error.to_string()),
        }
    }
}

/// Why a text cannot become a password. No message says anything about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PasswordRule {
    /// It can be guessed.
    #[error("a password has at least {SHORTEST_PASSWORD} characters")]
    Short,
    /// It cannot be sent.
    #[error("a password has at most {LONGEST_PASSWORD} characters")]
    Long,
    /// It cannot be sent.
    #[error("a password has no control characters")]
    Control,
}

/// Checks a new password.
///
/// # Errors
/// When it could be guessed, or nobody could log in with it (RFC 7617).
pub fn check(password: &str) -> Result<SecretString, PasswordRule> {
    let length = password.chars().count();
    if length < SHORTEST_PASSWORD {
        return Err(PasswordRule::Short);
    }
    if length > LONGEST_PASSWORD {
        return Err(PasswordRule::Long);
    }
    if password.chars().any(char::is_control) {
        return Err(PasswordRule::Control);
    }
    Ok(SecretString::from(password))
}

/// Hashes computed at once at most, whatever the machine has: 76 MiB.
const MOST_AT_ONCE: usize = 4;

/// Computes and checks password hashes, a few at a time. Clones share that limit.
///
/// A hash takes 19 MiB and some 20 ms of a core, and anybody may ask for one by trying to log in. So half of
/// the cores at most do that work, and a bounded number of requests waits for it. It is done on threads of
/// its own: on those of the runtime's pool the allocator would keep the memory of every thread that has ever
/// computed a hash.
#[derive(Clone, Debug)]
pub struct Passwords {
    jobs: Sender<Job>,
    /// Permits of hashes that are computed or wait.
    queue: Arc<Semaphore>,
}

type Job = Box<dyn FnOnce() + Send>;

impl Passwords {
    /// At most `waiting` wait while others are worked on.
    #[must_use]
    pub fn new(waiting: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let at_once = (cores / 2).clamp(1, MOST_AT_ONCE);
        let (jobs, received) = mpsc::channel();
        let received = Arc::new(Mutex::new(received));
        for _ in 0..at_once {
            let received = Arc::clone(&received);
            let started = std::thread::Builder::new()
                .name("passwords".to_owned())
                .spawn(move || work(&received));
            if let Err(error) = started {
                tracing::error!(%error, "a thread for password hashes could not be started");
            }
        }
        Self {
            jobs,
            queue: Arc::new(Semaphore::new(at_once.saturating_add(waiting))),
        }
    }

    /// The hash of a new password, as a PHC string for the store.
    ///
    /// # Errors
    /// When the system gives no random salt, or too many wait.
    pub async fn hash(&self, password: SecretString) -> Result<String, PasswordError> {
        self.run(move || hash(&password)).await?
    }

    /// Whether the password is the one with this hash; `None` for a user that does not exist, which
    /// takes as long and is never right.
    ///
    /// # Errors
    /// When the check could not be run, or too many wait.
    pub async fn verify(
        &self,
        password: SecretString,
        stored: Option<String>,
    ) -> Result<bool, PasswordError> {
        self.run(move || {
            let right = verify(&password, stored.as_deref().unwrap_or(NOBODY));
            right && stored.is_some()
        })
        .await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, PasswordError> {
        let queued = Arc::clone(&self.queue).try_acquire_owned();
        let queued = queued.map_err(|_| PasswordError::Busy)?;
        let (done, result) = oneshot::channel();
        let job = move || {
            // A request that has ended meanwhile costs nothing.
            if !done.is_closed() {
                let _ = done.send(work());
            }
            drop(queued);
        };
        let failed = |error: String| PasswordError::Failed(error);
        let sent = self.jobs.send(Box::new(job));
        sent.map_err(|error| failed(error.to_string()))?;
        result.await.map_err(|error| failed(error.to_string()))
    }
}

/// Does jobs until nobody can send one any more.
fn work(jobs: &Mutex<Receiver<Job>>) {
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else {
            return;
        };
        // A panic ends its job, whose request notices, and not the thread.
        let _ = catch_unwind(AssertUnwindSafe(job));
    }
}

fn argon2id() -> Result<Argon2<'static>, PasswordError> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None);
    let params = params.map_err(|error| PasswordError::Failed(error.to_string()))?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

/// The hash of a new password, on the calling thread: for the command line.
///
/// # Errors
/// When the system gives no random salt.
pub fn hash(password: &SecretString) -> Result<String, PasswordError> {
    let hash = argon2id()?.hash_password(password.expose_secret().as_bytes());
    let hash = hash.map_err(|error| PasswordError::Failed(error.to_string()))?;
    Ok(hash.to_string())
}

fn verify(password: &SecretString, stored: &str) -> bool {
    let Ok(hash) = PasswordHash::new(stored) else {
        return false;
    };
    // The parameters are those of the stored hash, so that older hashes stay valid.
    let checked = Argon2::default().verify_password(password.expose_secret().as_bytes(), &hash);
    checked.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_right_password_and_no_other() {
        let passwords = Passwords::new(8);
        let hash = passwords.hash("schlüssel".into()).await.unwrap();
        assert!(
            hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{hash}"
        );
        let verify = |password: &str, stored: Option<&str>| {
            passwords.verify(password.into(), stored.map(str::to_owned))
        };
        assert!(verify("schlüssel", Some(&hash)).await.unwrap());
        assert!(!verify("Schlüssel", Some(&hash)).await.unwrap());
        assert!(!verify("schlüssel", None).await.unwrap());
        assert!(!verify("schlüssel", Some("no hash")).await.unwrap());
        assert!(!hash.contains("schl"));
    }

    #[tokio::test]
    async fn more_than_may_wait_are_refused_at_once() {
        let passwords = Passwords::new(2);
        let places = passwords.queue.available_permits();
        // The threads wait in their first jobs until the sender is dropped.
        let (closed, gate) = mpsc::channel::<()>();
        let gate = Arc::new(Mutex::new(gate));
        let waiting: Vec<_> = (0..places)
            .map(|_| {
                let (passwords, gate) = (passwords.clone(), Arc::clone(&gate));
                let wait = move || gate.lock().unwrap().recv().is_err();
                tokio::spawn(async move { passwords.run(wait).await })
            })
            .collect();
        while passwords.queue.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        let refused = passwords.verify("wrong".into(), None).await.unwrap_err();
        let error = ApiError::from(refused);
        assert_eq!(error.status().as_u16(), 503);
        drop(closed);
        for one in waiting {
            assert!(one.await.unwrap().unwrap());
        }
        let panicked = passwords.run(|| panic!("seen in the test output")).await;
        assert!(matches!(panicked, Err(PasswordError::Failed(_))));
        assert!(!passwords.verify("wrong".into(), None).await.unwrap());
    }

    #[test]
    fn a_password_can_be_sent_and_is_not_short() {
        for (text, rule) in [
            ("kurz", Some(PasswordRule::Short)),
            ("äöüäöüäöü", Some(PasswordRule::Short)),
            ("äöüäöüäöüä", None),
            (&"x".repeat(255), None),
            (&"x".repeat(256), Some(PasswordRule::Long)),
            ("lang genug\t", Some(PasswordRule::Control)),
        ] {
            assert_eq!(check(text).err(), rule, "{text}");
        }
        assert!(!PasswordRule::Short.to_string().contains("kurz"));
    }

    #[test]
    fn an_unknown_user_costs_as_much_as_a_known_one() {
        let nobody = PasswordHash::new(NOBODY).unwrap();
        let known = hash(&"x".into()).unwrap();
        let known = PasswordHash::new(&known).unwrap();
        assert_eq!(nobody.algorithm, known.algorithm);
        assert_eq!(nobody.version, known.version);
        assert_eq!(nobody.params, known.params);
        assert_eq!(nobody.salt.map(|s| s.len()), known.salt.map(|s| s.len()));
        assert_eq!(nobody.hash.map(|h| h.len()), known.hash.map(|h| h.len()));
    }
}
