import type { Context } from "../context.ts";
import { refuseErased } from "../erasure/erased.ts";
import { announce } from "../event/event.ts";
import { loadPromoter } from "../promoter/promoter.ts";
import type { Show } from "../show.ts";
import { commissions } from "./commission.ts";
import type { Commission, CommissionNotes } from "./record.ts";
import { loadCommission } from "./status.ts";

type NoteChanges = { [F in keyof CommissionNotes]?: CommissionNotes[F] | undefined };

/**
 * Changes the notes on a commission.
 *
 * Choice: paid ones have notes too, because they change no money.
 *
 * @throws Failure `not_found`, or `refused` if the promoter was erased
 */
export function annotateCommission<T>(
  context: Context,
  accountId: number,
  { id, notes, show }: { id: number; notes: NoteChanges; show: Show<Commission, T> },
): Promise<T> {
  return context.store.transact(async (tx) => {
    const before = await loadCommission(tx, accountId, id);
    refuseErased(await loadPromoter(tx, accountId, before.promoterId));
    const { internalNote = before.internalNote, externalNote = before.externalNote } = notes;
    const after = { ...before, internalNote, externalNote };
    await tx.put(commissions, after);
    await announce(tx, context, { entity: "commission", before, after });
    return show(tx.view, after);
  });
}
