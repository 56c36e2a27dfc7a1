import type { H3Event } from "h3";
import { FastResponse } from "srvx";
import { findFirstAccount, trackerNames } from "../domain/program/account/account.ts";
import { commissions } from "../domain/ledger/commission/commission.ts";
import { findLeadByEmail } from "../domain/people/lead/search.ts";
import type { Lead } from "../domain/people/lead/lead.ts";
import { loadPromoter } from "../domain/people/promoter/promoter.ts";
import { sales } from "../domain/ledger/sale/sale.ts";
import { visitors } from "../domain/people/visitor/visitor.ts";
import { json } from "../http/answer.ts";
import { v1Error } from "../http/errors.ts";
import { readParams, type Params } from "../http/parameters/form.ts";
import { refuse } from "../request/refusal.ts";
import type { Services } from "../request/services.ts";
import { basePath } from "../url.ts";
import { escapeHtml } from "../markup.ts";

const SHOWN_SALES = 5;

/** A strict policy, which shows that the script needs nothing but its own origin. */
const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

/** `GET /demo`: the first account's demo page, with a referral banner and a sign-up form. */
export function demoPage({ store, public_url }: Services) {
  return async (): Promise<Response> => {
    const account = await findFirstAccount(store);
    return new FastResponse(
      demoHtml({
        cid: account?.public_id ?? "",
        cookie: account ? trackerNames(account).cookie : "",
        public_url,
      }),
      {
        headers: {
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": POLICY,
          "referrer-policy": "strict-origin-when-cross-origin",
        },
      },
    );
  };
}

export function demoScript(): Response {
  return new FastResponse(DEMO_SCRIPT, {
    headers: { "content-type": "text/javascript; charset=utf-8" },
  });
}

/** `GET /demo/recorded`: the lead that this visitor became, or null if it belongs to another visitor. */
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
  const promoter = await loadPromoter(store, account.id, lead.promoter_id);
  return {
    id: lead.id,
    email: lead.email,
    state: lead.state,
    suspicion: lead.fraud_check,
    promoter: promoter.profile.first_name ?? `promoter ${promoter.id}`,
    created_at: lead.created_at,
    sales: await demoSales(services, lead),
  };
}

/** The sales of a lead and their commissions, only for leads of this page, because real earnings are private. */
async function demoSales({ store, public_url }: Services, { account_id, id, tid }: Lead) {
  const visitor = tid && (await store.get(visitors, account_id, tid));
  if (!visitor || !visitor.url?.startsWith(`${public_url}/demo`)) return [];
  const recorded = await store.page(sales, "lead", account_id, [id], { limit: SHOWN_SALES, reverse: true });
  return Promise.all(
    recorded.map(async ({ event_id, amount_cents, commission_ids }) => {
      const earned = await Promise.all(
        commission_ids.map((each) => store.get(commissions, account_id, each)),
      );
      return {
        event_id,
        amount_cents,
        earned: earned
          .filter((each) => each !== null)
          .map(({ amount, unit, status }) => ({ amount, unit, status })),
      };
    }),
  );
}

