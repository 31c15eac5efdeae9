// One login for all tabs of the browser: a new tab asks the others for it, and a logout ends it in all. Each tab keeps it for
// itself alone, so it is gone when the last one is closed.

const KEPT = "erp-console-login";
const ASKS = "asks";
/** Milliseconds that a tab waits for another one's answer. */
const PATIENCE = 300;

const channel = new BroadcastChannel(KEPT);
const listeners = new Set();

/** The login of this tab, `{ user, token }`, or nothing. */
export const kept = () => JSON.parse(sessionStorage.getItem(KEPT)) ?? undefined;

export const keep = (login) => sessionStorage.setItem(KEPT, JSON.stringify(login));

export const forget = () => sessionStorage.removeItem(KEPT);

/** Tells the other tabs of a login, or of its end without one. */
export const tellTabs = (login) => channel.postMessage(login);

/** Calls whenever another tab tells of a login or of its end; returns how to stop that. */
export function onTabs(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

channel.addEventListener("message", ({ data }) => {
  if (data !== ASKS) for (const listener of [...listeners]) listener(data);
  else if (kept()) tellTabs(kept());
});

/** The login of another tab that fits, or nothing. */
export function askTabs(fits) {
  return new Promise((resolve) => {
    const end = (login) => {
      clearTimeout(late);
      stop();
      resolve(login);
    };
    const late = setTimeout(end, PATIENCE);
    const stop = onTabs((login) => login && fits(login) && end(login));
    channel.postMessage(ASKS);
  });
}
