import { z } from "zod";
import type { Account } from "../../../domain/program/account/account.ts";
import { shownName } from "../../../domain/program/account/brand.ts";
import { timeZoneOf } from "../../../domain/program/account/time-zone.ts";
import { listAgreements } from "../../../domain/people/portal/agreements.ts";
import { promoterName, type Promoter } from "../../../domain/people/promoter/promoter.ts";
import type { Session } from "../../../domain/access/session.ts";
import { shownBrandAnswer, shownBrandJson } from "../../brand/brand.ts";
import { field, recordId } from "../../../http/fields.ts";
import { LANGUAGES } from "../../../languages/languages.ts";
import type { View } from "../../../storage/store.ts";

/** The session of the portal. */
export const sessionAnswer = z
  .object({
    promoter: field(
      z.object({
        id: recordId,
        email: field(z.string(), "The person's e-mail address.", "jane@example.com"),
        name: field(z.string(), "The record's display name.", "Jane Doe"),
        language: field(
          z.enum(LANGUAGES).nullable(),
          "The language of the portal and of the promoter's e-mails, or null if the browser decides.",
          "de",
        ),
      }),
      "The promoter, or null if they were deleted.",
    ),
    account: field(
      z.object({
        id: field(z.string(), "Public id of the account.", "acme"),
        name: field(z.string(), "The company's name.", "Acme"),
        currency: field(z.string(), "ISO 4217 code of the account's currency.", "USD"),
        time_zone: field(
          z.string(),
          "IANA name of the time zone of payout periods, holds and due dates. The dashboard shows days in it.",
          "Europe/Berlin",
        ),
      }),
      "The account that the user belongs to.",
    ),
    brand: field(shownBrandAnswer, "How the portal shows the company."),
    must_set_password: field(
      z.boolean(),
      "Whether the promoter must choose a password before anything else.",
    ),
    has_password: field(z.boolean(), "Whether the promoter has chosen a password."),
    is_read_only: field(
      z.boolean(),
      "Whether a user of the company is viewing the portal, and can't change anything.",
    ),
    agreements: field(
      z.enum(["none", "waiting", "required"]),
      "Whether terms or contracts wait for the promoter (`GET /api/v2/affiliate/agreements`). `required`: the portal shows them before anything else, because the promoter is new. An extension of Tidemark.",
    ),
  })
  .meta({ id: "PortalSession" });

/** Shows the session of the portal. */
export async function sessionJson(
  view: View,
  {
    account,
    promoter,
    session,
    public_url,
  }: { account: Account; promoter: Promoter; session: Session; public_url: string },
): Promise<z.output<typeof sessionAnswer>> {
  return {
    promoter: {
      id: promoter.id,
      email: promoter.email,
      name: promoterName(promoter),
      language: promoter.language ?? null,
    },
    account: {
      id: account.public_id,
      name: shownName(account),
      currency: account.currency,
      time_zone: timeZoneOf(account),
    },
    brand: shownBrandJson(account, public_url),
    must_set_password: session.must_set_password ?? false,
    has_password: promoter.password_hash !== undefined,
    is_read_only: session.is_read_only ?? false,
    agreements: session.is_read_only ? "none" : await agreementsOf(view, promoter),
  };
}

async function agreementsOf(view: View, promoter: Promoter) {
  const { terms, documents, mayWait } = await listAgreements(view, promoter);
  if (terms.length + documents.length === 0) return "none";
  return mayWait ? "waiting" : "required";
}
