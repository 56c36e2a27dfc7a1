import type { Worker } from "node:cluster";
import type { Serializable } from "node:child_process";

/** What Node's cluster writes to a worker beside a connection, and back. */
interface ClusterMessage {
  act?: string;
  seq?: number;
  ack?: number;
}

/**
 * Ends the connections that were being handed to a worker when it died. Node's cluster holds on to them, and
 * their clients would wait for an answer without an end.
 */
export function endUntakenConnections(worker: Worker): void {
  const untaken = new Map<number, { close(): void }>();
  const { process: child } = worker;
  const send = child.send.bind(child);
  child.send = (message: Serializable, ...rest: unknown[]) => {
    const { act, seq } = message as ClusterMessage;
    const [connection] = rest as [{ close(): void } | undefined];
    if (act === "newconn" && seq !== undefined && connection) untaken.set(seq, connection);
    return send(message, ...(rest as []));
  };
  child.on("internalMessage", ({ ack }: ClusterMessage) => {
    if (ack !== undefined) untaken.delete(ack);
  });
  child.once("exit", () => {
    for (const connection of untaken.values()) connection.close();
    untaken.clear();
  });
}
