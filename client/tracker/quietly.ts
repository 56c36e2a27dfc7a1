/** What a call gives; undefined where the browser forbids it, since a tracker must never break the page it is on. */
export function quietly<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return; // sandboxed frames deny cookies and storage, full storage denies writing, pages have odd links
  }
}
