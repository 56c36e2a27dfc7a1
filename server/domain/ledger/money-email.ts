import type { Language } from "../../languages/languages.ts";
import type { Transaction } from "../../storage/store.ts";
import { users } from "../access/user/user.ts";
import { SYSTEM, type Context } from "../context.ts";
import type { MoneyEmailKind, OwnerEmailKind } from "../events/email.ts";
import { enqueue, newDelivery } from "../events/webhook/delivery.ts";
import { isErased } from "../people/erased.ts";
import { mailLanguage, promoterName, promoters } from "../people/promoter/promoter.ts";
import { accounts } from "../program/account/account.ts";
import { shownName } from "../program/account/brand.ts";

/** The values of an e-mail in the language of its promoter. */
type ValuesIn = (language: Language) => Record<string, string>;

/**
 * Writes an e-mail to a promoter about where their money goes, in the commit of the change that it reports. Campaigns and
 * promoters can't switch such e-mails off. Erased promoters, and those who have not confirmed their address, get none.
 */
export async function enqueueMoneyEmail(
  tx: Transaction,
  { store, now, isHistory = false }: Pick<Context, "store" | "now" | "isHistory">,
  given: { accountId: number; promoterId: number; kind: MoneyEmailKind; values: ValuesIn },
): Promise<void> {
  const { accountId: ownerId, promoterId, kind, values } = given;
  const promoter = await tx.get(promoters, ownerId, promoterId);
  const account = await tx.get(accounts, SYSTEM, ownerId);
  if (account === null || promoter === null || isHistory) return;
  if (isErased(promoter) || promoter.isUnconfirmed) return;
  const email = {
    kind,
    promoterId,
    to: promoter.email,
    values: {
      first_name: promoter.profile.firstName ?? promoterName(promoter),
      email: promoter.email,
      company_name: shownName(account),
      ...values(mailLanguage(account, promoter)),
    },
  };
  const id = await store.nextId("delivery");
  const lane = `promoter/${promoterId}`;
  await enqueue(tx, newDelivery({ id, ownerId, lane, email, createdAt: now.toISOString() }), now);
}

/** Writes an e-mail to each owner of an account about something that someone must look at. */
export async function enqueueOwnerEmails(
  tx: Transaction,
  { store, now }: Pick<Context, "store" | "now">,
  { accountId, kind, values }: { accountId: number; kind: OwnerEmailKind; values: Record<string, string> },
): Promise<void> {
  const account = await tx.get(accounts, SYSTEM, accountId);
  if (account === null) return;
  for (const user of await tx.view.list(users, "canOwn", SYSTEM, [accountId])) {
    const email = {
      kind,
      promoterId: null,
      userId: user.id,
      to: user.email,
      values: {
        first_name: user.name ?? user.email,
        email: user.email,
        company_name: account.name,
        ...values,
      },
    };
    const id = await store.nextId("delivery");
    const lane = `user/${user.id}`;
    await enqueue(
      tx,
      newDelivery({ id, ownerId: accountId, lane, email, createdAt: now.toISOString() }),
      now,
    );
  }
}
