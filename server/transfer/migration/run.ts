import { pictureOf } from "../../domain/program/migration/source-id.ts";
import type { Archive } from "./archive.ts";
import { newGet, systemReach, type Reach } from "./api.ts";
import type { Source, SourceName } from "./model.ts";
import { dub } from "./sources/dub.ts";
import { firstpromoter } from "./sources/firstpromoter.ts";
import { partnerstack } from "./sources/partnerstack.ts";
import { rewardful } from "./sources/rewardful.ts";
import { tolt } from "./sources/tolt.ts";

/** Every former program that can be read. */
export const SOURCES: Record<SourceName, Source> = { rewardful, firstpromoter, tolt, partnerstack, dub };

/** The parameters of reading a program. */
export interface Reading {
  source: Source;
  archive: Archive;
  key: string;
  /** Default: the source's own address. */
  baseUrl?: string;
  reach?: Reach;
  /** Called whenever rows were archived. */
  onKept?: (list: string, rowCount: number) => void;
}

/**
 * Reads a whole program into its archive, and returns the number of the run. An interrupted run is continued.
 *
 * @throws Failure like `newGet`
 */
export async function readProgram({
  source,
  archive,
  key,
  baseUrl = source.baseUrl,
  reach = systemReach,
  onKept,
}: Reading): Promise<number> {
  const get = newGet(source, { key, baseUrl, reach });
  // Enough to tell keys apart, and too little to find one out.
  const access = pictureOf([baseUrl, key]).slice(0, 8);
  const run = await archive.begin(() => new Date(reach.now()), access);
  await source.fetch({
    get,
    mark: run.mark,
    kept: archive.read(run.id),
    async keep(list, rows, mark) {
      await run.keep(list, rows, mark);
      onKept?.(list, rows.length);
    },
  });
  await run.end();
  return run.id;
}
