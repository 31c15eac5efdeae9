//! Users and bearer tokens, as every request meets them.

use super::{Erp, Error, Upkeep, Users, retry_on_conflict};
use crate::domain::master::{Caller, Right, Token, User};
use crate::erp::catalogue::slices::ENTRIES_PER_READ;
use crate::erp::keys::{self, TokenHash};
use crate::storage::record::decode;
use crate::storage::{ChangeSet, Entry, Key, Scan, Space, Storage, StoreResult};

impl<S: Storage> Users<'_, S> {
    /// Finds a user by name.
    pub async fn find(self, name: &str) -> Result<Option<User>, Error> {
        let found = self.erp.load(&keys::user(name)).await?;
        Ok(found.map(|found| found.value))
    }

    pub(crate) async fn end_token(
        self,
        changes: &mut ChangeSet,
        hash: &TokenHash,
    ) -> Result<(), Error> {
        if let Some(token) = self.erp.load::<Token>(&keys::token(hash)).await? {
            changes.delete(keys::token_expiry(token.value.expires_at, hash));
            changes.delete(keys::token_of_user(&token.value.user, hash));
        }
        changes.delete(keys::token(hash));
        Ok(())
    }

    // rule: R-AUT-02
    /// Returns the user of a token; `None` when the token is unknown or expired, its user was removed, or it is for one
    /// customer who is no longer visible to the user, or whose user may no longer trade. Such a token ends here.
    pub async fn caller(self, hash: &TokenHash) -> Result<Option<Caller>, Error> {
        let token_key = keys::token(hash);
        let Some(name) = self.erp.owners.get(&token_key) else {
            return self.unknown_caller(hash).await;
        };
        let keys = [token_key, keys::user(&name)];
        let [token_key, user_key] = &keys;
        let mut entries = self.erp.store.get(&keys).await?.into_iter();
        let (token, user) = (entries.next().flatten(), entries.next().flatten());
        let token = token
            .map(|entry| decode::<Token>(token_key, &entry))
            .transpose()?;
        let Some(token) = token.filter(|token| token.is_valid(self.now)) else {
            self.erp.owners.remove(token_key);
            return Ok(None);
        };
        let user = user
            .map(|entry| decode::<User>(user_key, &entry))
            .transpose()?;
        self.caller_of(hash, token, user).await
    }

    /// Like [`Users::caller`], for a token that is not in the cache. A token never moves to another user, so later
    /// requests read token and user with one call.
    async fn unknown_caller(self, hash: &TokenHash) -> Result<Option<Caller>, Error> {
        let key = keys::token(hash);
        let token = self.erp.load::<Token>(&key).await?;
        let Some(token) = token.filter(|token| token.value.is_valid(self.now)) else {
            return Ok(None);
        };
        let user = self.find(&token.value.user).await?;
        if user.is_some() {
            self.erp.note_owner(&key, &token.value.user);
        }
        self.caller_of(hash, token.value, user).await
    }

    async fn caller_of(
        self,
        hash: &TokenHash,
        token: Token,
        user: Option<User>,
    ) -> Result<Option<Caller>, Error> {
        let caller = match (user, token.customer) {
            (None, _) => return Ok(None),
            (Some(user), None) => return Ok(Some(Caller::from(user))),
            // Who may no longer order has no page that orders.
            (Some(user), Some(_)) if !user.role.may(Right::Trade) => None,
            (Some(user), Some(customer)) => {
                self.with_customer(Caller::of_customer(user, customer))
                    .await?
            }
        };
        if caller.is_none() {
            self.revoke_token(hash).await?;
        }
        Ok(caller)
    }

    /// The caller, unless the customer it acts for is gone or hidden from the user.
    pub(crate) async fn with_customer(self, caller: Caller) -> Result<Option<Caller>, Error> {
        let own = caller.customer.as_deref().unwrap_or_default();
        let shop = self.erp.shop(&caller, self.now);
        let (_, found) = shop.load_customer_and(own, &[]).await?;
        Ok(found.map(|_| caller))
    }

    /// Revokes a token, and those that were made with it.
    pub async fn revoke_token(self, hash: &TokenHash) -> Result<(), Error> {
        retry_on_conflict!(self.erp, self.actor, {
            let mut changes = self.without_made_with(hash).await?;
            self.end_token(&mut changes, hash).await?;
            (changes, ())
        });
        Ok(())
    }
}

impl<S: Storage> Erp<S> {
    /// Remembers whose tokens there are: those of one page.
    pub(crate) async fn remember_tokens(&self) -> Result<(), Error> {
        let all = Scan::of(Space::TokenOfUser);
        let page = self.store.scan(all.limit(ENTRIES_PER_READ)).await?;
        for (key, _) in &page.entries {
            let hash = TokenHash::of_user_key(key);
            if let Some((hash, name)) = hash.zip(key.parts().text()) {
                self.note_owner(&keys::token(&hash), &name);
            }
        }
        Ok(())
    }
}

impl<S: Storage> Upkeep<'_, S> {
    /// Removes every token that has expired, one page per commit. Returns the number of removed tokens.
    pub async fn remove_expired_tokens(self) -> Result<usize, Error> {
        let expired = keys::expired(Space::TokenExpiry, self.now);
        let mut pages = self.erp.pages(expired);
        let mut removed = 0_usize;
        while let Some(entries) = pages.next().await?
            && !entries.is_empty()
        {
            retry_on_conflict!(self.erp, None, (self.without_expired(&entries).await?, ()));
            removed += entries.len();
        }
        Ok(removed)
    }

    /// A change set that removes the tokens of these entries; they are read with one call.
    async fn without_expired(self, expired: &[(Key, Entry)]) -> StoreResult<ChangeSet> {
        let mut changes = ChangeSet::new();
        let mut hashes = Vec::new();
        for (key, _) in expired {
            changes.delete(key.clone());
            let mut parts = key.parts();
            let hash = parts.signed().and(parts.bytes());
            let hash = hash.and_then(|bytes| bytes.try_into().ok());
            hashes.extend(hash.map(TokenHash::new));
        }
        let tokens: Vec<Key> = hashes.iter().map(keys::token).collect();
        let found = self.erp.store.get(&tokens).await?;
        for ((hash, key), entry) in hashes.iter().zip(tokens).zip(found) {
            if let Some(entry) = entry {
                let token = decode::<Token>(&key, &entry)?;
                changes.delete(keys::token_of_user(&token.user, hash));
                changes.delete(key);
            }
        }
        Ok(changes)
    }
}
