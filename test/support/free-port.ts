import { createServer } from "node:net";

/** Below the range from which systems give ports to clients. */
const FIRST = 12_000;
/** For each of Vitest's workers. */
const EACH = 400;

const first = FIRST + EACH * (Number(process.env.VITEST_POOL_ID) % 50);
// Another run on this machine begins elsewhere within them.
let taken = process.pid;

/** A port of this machine that nobody listens on, and that no other test is given. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + (taken++ % EACH);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
