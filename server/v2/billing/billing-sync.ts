import { z } from "zod";
import { OUTCOMES } from "../../billing/record/source.ts";
import { syncBilling } from "../../billing/sync.ts";
import { withoutLog } from "../../domain/access/audit/audited-store.ts";
import { BILLING_PROVIDERS, loadConnection } from "../../domain/ledger/billing/connection.ts";
import { Failure } from "../../failure.ts";
import { field } from "../../http/fields.ts";
import { readJson } from "../../http/parameters/json.ts";
import { instant, oneOf } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import type { V2Operation } from "../operation.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const DAYS_BACK = 3;
/** Stripe keeps its events for 30 days. */
const MOST_DAYS = 30;

const body = z.object({
  provider: field(oneOf(BILLING_PROVIDERS), "Provider whose events are read."),
  since: field(
    instant.optional(),
    `From when on, at most ${MOST_DAYS} days ago. Default: ${DAYS_BACK} days ago.`,
    "2026-03-01T00:00:00.000Z",
  ),
});

const outcomes = Object.fromEntries(
  OUTCOMES.map((outcome) => [outcome, field(z.int(), `How many events were: ${outcome}.`, 0)]),
) as Record<(typeof OUTCOMES)[number], z.ZodInt>;

/** `POST /api/v2/company/billing/sync` */
export const syncBillingOperation: V2Operation = {
  id: "syncBilling",
  summary: "Record events that a billing provider could not deliver",
  description:
    "Reads the provider's events since a time and records those that are missing; known ones change nothing. It needs the provider's API key. An extension of Tidemark.",
  body,
  answer: z
    .object({
      events: field(z.int(), "How many events were read.", 12),
      outcomes: field(
        z.object(outcomes),
        "What became of them. `known`: recorded before. `waiting`: their payment or a rate is missing. `ignored`: nothing to record.",
      ),
      faults: field(z.array(z.string()), "Why events could not be recorded.", []),
    })
    .meta({ id: "BillingSync" }),
  refusals: ["not_found", "invalid", "refused"],
  async handle({ event, account, context }) {
    const { provider, since } = shapeInput(body, await readJson(event));
    const from = since ?? new Date(context.now.getTime() - DAYS_BACK * DAY_MS);
    if (context.now.getTime() - from.getTime() > MOST_DAYS * DAY_MS) {
      throw new Failure("invalid", `Validation failed: since is more than ${MOST_DAYS} days ago`, {
        since: [`is more than ${MOST_DAYS} days ago`],
      });
    }
    const connection = await loadConnection(context.store, account.id, provider);
    // Sales are records of their own, so the audit log does not repeat them.
    return syncBilling(withoutLog(context), account, { connection, since: from });
  },
};
