import type { Pool } from "pg";
import { Failure } from "../../../failure.ts";
import { takeBatch, type PendingCommit } from "./batch.ts";
import { newWriter } from "./writer.ts";

/** Commits one batch at a time. Commits that arrive meanwhile form the next batch. */
export interface Committer {
  commit(changes: PendingCommit["changes"]): Promise<boolean>;
  /** Waits for running commits and removes this process' mark. */
  close(): Promise<void>;
}

/** Makes a committer over a pool of pipelined connections: at each moment that of the server to write to. */
export function committer(pool: () => Pool): Committer {
  const writer = newWriter(pool);
  let pending: PendingCommit[] = [];
  let running: Promise<void> | null = null;

  return {
    commit: (changes) =>
      new Promise((resolve, reject) => {
        pending.push({ changes, resolve, reject });
        running ??= commitPending();
      }),
    async close() {
      await running;
      await writer.close();
    },
  };

  async function commitPending(): Promise<void> {
    // Commits of the same turn go into one batch.
    await Promise.resolve();
    while (pending.length > 0) {
      const [batch, rest] = takeBatch(pending);
      pending = rest;
      await settle(batch);
    }
    running = null;
  }

  async function settle(batch: PendingCommit[]): Promise<void> {
    try {
      const done = new Set(await writer.write(batch));
      batch.forEach(({ resolve }, part) => resolve(done.has(part)));
    } catch (error) {
      const isFaultOfOne = !(error instanceof Failure) && batch.length > 1;
      // A text that the database can't hold must not cost others their commits.
      if (isFaultOfOne) for (const commit of batch) await settle([commit]);
      else for (const { reject } of batch) reject(error);
    }
  }
}
