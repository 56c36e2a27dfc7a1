import { createStorage, type Storage } from "unstorage";
import { openArchive } from "../../../server/transfer/migration/archive.ts";
import type { Reach } from "../../../server/transfer/migration/api.ts";
import type {
  Source,
  SourceKind,
  SourceName,
  SourceRecord,
} from "../../../server/transfer/migration/model.ts";
import { readProgram, SOURCES } from "../../../server/transfer/migration/migrate.ts";
import type { Sums, Truth } from "./program.ts";
import type { StandIn } from "./stand-in.ts";

/** A reach whose waits pass immediately, and move its clock. */
export function quickReach(): Reach & { waits: number[] } {
  let time = Date.UTC(2026, 5, 1);
  const waits: number[] = [];
  return {
    waits,
    fetch: (url, options) => fetch(url, options),
    // Each look takes a millisecond, so that requests have different times.
    now: () => (time += 1),
    async wait(ms) {
      waits.push(ms);
      time += ms;
    },
  };
}

interface Options {
  storage?: Storage;
  reach?: Reach;
  key?: string;
}

/** Reads a stand-in into an archive, which is in memory by default, and answers the run's records. */
export async function readStandIn(source: Source, standIn: StandIn, options: Options = {}) {
  const { storage = createStorage(), reach = quickReach(), key = standIn.key } = options;
  const archive = openArchive(storage, 1, source.name);
  const run = await readProgram({ source, archive, key, baseUrl: standIn.url, reach });
  return recordsOf(source.records(archive.read(run)));
}

type OfKind<K extends SourceKind> = Extract<SourceRecord, { kind: K }>;

/** The records by their kinds, and the order in which the kinds came. */
export async function recordsOf(records: AsyncIterable<SourceRecord>) {
  const all: SourceRecord[] = [];
  for await (const record of records) all.push(record);
  const of = <K extends SourceKind>(kind: K) =>
    all.filter((record): record is OfKind<K> => record.kind === kind);
  const kinds = all.map(({ kind }) => kind).filter((kind, place, list) => kind !== list[place - 1]);
  return { all, of, kinds };
}

/** What the records give each promoter. It has to be the stand-in's truth. */
export function truthIn(records: SourceRecord[]): Truth[] {
  const found = new Map<string, Truth>();
  for (const record of records) {
    if (record.kind === "promoter") {
      const none = { pending: {}, approved: {}, paid: {}, owed: {} };
      const { id, email, counts } = record;
      found.set(id, { id, email, clicks: counts.clicks, leads: 0, customers: 0, ...none });
    }
    const truth = "promoter_id" in record ? found.get(record.promoter_id) : undefined;
    if (truth === undefined) continue;
    if (record.kind === "customer") {
      truth.leads += 1;
      if (record.state !== "signup") truth.customers += 1;
    }
    if (record.kind !== "commission" || record.status === "denied" || record.unit !== "cash") continue;
    add(truth[record.status], record);
    if (record.status === "approved") add(record.isPaid ? truth.paid : truth.owed, record);
  }
  return [...found.values()];
}

function add(sums: Sums, { currency, amount }: { currency: string | null; amount: number }): void {
  const name = currency ?? "the program's";
  sums[name] = (sums[name] ?? 0) + amount;
}

/** The truths in the order of their ids. */
export function sorted(truths: Truth[]): Truth[] {
  return truths.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** Reads a stand-in by the name of its source. */
export function readSource(name: SourceName, standIn: StandIn) {
  return readStandIn(SOURCES[name]!, standIn);
}
