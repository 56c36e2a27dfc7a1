import { Failure } from "../failure.ts";
import type { Promoter } from "../records.ts";
import { collection } from "../storage/collection.ts";
import type { Reader } from "../storage/store.ts";

export const promoters = collection<Promoter>()({
  name: "promoter",
  id: (promoter) => [promoter.id],
  claims: {
    email: ({ email }) => [email.toLowerCase()],
    custId: ({ custId }) => (custId === null ? null : [custId]),
    authToken: ({ authToken }) => [authToken],
  },
  indexes: {},
  tallies: () => [[["all"], 1]],
});

/** The promoter with this e-mail address, in any case, or null. */
export function findPromoterByEmail(
  reader: Reader,
  accountId: number,
  email: string,
): Promise<Promoter | null> {
  return reader.find(promoters, "email", accountId, [email.trim().toLowerCase()]);
}

/** @throws Failure `not_found` */
export async function loadPromoter(reader: Reader, accountId: number, id: number): Promise<Promoter> {
  const promoter = await reader.get(promoters, accountId, id);
  if (promoter === null) throw new Failure("not_found", "Promoter not found.");
  return promoter;
}
