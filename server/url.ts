/**
 * Reads an address. null: it is not one.
 *
 * `URL.canParse` must not be used for this: in Node 20 and 22 it refuses every address with a letter like "ü" after some
 * thousand calls, when V8 has compiled its caller.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null; // not an address
  }
}