/** The demo's marketing page. Its values come from the operator, but are escaped anyway. */
function demoHtml({ cid, cookie, public_url }: { cid: string; cookie: string; public_url: string }): string {
  const base = escapeHtml(basePath(public_url));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tidemark demo</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 0 auto; padding: 2rem 1rem; color: #1f2937; }
  #banner { background: #ecfdf5; border: 1px solid #10b981; border-radius: .5rem; padding: .75rem 1rem; }
  form { display: flex; gap: .5rem; margin: 1rem 0; }
  input { flex: 1; padding: .5rem; font: inherit; }
  button { padding: .5rem 1rem; font: inherit; }
  pre { background: #f3f4f6; padding: 1rem; border-radius: .5rem; white-space: pre-wrap; overflow-wrap: anywhere; }
</style>
<script async src="${base}/svc.js" data-cid="${escapeHtml(cid)}" data-cookie="${escapeHtml(cookie)}"></script>
<script defer src="${base}/demo.js"></script>
</head>
<body>
<main>
<p id="banner" role="status" hidden></p>
<h1>A product worth recommending</h1>
<p>This page represents your marketing site. It has one script tag, and a form marked
<code>data-svc-signup</code>. Open it through a promoter's link, sign up, and see what is recorded.</p>
<form id="signup" data-svc-signup>
  <input type="email" name="email" placeholder="you@example.com" required aria-label="E-mail">
  <button>Sign up</button>
</form>
<h2>What this site knows about you</h2>
<pre id="known" tabindex="0" role="region" aria-live="polite" aria-label="What this site knows about you">Nothing: you did not come through a referral link.</pre>
<h2>Try it</h2>
<p>Create a promoter, then open the <code>referral_link</code> in the answer:</p>
<pre tabindex="0" role="region" aria-label="Commands to create a promoter">curl ${escapeHtml(public_url)}/api/v1/promoters/create \\
  -H 'X-API-KEY: your key' \\
  -d email=jane@example.com \\
  -d first_name=Jane</pre>
<p>Give her campaign a reward. After you have signed up, record a payment of yours, and watch above what she earns:</p>
<pre tabindex="0" role="region" aria-label="Commands to record a sale">tidemark reward add ${escapeHtml(cid)} \\
  --percent 20
curl ${escapeHtml(public_url)}/api/v1/track/sale \\
  -H 'X-API-KEY: your key' \\
  -d email=you@example.com \\
  -d event_id=order-1 \\
  -d amount=10000</pre>
</main>
</body>
</html>
`;
}

/** The demo page's script. It shows the promoter's name, and polls until the sign-up is recorded. */
const DEMO_SCRIPT = `"use strict";
const base = document.currentScript.src.replace("/demo.js", "");
const known = document.getElementById("known");
const banner = document.getElementById("banner");
const form = document.getElementById("signup");
const cid = () => document.querySelector("script[data-cid]").dataset.cid;
const show = (value) => { known.textContent = JSON.stringify(value, null, 2); };
window.svc = window.svc || function () { (svc.q = svc.q || []).push(arguments); };

svc("details", (details) => {
  banner.hidden = false;
  banner.textContent = (details.promoter.first_name || details.ref_id) + " recommends us to you.";
  show({ visitor: svc.data.tid, ref_id: details.ref_id });
});

const UNKNOWN = "Nothing was recorded: you did not come through a referral link, or the server thinks that this " +
  "browser is a bot, such as a search engine's, whose visits it does not count.";

async function showRecorded(email) {
  for (let tries = 0; tries < 13; tries++) {
    if (tries > 0) await new Promise((resolve) => setTimeout(resolve, 250));
    const { tid } = svc.data || {};
    const answer = await fetch(base + "/demo/recorded?" + new URLSearchParams({ email, tid: tid || "" }));
    const { lead } = await answer.json();
    if (lead) return follow(email, lead);
  }
  const { tid } = svc.data || {};
  known.textContent = tid ? await reason(email, tid) : UNKNOWN;
}

// Shows the sales that come in while the page is open.
async function follow(email, lead) {
  show({ lead });
  const body = new URLSearchParams({ email, tid: svc.data.tid });
  const ask = async () => show(await (await fetch(base + "/demo/recorded?" + body)).json());
  setInterval(() => document.hidden || ask().catch(() => {}), 3000);
}

// The tracker reported the refusal only to the console. Sending the same sign-up again can't count it twice.
async function reason(email, tid) {
  const answer = await fetch(base + "/t/signup", { method: "POST", body: new URLSearchParams({ cid: cid(), tid, email }) });
  if (answer.ok) return "This address has signed up before, so nothing new was recorded.";
  const body = await answer.text();
  let text = body;
  try {
    const refusal = JSON.parse(body);
    text = refusal.error || refusal.message || body;
  } catch {
    // The refusal is plain text.
  }
  return "Nothing was recorded. The server refused the sign-up with " + answer.status + ": " + text;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  known.textContent = "Signing up ...";
  showRecorded(form.elements.email.value).catch((error) => {
    known.textContent = "The server can't be reached: " + error.message;
  });
});
`;
