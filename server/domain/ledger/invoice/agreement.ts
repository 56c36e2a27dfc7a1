import { Failure } from "../../../failure.ts";
import type { Reader, View } from "../../../storage/store.ts";
import { table } from "../../../storage/table.ts";
import type { Context } from "../../context.ts";
import { loadPromoterInUse } from "../../people/promoter/promoter.ts";
import { latestText } from "./company.ts";

/** A promoter's consent that the company writes their invoices, under one version of its text. Kept for ever. */
export interface InvoiceAgreement {
  accountId: number;
  promoterId: number;
  version: number;
  agreedAt: string;
}

export const invoiceAgreements = table<InvoiceAgreement>()({
  name: "invoice-agreement",
  key: ["promoter_id", "text_version"],
  columns: { promoter_id: "integer", text_version: ["integer", ({ version }) => version] },
});

/** The company's present text, and since when a promoter agrees to it. */
export interface AgreementState {
  version: number;
  text: string;
  publishedAt: string;
  /** Null: not yet. */
  agreedAt: string | null;
}

/** The agreement that a promoter sees, or null if the company has none. */
export async function agreementState(
  view: View,
  { accountId, id }: { accountId: number; id: number },
): Promise<AgreementState | null> {
  const latest = await latestText(view, accountId, "agreement");
  if (latest === null) return null;
  const { version, text, createdAt: publishedAt } = latest;
  const own = await findAgreement(view, { accountId, promoterId: id, version });
  return { version, text, publishedAt, agreedAt: own?.agreedAt ?? null };
}

/**
 * Records that a promoter agrees to the newest text. A repetition changes nothing.
 *
 * @throws Failure `not_found`, `refused` for an archived promoter, or if the text has changed since they read it
 */
export function agree(
  { store, now }: Context,
  { accountId, id }: { accountId: number; id: number },
  version: number,
): Promise<AgreementState> {
  return store.transact(async (tx) => {
    await loadPromoterInUse(tx, accountId, id);
    const latest = await latestText(tx.view, accountId, "agreement");
    if (latest === null) throw new Failure("not_found", "There is no agreement.");
    if (latest.version !== version)
      throw new Failure("refused", "The agreement has changed. Read the new version first.");
    const before = await findAgreement(tx, { accountId, promoterId: id, version });
    const agreedAt = before?.agreedAt ?? now.toISOString();
    if (before === null) await tx.insert(invoiceAgreements, { accountId, promoterId: id, version, agreedAt });
    return { version, text: latest.text, publishedAt: latest.createdAt, agreedAt };
  });
}

function findAgreement(
  reader: Reader,
  { accountId, promoterId, version }: Pick<InvoiceAgreement, "accountId" | "promoterId" | "version">,
): Promise<InvoiceAgreement | null> {
  return reader.get(invoiceAgreements, accountId, promoterId, version);
}
