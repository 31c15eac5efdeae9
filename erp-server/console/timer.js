// What is done again and again while a screen is shown.

/** Runs an action now and then until the screen is left; not while the page is hidden. */
export function every(milliseconds, signal, action) {
  if (signal.aborted) return;
  const timer = setInterval(() => document.hidden || action(), milliseconds);
  signal.addEventListener("abort", () => clearInterval(timer));
}
