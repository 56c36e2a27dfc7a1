import type { Servers } from "./servers.ts";
import { blockLength, firstOfBlock } from "../../id-blocks.ts";
import { deadlineIn, withRetries } from "./retries.ts";

const TAKE_MS = 5_000;

const TAKE = `insert into ids (kind, next) values ($1, 1 + ${blockLength("1", "least", "greatest")})
  on conflict (kind) do update set next = ids.next + ${blockLength("ids.next", "least", "greatest")}
  returning next`;

interface Block {
  next: number;
  end: number;
  /** The database that gave it. One that takes over may not know of it and give the same ids to others. */
  timeline: number;
}

/** Gives ids that no other process gives. It takes them from the database in blocks. */
export function newIdSource({ reads, timeline }: Servers): (kind: string) => Promise<number> {
  const blocks = new Map<string, Promise<Block>>();

  async function take(kind: string): Promise<Block> {
    return withRetries(async () => {
      const taken = timeline();
      const { rows } = await reads().query<{ next: number | string }>(TAKE, [kind]);
      const end = Number(rows[0]!.next);
      return { next: firstOfBlock(end), end, timeline: taken };
    }, deadlineIn(TAKE_MS));
  }

  return async function nextId(kind) {
    for (;;) {
      const current = blocks.get(kind) ?? begin(kind);
      const block = await current;
      if (block.next < block.end && block.timeline === timeline()) return block.next++;
      if (blocks.get(kind) === current) begin(kind);
    }
  };

  function begin(kind: string): Promise<Block> {
    const taken = take(kind);
    blocks.set(kind, taken);
    // If the store was away for a moment, later callers must not get its old error.
    taken.catch(() => blocks.delete(kind));
    return taken;
  }
}
