import { z } from "zod";
import { Failure } from "../../../failure.ts";
import type { ArchivedRows, SourceApi, SourceQuery } from "../model.ts";
import { readCursorPages, readForEach, readNeeded } from "../paging.ts";
import {
  amount,
  country,
  countOrNull,
  currency,
  fields,
  flag,
  id,
  instant,
  meaning,
  readAnswer,
  reference,
  someInstant,
  text,
} from "../shapes.ts";

const MOST_ROWS = 250;

/** Fetches everything that PartnerStack offers. */
export async function askPartnerStack(api: SourceApi): Promise<void> {
  await readList(api, "groups", { path: "/groups" });
  await readList(api, "partnerships", { path: "/partnerships", query: { include_archived: "true" } });
  await readForEach(api, "links", {
    parents: emailsOf(api.kept),
    ask: (email) => linksOf(api, email),
  });
  await readList(api, "customers", { path: "/customers" });
  await readList(api, "transactions", { path: "/transactions" });
  await readList(api, "rewards", { path: "/rewards" });
  await readList(api, "rewards-scheduled", { path: "/rewards", query: { status: "scheduled" } });
}

const page = z.looseObject({
  data: z.looseObject({ items: z.array(z.unknown()), has_more: z.boolean().nullish() }),
});

function readList(
  api: SourceApi,
  list: string,
  { path, query = {} }: { path: string; query?: SourceQuery },
): Promise<void> {
  const ask = async (after: string | null) => {
    const place = after === null ? {} : { starting_after: after };
    const answer = await api.get(path, { ...query, limit: MOST_ROWS, ...place });
    const { items, has_more } = readAnswer(page, answer, path).data;
    return { rows: items, hasMore: has_more ?? items.length > 0 };
  };
  return readNeeded(api, list, () => readCursorPages(api, list, { ask }));
}

async function* emailsOf(kept: ArchivedRows): AsyncGenerator<string> {
  for await (const { email } of kept.rows("partnerships")) if (typeof email === "string") yield email;
}

/** A partner without links is answered like an unknown one. */
async function linksOf(api: SourceApi, email: string): Promise<unknown[]> {
  const path = `/links/partnership/${encodeURIComponent(email)}`;
  try {
    return readAnswer(page, await api.get(path), "/links/partnership").data.items;
  } catch (error) {
    if (error instanceof Failure && (error.kind === "not_found" || error.kind === "invalid")) return [];
    throw error;
  }
}

export const groupShape = z.object({ key: id, name: text, slug: text, default: flag });

export const partnershipShape = z.object({
  key: id,
  partner_key: text,
  email: z.string(),
  first_name: text,
  last_name: text,
  group: z.object({ slug: text, key: text }).nullish().catch(null),
  address: z.object({ country }).nullish().catch(null),
  stats: z.object({ CUSTOMER_COUNT: countOrNull }).nullish().catch(null),
  // A list without a filter shows no state, and has only approved partners.
  approved_status: z
    .string()
    .nullish()
    .transform((status) => status ?? "approved")
    .pipe(meaning({ approved: "accepted", pending: "pending", declined: "rejected", rejected: "rejected" })),
  archived: flag,
  joined_at: instant,
  created_at: instant,
});
export type Partnership = z.output<typeof partnershipShape>;

export const linkShape = z.object({ of: z.string(), key: id, url: z.string(), dest: text });

export const customerShape = z.object({
  key: id,
  customer_key: text,
  email: text,
  name: text,
  provider_key: text,
  partnership_key: text,
  test: flag,
  meta: fields,
  created_at: someInstant,
});

export const transactionShape = z.object({
  key: id,
  amount,
  currency,
  customer: reference,
  customer_key: text,
  product_key: text,
  test: flag,
  created_at: someInstant,
});

export const rewardShape = z.object({
  key: id,
  amount,
  currency,
  reward_status: meaning({
    hold: { status: "pending", isPaid: false },
    pending: { status: "pending", isPaid: false },
    scheduled: { status: "pending", isPaid: false },
    approved: { status: "approved", isPaid: false },
    declined: { status: "denied", isPaid: false },
    paid: { status: "approved", isPaid: true },
  }),
  description: text,
  partnership: z.object({ key: text, email: text }).nullish().catch(null),
  customer: z.object({ key: text, email: text, external_key: text }).nullish().catch(null),
  transaction: reference,
  invoice: reference,
  created_at: someInstant,
});
export type Reward = z.output<typeof rewardShape>;
