/** Names by which a browser reaches its own machine. A server with HOST=0.0.0.0 answers there too. */
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]", "0.0.0.0", "[::]"]);

/**
 * Reads an address, or returns null.
 *
 * `URL.canParse` must not be used for this: in Node 20 and 22 it refuses every address with a letter like "ü"
 * after some thousand calls, when V8 has compiled its caller.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null; // not an address
  }
}

/** Whether a host name means the machine itself. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.has(hostname);
}

/**
 * The path below which the server is reached: `/partners` of `https://example.com/partners`. Empty for the
 * root of its host.
 */
export function basePath(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/+$/, "");
}
