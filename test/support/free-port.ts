import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the range from which Linux gives ports to clients. */
const [FIRST, END] = [12_000, 32_000];

/** A port of this machine that no process listens on, and that no other test is given while this process lives. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    if ((await reserve(port)) && (await isFree(port))) return port;
  }
}

/** Resolves to false if another test, perhaps of another run, has the port. */
function reserve(port: number): Promise<boolean> {
  // Only Linux has names of sockets that vanish with the process that took them.
  if (process.platform !== "linux") return Promise.resolve(true);
  return new Promise((resolve) => {
    const holder = createServer().unref();
    holder.once("error", () => resolve(false));
    holder.listen(`\0tidemark-test-port-${port}`, () => resolve(true));
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
