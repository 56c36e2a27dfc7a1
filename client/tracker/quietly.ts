/**
 * Calls a function. Returns undefined if it throws, because a tracker must never break the page that it is
 * on.
 */
export function quietly<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return; // sandboxed frames deny cookies and storage, full storage denies writing, and pages have odd links
  }
}
