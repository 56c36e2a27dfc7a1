import { Failure } from "../../../failure.ts";
import { table } from "../../../storage/table.ts";
import type { Context } from "../../context.ts";
import { loadPromoterInUse } from "../../people/promoter/promoter.ts";

/** The forms by which a promoter tells the company where they are taxed in the United States. */
export const TAX_FORMS = ["w9", "w8ben", "w8bene"] as const;

export type TaxForm = (typeof TAX_FORMS)[number];

/** What a promoter is for taxes: line 3a of a W-9, and the kind of person of a W-8. */
export const TAX_CLASSES = [
  "individual",
  "c_corporation",
  "s_corporation",
  "partnership",
  "trust",
  "llc",
  "other",
] as const;

export type TaxClass = (typeof TAX_CLASSES)[number];

/** The data of a promoter's form W-9 or W-8. Name and address are in the profile too, but a form says them itself. */
export interface TaxDetails {
  accountId: number;
  promoterId: number;
  form: TaxForm;
  name: string;
  taxClass: TaxClass;
  /** The tax number, encrypted in the store. Empty if it came by an export without secrets. */
  taxNumber: string;
  /** Its last four characters. */
  taxNumberEnd: string;
  /** The name with which the promoter has signed, and when. */
  signature: string;
  signedAt: string;
}

export const taxDetails = table<TaxDetails>()({
  name: "tax-details",
  key: ["promoter_id"],
  columns: { promoter_id: "integer", form: "text" },
  sealed: {
    fields: ["taxNumber"],
    isSecret: ({ taxNumber }) => taxNumber !== "",
    without: (details) => ({ ...details, taxNumber: "" }),
  },
});

const SHOWN_CHARACTERS = 4;

/** What a promoter gives. Undefined: the tax number stays. */
export interface TaxDetailsInput extends Pick<TaxDetails, "form" | "name" | "taxClass" | "signature"> {
  taxNumber?: string | undefined;
}

/**
 * Keeps a promoter's form.
 *
 * @throws Failure `not_found`, `invalid`, or `refused` without a key, or for an archived promoter
 */
export function putTaxDetails(
  { store, now }: Context,
  { accountId, id: promoterId }: { accountId: number; id: number },
  { taxNumber, form, name, taxClass, signature }: TaxDetailsInput,
): Promise<TaxDetails> {
  return store.transact(async (tx) => {
    await loadPromoterInUse(tx, accountId, promoterId);
    const before = await tx.get(taxDetails, accountId, promoterId);
    const kept = before?.form === form ? before : null;
    if (taxNumber === undefined && kept === null) throw wrongNumber("can't be blank");
    const plain = taxNumber?.replace(/[\s.-]/g, "");
    // A social security number or an employer's number.
    if (plain !== undefined && form === "w9" && !/^\d{9}$/.test(plain))
      throw wrongNumber("must have nine digits");
    const after: TaxDetails = {
      accountId,
      promoterId,
      form,
      name,
      taxClass,
      taxNumber: plain ?? kept!.taxNumber,
      taxNumberEnd: plain === undefined ? kept!.taxNumberEnd : plain.slice(-SHOWN_CHARACTERS),
      signature,
      signedAt: now.toISOString(),
    };
    await tx.put(taxDetails, after);
    return after;
  });
}

function wrongNumber(fault: string): Failure {
  return new Failure("invalid", `Validation failed: tax_number ${fault}`, { tax_number: [fault] });
}
