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
  /**
   * The timeline of the database that issued the block. After a failover, the new primary may not know of the
   * block and issue the same ids again.
   */
  timeline: number;
}

/** Issues ids that no other process issues, from blocks reserved in the database. */
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
    // After a short outage, later callers must not get the old error.
    taken.catch(() => blocks.delete(kind));
    return taken;
  }
}
