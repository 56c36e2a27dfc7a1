import { Api, type Error as Refusal, type V1Promoter } from "./generated/swagger-typescript-api.ts";

/** The server's address and the caller's key. */
interface Caller {
  baseUrl: string;
  fetch: (request: Request) => Promise<Response>;
  key: string;
  account_id: string;
}

/** Adds a promoter, records a sign-up of theirs and reads the lists with both, through V1. */
export async function tryV1(caller: Caller) {
  const { v1 } = newApi(caller, { "X-API-KEY": caller.key });
  const promoter: V1Promoter = (await v1.v1CreatePromoter({ email: "jane@example.com", ref_id: "jane" }))
    .data;
  const signup = await v1.v1TrackSignup({ email: "sam@example.net", uid: "cus_99", ref_id: "jane" });
  const leads = await v1.v1ListLeads({ promoter_id: promoter.id, per_page: 5 });
  const emails: (string | null)[] = leads.data.map(({ email }) => email);
  return { promoter: promoter.default_ref_id, lead: signup.data.lead.uid, emails };
}

/** Does the same through V2, and gets a refusal. */
export async function tryV2(caller: Caller) {
  const headers = { Authorization: `Bearer ${caller.key}`, "Account-ID": caller.account_id };
  const { v2 } = newApi(caller, headers);
  const { data: promoter } = await v2.createPromoter({
    email: "jane@example.com",
    profile: { first_name: "Jane", last_name: "Doe" },
  });
  const refToken = promoter.promoter_campaigns[0]?.ref_token ?? "";
  const signup = await v2.trackSignup({ email: "sam@example.net", uid: "cus_99", ref_id: refToken });
  const promoters = await v2.listPromoters({
    ids: [promoter.id, promoter.id + 1_000],
    "filters[campaign_id]": [1],
    "filters[state]": "accepted",
  });
  const refused = await v2
    .updatePromoter("0", { cust_id: "user-1" })
    .catch((answer: { error: Refusal }) => answer);
  return {
    promoter: promoter.name,
    lead: signup.data.referral.uid,
    emails: promoters.data.data.map(({ email }) => email),
    refusal: "error" in refused ? refused.error?.code : undefined,
  };
}

/** Never called: code that the types must refuse. */
export async function refusedByTypes(caller: Caller) {
  const { v2 } = newApi(caller, {});
  // @ts-expect-error the e-mail address is required
  await v2.createPromoter({ cust_id: "user-1" });
  // @ts-expect-error there is no such state
  await v2.listPromoters({ "filters[state]": "sleeping" });
  const { data } = await v2.listPayouts();
  // @ts-expect-error a payout may not have been paid
  const paidAt: string | undefined = data[0]?.paid_at;
  return paidAt;
}

function newApi({ baseUrl, fetch }: Caller, headers: Record<string, string>) {
  return new Api({
    baseUrl,
    customFetch: (input, init) => fetch(new Request(input, init)),
    baseApiParams: { headers },
  });
}
