//! Password hashes: Argon2id with the parameters OWASP recommends, away from the async threads.

use std::sync::Arc;

use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher as _, PasswordVerifier as _, Version};
use secrecy::{ExposeSecret as _, SecretString};
use thiserror::Error;
use tokio::sync::Semaphore;

/// 19 MiB, 2 passes, 1 lane: OWASP's first choice for Argon2id, some 20 ms of one core.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// Hashes computed at once. Each takes 19 MiB and a core, so more would only slow all of them.
const AT_ONCE: usize = 2;

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
#[error("the password could not be hashed: {0}")]
pub struct PasswordError(String);

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

/// Computes and checks password hashes, a few at a time. Clones share that limit.
#[derive(Clone, Debug)]
pub struct Passwords {
    slots: Arc<Semaphore>,
}

impl Default for Passwords {
    fn default() -> Self {
        Self {
            slots: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }
}

impl Passwords {
    /// The hash of a new password, as a PHC string for the store.
    ///
    /// # Errors
    /// When the system gives no random salt.
    pub async fn hash(&self, password: SecretString) -> Result<String, PasswordError> {
        self.run(move || hash(&password)).await?
    }

    /// Whether the password is the one with this hash; `None` for a user that does not exist, which
    /// takes as long and is never right.
    ///
    /// # Errors
    /// When the check could not be run.
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
        let slots = Arc::clone(&self.slots);
        let slot = slots.acquire_owned().await;
        let slot = slot.map_err(|error| PasswordError(error.to_string()))?;
        let work = tokio::task::spawn_blocking(move || {
            // The slot is held until the work ends, even when nobody waits for it any more.
            let _slot = slot;
            work()
        });
        work.await.map_err(|error| PasswordError(error.to_string()))
    }
}

fn argon2id() -> Result<Argon2<'static>, PasswordError> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None);
    let params = params.map_err(|error| PasswordError(error.to_string()))?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

/// The hash of a new password, on the calling thread: for the command line.
///
/// # Errors
/// When the system gives no random salt.
pub fn hash(password: &SecretString) -> Result<String, PasswordError> {
    let hash = argon2id()?.hash_password(password.expose_secret().as_bytes());
    let hash = hash.map_err(|error| PasswordError(error.to_string()))?;
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
        let passwords = Passwords::default();
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
