/**
 * Calls a function. Returns undefined if it throws, because a tracker must never break its page.
 */
export function quietly<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return; // sandboxed frames deny cookies and storage, storage may be full, and pages have malformed links
  }
}
