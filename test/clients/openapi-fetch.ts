import createClient from "openapi-fetch";
import type { paths } from "./generated/openapi-typescript.ts";

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

/** The server's address and the caller's key. */
interface Caller {
  baseUrl: string;
  fetch: (request: Request) => Promise<Response>;
  key: string;
  account_id: string;
}

/** Adds a promoter, records a sign-up of theirs and reads the lists with both, through V1. */
export async function tryV1({ baseUrl, fetch, key }: Caller) {
  const client = createClient<paths>({ baseUrl, fetch, headers: { "X-API-KEY": key } });
  const promoter = await client.POST("/api/v1/promoters/create", {
    body: { email: "jane@example.com", first_name: "Jane", ref_id: "jane", skip_email_notification: true },
    headers: FORM,
  });
  const signup = await client.POST("/api/v1/track/signup", {
    body: { email: "sam@example.net", uid: "cus_99", ref_id: "jane" },
    headers: FORM,
  });
  const leads = await client.GET("/api/v1/leads/list", {
    params: { query: { promoter_id: promoter.data?.id ?? 0, per_page: 5 } },
  });
  const emails: (string | null)[] | undefined = leads.data?.map(({ email }) => email);
  return { promoter: promoter.data?.default_ref_id, lead: signup.data?.lead.uid, emails };
}

/** Does the same through V2, and gets a refusal. */
export async function tryV2({ baseUrl, fetch, key, account_id }: Caller) {
  const headers = { Authorization: `Bearer ${key}`, "Account-ID": account_id };
  const client = createClient<paths>({ baseUrl, fetch, headers });
  const promoter = await client.POST("/api/v2/company/promoters", {
    body: { email: "jane@example.com", profile: { first_name: "Jane", last_name: "Doe" } },
  });
  const id = promoter.data?.id ?? 0;
  const refToken = promoter.data?.promoter_campaigns[0]?.ref_token ?? "";
  const signup = await client.POST("/api/v2/track/signup", {
    body: { email: "sam@example.net", uid: "cus_99", ref_id: refToken },
  });
  const promoters = await client.GET("/api/v2/company/promoters", {
    params: { query: { ids: [id, id + 1_000], "filters[campaign_id]": [1], "filters[state]": "accepted" } },
  });
  const refused = await client.PUT("/api/v2/company/promoters/{id}", {
    params: { path: { id: "0" } },
    body: { cust_id: "user-1" },
  });
  return {
    promoter: promoter.data?.name,
    lead: signup.data?.referral.uid,
    emails: promoters.data?.data.map(({ email }) => email),
    refusal: refused.error?.code,
  };
}

/** Never called: code that the types must refuse. */
export async function refusedByTypes({ baseUrl }: Caller) {
  const client = createClient<paths>({ baseUrl });
  // @ts-expect-error there is no such path
  await client.GET("/api/v2/company/promoter");
  // @ts-expect-error the e-mail address is required
  await client.POST("/api/v2/company/promoters", { body: { cust_id: "user-1" } });
  // @ts-expect-error there is no such state
  await client.GET("/api/v2/company/promoters", { params: { query: { "filters[state]": "sleeping" } } });
  const { data } = await client.GET("/api/v2/company/payouts");
  // @ts-expect-error an amount is a number
  const amount: string | undefined = data?.[0]?.amount;
  // @ts-expect-error a payout may not have been paid
  const paidAt: string | undefined = data?.[0]?.paid_at;
  return { amount, paidAt };
}
