import { Failure, type FieldErrors } from "../../failure.ts";
import type { Promoter } from "./record.ts";
import { collection, listCounts } from "../../storage/collection.ts";
import type { Reader, Transaction } from "../../storage/store.ts";
import { findTaken } from "../../storage/transaction/taken-claims.ts";

export const promoters = collection<Promoter>()({
  name: "promoter",
  id: (promoter) => [promoter.id],
  claims: {
    email: ({ email }) => [email.toLowerCase()],
    custId: ({ custId }) => (custId === null ? null : [custId]),
    authToken: ({ authToken }) => [authToken],
  },
  indexes: {
    parent: ({ parentPromoterId }) => (parentPromoterId === null ? null : [parentPromoterId]),
    archived: (promoter) => [archivedMark(promoter)],
    joined: (promoter) => [archivedMark(promoter), Date.parse(promoter.createdAt)],
  },
  counts: (promoter) =>
    listCounts("promoter", { archived: [archivedMark(promoter)], parent: [promoter.parentPromoterId ?? 0] }),
});

/** The known parts of the name, otherwise the e-mail address. */
export function promoterName({ email, profile }: Promoter): string {
  return [profile.firstName, profile.lastName].filter((name) => name !== null).join(" ") || email;
}

/** The promoter with this e-mail address, ignoring case, or null. */
export function findPromoterByEmail(
  reader: Reader,
  accountId: number,
  email: string,
): Promise<Promoter | null> {
  return reader.find(promoters, "email", accountId, [email.trim().toLowerCase()]);
}

/** Names the fields whose values belong to another promoter. */
export function findTakenPromoter(tx: Transaction, promoter: Promoter): Promise<FieldErrors> {
  return findTaken(tx, promoters, { record: promoter, claims: ["email", "custId"] });
}

/** @throws Failure `not_found` */
export async function loadPromoter(reader: Reader, accountId: number, id: number): Promise<Promoter> {
  const promoter = await reader.get(promoters, accountId, id);
  if (promoter === null) throw new Failure("not_found", "Promoter not found.");
  return promoter;
}

/** Loads a promoter who is not archived. @throws Failure `not_found` or `refused` */
export async function loadPromoterInUse(reader: Reader, accountId: number, id: number): Promise<Promoter> {
  const promoter = await loadPromoter(reader, accountId, id);
  requireInUse(promoter);
  return promoter;
}

/** @throws Failure `refused` for an archived promoter */
export function requireInUse({ archivedAt }: Promoter): void {
  if (archivedAt !== null) throw new Failure("refused", "Promoter is archived.");
}

/** The first key of the indexes: 0 for promoters in use, 1 for archived ones. */
function archivedMark({ archivedAt }: Promoter): number {
  return archivedAt === null ? 0 : 1;
}
