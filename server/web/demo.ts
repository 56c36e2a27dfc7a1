import type { H3Event } from "h3";
import { FastResponse } from "srvx";
import { findFirstAccount, trackerNames } from "../domain/account/account.ts";
import { commissions } from "../domain/commission/commission.ts";
import { findLeadByEmail } from "../domain/lead/search.ts";
import type { Lead } from "../domain/lead/lead.ts";
import { loadPromoter } from "../domain/promoter/promoter.ts";
import { sales } from "../domain/sale/sale.ts";
import { visitors } from "../domain/visitor/visitor.ts";
import { json } from "../http/answer.ts";
import { v1Error } from "../http/errors.ts";
import { readParams, type Params } from "../http/parameters/form.ts";
import { refuse } from "../request/refusal.ts";
import type { Services } from "../request/services.ts";
import { DEMO_SCRIPT, demoHtml } from "./demo-page.ts";

const SHOWN_SALES = 5;

/** A strict policy, which shows that the script needs nothing but its own origin. */
const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

/** `GET /demo`: the first account's demo page, with a referral banner and a sign-up form. */
export function demoPage({ store, publicUrl }: Services) {
  return async (): Promise<Response> => {
    const account = await findFirstAccount(store);
    return new FastResponse(
      demoHtml({
        cid: account?.publicId ?? "",
        cookie: account ? trackerNames(account).cookie : "",
        publicUrl,
      }),
      {
        headers: {
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": POLICY,
          "x-content-type-options": "nosniff",
          "referrer-policy": "strict-origin-when-cross-origin",
        },
      },
    );
  };
}

/** `GET /demo.js` */
export function demoScript(): Response {
  return new FastResponse(DEMO_SCRIPT, {
    headers: { "content-type": "text/javascript; charset=utf-8", "x-content-type-options": "nosniff" },
  });
}

/** `GET /demo/recorded`: the lead that this visitor became. null if it is another visitor's. */
export function demoRecord(services: Services) {
  return async (event: H3Event): Promise<Response> => {
    try {
      const lead = await recordedLead(services, await readParams(event));
      return json({ lead }, { "cache-control": "no-store" });
    } catch (error) {
      return refuse(services, event, { error, generation: "v1", shape: v1Error, headers: {} });
    }
  };
}

async function recordedLead(services: Services, { tid, email }: Params) {
  const { store } = services;
  const account = await findFirstAccount(store);
  if (account === null || typeof tid !== "string" || typeof email !== "string") return null;
  const lead = await findLeadByEmail(store, account.id, email);
  if (lead === null || lead.tid !== tid.toLowerCase()) return null;
  const promoter = await loadPromoter(store, account.id, lead.promoterId);
  return {
    id: lead.id,
    email: lead.email,
    state: lead.state,
    suspicion: lead.suspicion,
    promoter: promoter.profile.firstName ?? `promoter ${promoter.id}`,
    created_at: lead.createdAt,
    sales: await demoSales(services, lead),
  };
}

/** The sales of a lead and what they earned. Only for those who came by this page: others' earnings are no demo. */
async function demoSales({ store, publicUrl }: Services, { accountId, id, tid }: Lead) {
  const visitor = tid && (await store.get(visitors, accountId, tid));
  if (!visitor || !visitor.url?.startsWith(`${publicUrl}/demo`)) return [];
  const recorded = await store.page(sales, "lead", accountId, [id], { limit: SHOWN_SALES, reverse: true });
  return Promise.all(
    recorded.map(async ({ eventId, amountCents, commissionIds }) => {
      const earned = await Promise.all(commissionIds.map((each) => store.get(commissions, accountId, each)));
      return {
        event_id: eventId,
        amount_cents: amountCents,
        earned: earned
          .filter((each) => each !== null)
          .map(({ amount, unit, status }) => ({ amount, unit, status })),
      };
    }),
  );
}
