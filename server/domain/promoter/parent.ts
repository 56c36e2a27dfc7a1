import { Failure } from "../../failure.ts";
import type { Promoter } from "./record.ts";
import { findPage, type Found, type Schema, type Window } from "../../storage/query.ts";
import type { Reader, Transaction, View } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { isErased, refuseErased } from "../erasure/erased.ts";
import { announce } from "../event/event.ts";
import { loadPromoter, promoters } from "./promoter.ts";

/** Gives a promoter a parent. @throws Failure `not_found`, `refused`, or `invalid` for a circle */
export async function assignParent(
  context: Context,
  accountId: number,
  { promoterId, parentPromoterId }: { promoterId: number; parentPromoterId: number },
): Promise<void> {
  await context.store.transact(async (tx) => {
    const promoter = await loadPromoter(tx, accountId, promoterId);
    refuseErased(promoter);
    const parent = await loadParent(tx, accountId, parentPromoterId);
    await refuseCircle(tx, promoter, parent);
    const after = { ...promoter, parentPromoterId };
    await tx.put(promoters, after);
    await announce(tx, context, { entity: "promoter", before: promoter, after });
  });
}

/** A page of the promoters whom a promoter brought in, newest first. */
export function findChildren(
  view: View,
  { accountId, id }: Promoter,
  window: Window,
): Promise<Found<Promoter>> {
  const question = view
    .question<Schema<{ promoters: typeof promoters }>>()
    .selectFrom("promoters")
    .where("account_id", "=", accountId)
    .where("parent_promoter_id", "=", id)
    .orderBy("id", "desc");
  return findPage(view, promoters, { question, ...window });
}

/** Loads a promoter who can be a parent. @throws Failure `not_found` */
export async function loadParent(reader: Reader, accountId: number, id: number): Promise<Promoter> {
  const parent = await reader.get(promoters, accountId, id);
  if (parent === null || isErased(parent)) throw unknownParent();
  return parent;
}

/** The error for a parent that does not exist. */
export function unknownParent(): Failure {
  return new Failure("not_found", "Parent promoter not found.");
}

/**
 * Refuses a promoter above themselves, because tiers pay one parent after the other.
 *
 * @throws Failure `invalid`
 */
export async function refuseCircle(tx: Transaction, promoter: Promoter, parent: Promoter): Promise<void> {
  for (let above: Promoter | null = parent; above !== null;) {
    if (above.id === promoter.id) {
      throw new Failure("invalid", "The parent is the promoter, or is below them.", {
        parentPromoterEmail: ["is the promoter, or is below them"],
      });
    }
    above =
      above.parentPromoterId === null
        ? null
        : await tx.get(promoters, promoter.accountId, above.parentPromoterId);
  }
}
