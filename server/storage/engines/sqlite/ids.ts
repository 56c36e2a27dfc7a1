import type { Committer } from "./committer.ts";
import { blockLength, firstOfBlock } from "../../id-blocks.ts";
import type { Database } from "./database.ts";

const TAKE = `insert into ids (kind, next) values (?1, ${after("max(1, ?2)")})
  on conflict (kind) do update set next = ${after("max(next, ?2)")} returning next`;
const KEEP =
  "insert into ids (kind, next) values (?1, ?2) on conflict (kind) do update set next = max(next, ?2)";

/** Issues ids that no other process issues. */
export interface IdSource {
  nextId(kind: string): Promise<number>;
  /** The undone work may have reserved blocks, which must not be issued again. */
  onUndone(): void;
  onRollback(): void;
  onCommit(): void;
}

/** Reserves blocks of ids in the file, on the writing connection. */
export function newIdSource(db: Database, committer: () => Committer): IdSource {
  const [take, keep] = [db.prepare(TAKE), db.prepare(KEEP)];
  const blocks = new Map<string, { next: number; end: number }>();
  /** The ends of all blocks that this process has reserved, and of those of the open commit. */
  const ends = new Map<string, number>();
  let open: string[] = [];

  function takeBlock(kind: string): void {
    const [end] = take.get(kind, ends.get(kind) ?? 1) as [number];
    blocks.set(kind, { next: firstOfBlock(end), end });
    ends.set(kind, end);
    open.push(kind);
  }

  return {
    async nextId(kind) {
      for (;;) {
        const block = blocks.get(kind);
        if (block !== undefined && block.next < block.end) return block.next++;
        // Inside a transaction, a separate one would wait for ever.
        if (committer().isOpen()) takeBlock(kind);
        else await committer().transact(async () => void (hasLeft(kind) || takeBlock(kind)));
      }
    },
    onUndone() {
      for (const kind of open) keep.run(kind, ends.get(kind)!);
    },
    onRollback() {
      for (const kind of open) blocks.delete(kind);
      open = [];
    },
    onCommit() {
      open = [];
    },
  };

  function hasLeft(kind: string): boolean {
    const block = blocks.get(kind);
    return block !== undefined && block.next < block.end;
  }
}

/** The id after the block that begins with `first`. */
function after(first: string): string {
  return `${first} + ${blockLength(first, "min", "max")}`;
}
