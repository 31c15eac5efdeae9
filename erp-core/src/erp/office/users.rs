//! Users and their tokens, as the back office maintains them.

use jiff::Timestamp;
use serde::Serialize;

use crate::domain::master::{Caller, CustomerNumber, Role, Token, User};
use crate::erp::catalogue::slices::{ENTRIES_PER_READ, yield_now};
use crate::erp::engine::work::Work;
use crate::erp::engine::{Conflict, Error, Users, keys, retry_on_conflict};
use crate::erp::keys::TokenHash;
use crate::storage::record::{Versioned, decode, encode, mark};
use crate::storage::{ChangeSet, Entry, Key, Scan, Space, Storage};
use crate::values::text::Text;

/// Tokens that one commit revokes together with a change of their user: about 300 bytes each.
const TOKENS_AT_ONCE: usize = 10_000;

/// Changes to a user; `None` leaves a value unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserChange {
    /// The new role.
    pub role: Option<Role>,
    /// The new value that selects articles (`RESTWEBSHOP`); `Some(None)` removes it.
    pub shop: Option<Option<Text<200>>>,
}

/// A token, without anything usable for authentication.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "UserToken"))]
pub struct IssuedToken {
    /// The beginning of the token's hash.
    pub id: String,
    /// The one customer that it is for.
    #[serde(rename = "debinr", skip_serializing_if = "Option::is_none")]
    pub customer: Option<CustomerNumber>,
    /// When it was issued.
    pub issued_at: Timestamp,
    /// When it ends.
    pub expires_at: Timestamp,
}

