import { connect, createServer, type Socket } from "node:net";

/** Where a connection is cut: after a number of bytes from one side, once the client has sent `after`. */
export interface Cut {
  after: string;
  from: "client" | "server";
  byteCount: number;
  /**
   * The rest of what the client has sent: `lost`, or `kept` until `release` while the server's end of the
   * connection stays open.
   */
  rest: "lost" | "kept";
}

/** A proxy between a database and its clients. */
export interface TcpProxy {
  port: number;
  /** Cuts the next connection that matches, once. Resolves when it is cut. */
  cut(cut: Cut): Promise<void>;
  /** Immediately cuts the connection that has begun to match. */
  cutNow(): void;
  /** Replaces a text that a client sends by another one of the same length, once. */
  spoil(text: string, by: string): void;
  /** Sends the server what was kept back. */
  release(): void;
  close(): void;
}

/** Starts a proxy in front of a port of this machine. */
export function startProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let armed: { cut: Cut; resolve: () => void } | null = null;
  let spoiling: { text: string; by: string } | null = null;
  let cutNow = () => {};
  let kept: { server: Socket; chunks: Buffer[] }[] = [];

  const proxy = createServer((client) => {
    const server = connect(target, "127.0.0.1");
    for (const socket of [client, server]) {
      sockets.add(socket);
      // The close event that follows tells the other end.
      socket.on("error", () => {});
    }
    let ongoing: { cut: Cut; resolve: () => void; left: number } | null = null;
    const held: Buffer[] = [];
    let isCut = false;

    const pass = (from: "client" | "server", given: Buffer) => {
      const chunk = from === "client" ? spoilt(given) : given;
      const to = from === "client" ? server : client;
      if (isCut) {
        if (from === "client") held.push(chunk);
        return;
      }
      if (from === "client" && armed !== null && chunk.includes(armed.cut.after)) {
        ongoing = { ...armed, left: armed.cut.byteCount };
        armed = null;
        const { cut, resolve } = ongoing;
        cutNow = () => cutOff({ cut, resolve });
      }
      if (ongoing === null || ongoing.cut.from !== from) return void to.write(chunk);
      if (chunk.length < ongoing.left) {
        ongoing.left -= chunk.length;
        return void to.write(chunk);
      }
      to.write(chunk.subarray(0, ongoing.left));
      if (from === "client") held.push(chunk.subarray(ongoing.left));
      cutOff(ongoing);
    };
    const cutOff = ({ cut, resolve }: { cut: Cut; resolve: () => void }) => {
      isCut = true;
      if (cut.rest === "kept") kept.push({ server, chunks: held });
      else server.end();
      // What the client has sent is read first, as in a real network.
      setImmediate(() => (client.destroy(), resolve()));
    };
    client.on("data", (chunk) => pass("client", chunk));
    server.on("data", (chunk) => pass("server", chunk));
    client.on("close", () => isCut || server.destroy());
    server.on("close", () => client.destroy());
  });

  function spoilt(chunk: Buffer): Buffer {
    if (spoiling === null || !chunk.includes(spoiling.text)) return chunk;
    const { text, by } = spoiling;
    spoiling = null;
    return Buffer.from(chunk.toString("latin1").replace(text, by), "latin1");
  }

  return new Promise((resolve) => {
    proxy.listen(0, "127.0.0.1", () =>
      resolve({
        port: (proxy.address() as { port: number }).port,
        cut: (cut) => new Promise((resolve) => (armed = { cut, resolve })),
        cutNow: () => cutNow(),
        spoil: (text, by) => void (spoiling = { text, by }),
        release() {
          for (const { server, chunks } of kept) server.end(Buffer.concat(chunks));
          kept = [];
        },
        close() {
          proxy.close();
          for (const socket of sockets) socket.destroy();
        },
      }),
    );
  });
}
