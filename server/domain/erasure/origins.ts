import type { Store } from "../../storage/store.ts";
import { leads } from "../lead/lead.ts";
import { nameKey } from "../origin/name-key.ts";
import { originNames } from "../origin/origin.ts";
import type { Origin } from "../origin/record.ts";
import { pastClicks } from "../visitor/past-clicks.ts";
import { visitors } from "../visitor/visitor.ts";

interface Originated {
  promoterId: number;
  origin: Origin | null;
}

/**
 * Forgets the names of the sites and pages that only one promoter's visitors came from: a blog may have the name of
 * its author. Reports count them as other ones from now on.
 */
export async function forgetOrigins(store: Store, accountId: number, promoterId: number): Promise<void> {
  const [own, others] = [new Set<string>(), new Set<string>()];
  const note = (records: Originated[]) => {
    for (const { origin, ...owner } of records) {
      const keys = owner.promoterId === promoterId ? own : others;
      if (origin !== null) keys.add(origin.sourceKey).add(origin.pageKey);
    }
  };
  for await (const chunk of store.scan(visitors, "id", accountId, [])) note(chunk);
  for await (const chunk of store.scan(pastClicks, "id", accountId, [])) note(chunk);
  for await (const chunk of store.scan(leads, "id", accountId, [])) note(chunk);
  for await (const chunk of store.scan(originNames, "id", accountId, [])) {
    for (const { kind, name } of chunk) {
      const key = nameKey(name);
      if (!own.has(key) || others.has(key)) continue;
      await store.transact((tx) => tx.remove(originNames, accountId, kind, key));
    }
  }
}