impl<S: Storage> Users<'_, S> {
    /// All users, sorted by name.
    pub async fn list(self) -> Result<Vec<User>, Error> {
        let users = self.erp.records(Scan::of(Space::User)).await?.into_iter();
        Ok(users.map(|found| found.value).collect())
    }

    /// Adds a user.
    ///
    /// # Errors
    /// [`Error::Conflict`] when the name is taken.
    pub async fn add(self, user: &User) -> Result<(), Error> {
        let keys = [keys::user(&user.name), keys::removed_users(&user.name)];
        retry_on_conflict!(self.erp, self.actor, {
            let mut entries = self.erp.store.get(&keys).await?.into_iter();
            if entries.next().flatten().is_some() {
                return Err(Conflict::UserExists(user.name.clone()).into());
            }
            let removed = entries.next().flatten();
            let count = removed.as_ref().and_then(Entry::counter);
            let generation = count.map_or(0, i64::cast_unsigned);
            let user = User {
                generation,
                ..user.clone()
            };
            let [key, counter] = keys.clone();
            let mut changes = ChangeSet::new();
            changes.insert(key, encode(&user)?);
            // Another user of this name may be added and removed meanwhile.
            changes.guard(counter, removed.map(|removed| removed.revision));
            (changes, ())
        });
        Ok(())
    }

    /// Replaces a user's password hash and revokes all of the user's tokens.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such user.
    pub async fn set_password(self, name: &str, password_hash: &str) -> Result<(), Error> {
        self.put_password(name, None, password_hash).await
    }

    /// The same for a user whose password was verified against `user.password_hash`.
    ///
    /// # Errors
    /// [`Error::NotFound`] when the user was removed or the password changed in the meantime.
    pub async fn change_password(self, user: &User, password_hash: &str) -> Result<(), Error> {
        let before = Some(user.password_hash.as_str());
        self.put_password(&user.name, before, password_hash).await
    }

    async fn put_password(
        self,
        name: &str,
        before: Option<&str>,
        password_hash: &str,
    ) -> Result<(), Error> {
        retry_on_conflict!(self.erp, self.actor, {
            let found = self.stored(name).await?;
            if before.is_some_and(|before| before != found.value.password_hash) {
                return Err(Error::not_found("user", name));
            }
            let mut changes = self.without_tokens(name).await?;
            changes.guard(keys::user(name), Some(found.revision));
            let user = User {
                password_hash: password_hash.to_owned(),
                ..found.value
            };
            changes.put(keys::user(name), encode(&user)?);
            (changes, ())
        });
        Ok(())
    }

    /// Removes a user and all of the user's tokens.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such user, [`Error::Conflict`] for the last admin.
    pub async fn remove(self, name: &str) -> Result<(), Error> {
        retry_on_conflict!(self.erp, self.actor, {
            let found = self.stored(name).await?;
            let mut changes = self.without_tokens(name).await?;
            changes.guard(keys::user(name), Some(found.revision));
            self.keep_an_admin(&mut changes, &found.value).await?;
            changes.delete(keys::user(name));
            changes.delete(keys::last_token_of_user(name));
            changes.add(keys::removed_users(name), 1);
            (changes, ())
        });
        Ok(())
    }

    // rule: D-AUT-03
    /// A change set that revokes every token of a user, and fails if another one is issued meanwhile. Tokens that do not
    /// fit in it are revoked before.
    async fn without_tokens(self, user: &str) -> Result<ChangeSet, Error> {
        let last = keys::last_token_of_user(user);
        loop {
            let issued = self.erp.entry(&last).await?;
            let tokens = keys::tokens_of_user(user).limit(TOKENS_AT_ONCE);
            let page = self.erp.store.scan(tokens).await?;
            let mut changes = self.ending_tokens(page.entries).await?;
            if page.next.is_none() {
                changes.guard(last, issued.map(|entry| entry.revision));
                return Ok(changes);
            }
            let revoking = (changes, ());
            self.erp.settle(self.actor, revoking).await?;
        }
    }

    // rule: D-AUT-15
    /// A change set that fails if the user of this token gets another one meanwhile; what was made with it is revoked
    /// before.
    pub(crate) async fn without_made_with(self, hash: &TokenHash) -> Result<ChangeSet, Error> {
        let mut changes = ChangeSet::new();
        let token = self.erp.load::<Token>(&keys::token(hash)).await?;
        let Some(token) = token.filter(|token| token.value.customer.is_none()) else {
            return Ok(changes);
        };
        let last = keys::last_token_of_user(&token.value.user);
        let issued = self.erp.entry(&last).await?;
        changes.guard(last, issued.map(|entry| entry.revision));
        let listed = keys::tokens_of_user(&token.value.user);
        let mut made = self.erp.scan_all(listed).await?;
        made.retain(|(_, entry)| entry.value.ends_with(hash.as_bytes()));
        for some in made.chunks(TOKENS_AT_ONCE) {
            let revoking = (self.ending_tokens(some.to_vec()).await?, ());
            self.erp.settle(self.actor, revoking).await?;
        }
        Ok(changes)
    }

    /// A change set that revokes the tokens of these entries of token lists.
    pub(super) async fn ending_tokens(self, listed: Vec<(Key, Entry)>) -> Result<ChangeSet, Error> {
        let mut changes = ChangeSet::new();
        let mut work = Work::new(usize::MAX);
        for (key, _) in listed {
            if let Some(hash) = TokenHash::of_user_key(&key) {
                self.end_token(&mut changes, &hash).await?;
                work.pause(1).await;
            }
            changes.delete(key);
        }
        Ok(changes)
    }

    /// Changes the role or shop of a user, effective from the user's next request. Another role ends all tokens.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such user, [`Error::Conflict`] when no admin would be left.
    pub async fn change(self, name: &str, change: &UserChange) -> Result<User, Error> {
        let (user, _) = retry_on_conflict!(self.erp, self.actor, {
            let found = self.stored(name).await?;
            let user = User {
                role: change.role.unwrap_or(found.value.role),
                shop: change.shop.clone().unwrap_or(found.value.shop.clone()),
                ..found.value.clone()
            };
            let mut changes = ChangeSet::new();
            if user != found.value {
                if user.role != found.value.role {
                    changes = self.without_tokens(name).await?;
                }
                changes.guard(keys::user(name), Some(found.revision));
                if user.role != Role::Admin {
                    self.keep_an_admin(&mut changes, &found.value).await?;
                }
                changes.put(keys::user(name), encode(&user)?);
            }
            (changes, user)
        });
        Ok(user)
    }

    /// Makes a change that takes away this user's admin role depend on another admin who keeps the role.
    pub(super) async fn keep_an_admin(
        self,
        changes: &mut ChangeSet,
        leaving: &User,
    ) -> Result<(), Error> {
        if leaving.role != Role::Admin {
            return Ok(());
        }
        let users = Scan::of(Space::User);
        for (key, entry) in self.erp.scan_all(users).await? {
            let other: User = decode(&key, &entry)?;
            if other.role == Role::Admin && other.name != leaving.name {
                // If two admins remove each other at the same moment, this guard fails for one of them.
                changes.guard(key, Some(entry.revision));
                return Ok(());
            }
        }
        Err(Conflict::LastAdmin(leaving.name.clone()).into())
    }

    /// Stores a token that is valid from now on, for a user whose password was verified against `password_hash`.
    ///
    /// # Errors
    /// [`Error::NotFound`] when the user was removed or the password changed in the meantime.
    pub async fn issue_token(
        self,
        hash: &TokenHash,
        user: &User,
        expires_at: Timestamp,
    ) -> Result<(), Error> {
        self.store_token(hash, user, (None, None), expires_at).await
    }

    /// Like [`Users::issue_token`], of a token that reads and orders for one customer alone. It may have been asked for
    /// with a token of the user, and is revoked with it.
    ///
    /// # Errors
    /// As [`Users::issue_token`], when there is no such customer or the user may not see it, and when the user's token was
    /// revoked in the meantime.
    pub async fn issue_customer_token(
        self,
        hash: &TokenHash,
        user: &User,
        (customer, made_with): (&str, Option<&TokenHash>),
        expires_at: Timestamp,
    ) -> Result<(), Error> {
        let unknown = || Error::not_found("customer", customer);
        let customer = CustomerNumber::new(customer).map_err(|_| unknown())?;
        let caller = Caller::of_customer(user.clone(), customer.clone());
        let caller = self.with_customer(caller).await?;
        caller.ok_or_else(unknown)?;
        self.store_token(hash, user, (Some(customer), made_with), expires_at)
            .await
    }

    async fn store_token(
        self,
        hash: &TokenHash,
        user: &User,
        (customer, made_with): (Option<CustomerNumber>, Option<&TokenHash>),
        expires_at: Timestamp,
    ) -> Result<(), Error> {
        retry_on_conflict!(self.erp, self.actor, {
            let unknown = || Error::not_found("user", user.name.as_str());
            let found = self.stored(&user.name).await?;
            if found.value.password_hash != user.password_hash {
                return Err(unknown());
            }
            let token = Token {
                user: user.name.clone(),
                customer: customer.clone(),
                issued_at: self.now,
                expires_at,
            };
            let mut changes = ChangeSet::new();
            let mut listed = mark(Space::TokenOfUser as u8);
            if let Some(made_with) = made_with {
                let key = keys::token(made_with);
                let found = self.erp.load::<Token>(&key).await?;
                let found = found.ok_or_else(unknown)?;
                changes.guard(key, Some(found.revision));
                listed.extend(made_with.as_bytes());
            }
            if let Some(customer) = &customer {
                changes.guard(keys::forgotten_customer(customer), None);
            }
            // If the user is removed, or its password changed, at the same moment, whichever commits second fails:
            // this one at its guard, the other one at the key that is written here.
            changes.guard(keys::user(&user.name), Some(found.revision));
            changes.mark(keys::last_token_of_user(&user.name));
            changes.put(keys::token(hash), encode(&token)?);
            changes.mark(keys::token_expiry(expires_at, hash));
            changes.put(keys::token_of_user(&user.name, hash), listed);
            (changes, ())
        });
        self.erp.note_owner(&keys::token(hash), &user.name);
        Ok(())
    }

    /// The tokens of a user that have not expired, latest expiry first. A token with an issue time in the
    /// future (its issuer's clock was ahead) is listed although it is not valid yet.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such user.
    pub async fn tokens_of(self, name: &str) -> Result<Vec<IssuedToken>, Error> {
        self.stored(name).await?;
        let listed = self.erp.scan_all(keys::tokens_of_user(name)).await?;
        let hashes = listed.iter().map(|(key, _)| TokenHash::of_user_key(key));
        let hashes: Vec<TokenHash> = hashes.flatten().collect();
        let mut tokens = Vec::new();
        for some in hashes.chunks(ENTRIES_PER_READ) {
            let found = some.iter().map(keys::token).collect();
            let found = self.erp.load_each::<Token>(found).await?;
            for (hash, token) in some.iter().zip(found) {
                let Some(token) = token.map(|found| found.value) else {
                    continue;
                };
                tokens.push(IssuedToken {
                    id: hash.short(),
                    customer: token.customer,
                    issued_at: token.issued_at,
                    expires_at: token.expires_at,
                });
            }
            yield_now().await;
        }
        tokens.retain(|token| self.now < token.expires_at);
        tokens.sort_by(|one, other| {
            let later = other.expires_at.cmp(&one.expires_at);
            later.then_with(|| one.id.cmp(&other.id))
        });
        Ok(tokens)
    }

    /// Revokes all tokens of a user and returns their number, expired tokens included.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such user.
    pub async fn revoke_tokens_of(self, name: &str) -> Result<usize, Error> {
        self.stored(name).await?;
        let mut ended = 0_usize;
        loop {
            // One page at a time: a user may have more tokens than fit in one commit.
            let (some, _) = retry_on_conflict!(self.erp, self.actor, {
                let page = keys::tokens_of_user(name).limit(ENTRIES_PER_READ);
                let page = self.erp.store.scan(page).await?;
                let some = page.entries.len();
                (self.ending_tokens(page.entries).await?, some)
            });
            if some == 0 {
                return Ok(ended);
            }
            ended += some;
        }
    }

    async fn stored(self, name: &str) -> Result<Versioned<User>, Error> {
        let found = self.erp.load(&keys::user(name)).await?;
        found.ok_or_else(|| Error::not_found("user", name))
    }
}
