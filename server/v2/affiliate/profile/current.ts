import { z } from "zod";
import { listOwnDocuments } from "../../../domain/people/contract/document.ts";
import { updateOwnProfile, setLanguage } from "../../../domain/people/portal/profile.ts";
import { loadPendingEarnings } from "../../../domain/ledger/commission/balance.ts";
import { PAYOUT_METHODS } from "../../../domain/ledger/payout-method/payout-method.ts";
import { INVOICE_DETAILS_STATUSES, type Promoter } from "../../../domain/people/promoter/promoter.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { shapeFormChanges, shapeInput } from "../../../input/shape.ts";
import {
  balancesAnswer,
  balanceAnswer,
  balanceJson,
  promoterAnswer,
  readPromoterParts,
} from "../../promoter/promoter-json.ts";
import { profileChanges, profileParams, promoterProfileAnswer } from "../../promoter/promoter-profile.ts";
import {
  ownPromoterCampaignSummary,
  showOwnPromoterCampaignSummaries,
} from "../campaign/promoter-campaigns.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";
import { site } from "../own-fields.ts";
import { field, message, recordId, second } from "../../../http/fields.ts";
import { endedSessionCookies, SESSION_COOKIES } from "../../../http/credentials.ts";
import { endSessions } from "../../../domain/access/session.ts";
import { archivePromoter } from "../../../domain/people/promoter/changes.ts";
import { customFields, oneOf } from "../../../input/fields.ts";
import { LANGUAGES } from "../../../languages/languages.ts";
import { noteVisit } from "../../../domain/people/portal/visit.ts";

/** The promoter who is signed in, as they see themselves. */
export const currentAnswer = z
  .object({
    id: recordId,
    email: field(z.string(), "The person's e-mail address.", "jane@example.com"),
    name: field(z.string(), "The record's display name.", "Jane Doe"),
    stats: field(promoterAnswer.schema.shape.stats, "Figures of the record."),
    balances: field(
      balancesAnswer
        .extend({ pending_balance: field(balanceAnswer, "What waits for the company's approval.") })
        .meta({ id: "PortalBalances" }),
      "What the promoter has earned and has not been paid yet.",
    ),
    custom_fields: customFields,
    first_event_at: field(second, "When the promoter's first event happened."),
    invoice_details_status: field(
      z.enum(INVOICE_DETAILS_STATUSES),
      "Whether the promoter's invoice details are approved.",
    ),
    joined_at: field(second, "When the promoter joined."),
    selected_payout_method: field(
      z.enum(PAYOUT_METHODS).nullable(),
      "How the promoter is paid, or null if they have not chosen yet.",
      "paypal",
    ),
    pending_contract_documents: field(
      z.array(z.string()),
      "Ids of the contract documents that wait for the promoter's signature.",
      [],
    ),
    profile: field(promoterProfileAnswer, "The promoter's own details."),
    promoter_campaigns: field(z.array(ownPromoterCampaignSummary), "The campaigns that the promoter is in."),
    is_confirmed: field(z.boolean(), "Whether the promoter has confirmed their e-mail address."),
    parent_promoter: field(
      z.object({ name: field(z.string(), "The record's display name.", "Jane Doe") }).nullable(),
      "Name of the promoter who recruited this one, or null if none did.",
    ),
  })
  .meta({ id: "CurrentPromoter" });

const ownSite = site.nullable().optional();
const ownProfile = field(
  profileParams
    .extend({
      website: field(ownSite, "Address of their web site.", "https://blog.example.com"),
      avatar: field(ownSite, "Address of their picture.", "https://blog.example.com/jane.png"),
      instagram_url: field(ownSite, "Their page on Instagram.", "https://instagram.com/jane"),
      youtube_url: field(ownSite, "Their channel on YouTube.", "https://youtube.com/@jane"),
      linkedin_url: field(ownSite, "Their page on LinkedIn.", "https://linkedin.com/in/jane"),
      facebook_url: field(ownSite, "Their page on Facebook.", "https://facebook.com/jane"),
      twitter_url: field(ownSite, "Their page on Twitter.", "https://twitter.com/jane"),
      twitch_url: field(ownSite, "Their channel on Twitch.", "https://twitch.tv/jane"),
      tiktok_url: field(ownSite, "Their page on TikTok.", "https://tiktok.com/@jane"),
    })
    .meta({ id: "OwnProfileInput" }),
  "The promoter's own details.",
);
const updateBody = z.object({ profile: ownProfile });

export const showCurrentOperation: AffiliateOperation = {
  id: "getCurrentPromoter",
  summary: "Show the promoter who is signed in",
  description: "Shows the promoter who is signed in, with their figures and what they have earned.",
  answer: currentAnswer,
  handle: (request) => currentJson(request, request.promoter),
};

export const archiveCurrentOperation: AffiliateOperation = {
  id: "archiveCurrentPromoter",
  summary: "Leave the program",
  description:
    "Archives the promoter and ends their session: links stop counting, and no one can sign in. What they have earned stays and is paid. The company can restore them.",
  answer: z.object({ message }),
  async handle({ context, account, promoter, session, cookies, public_url }) {
    await context.store.transact(async (tx) => {
      await archivePromoter(tx, context, account.id, promoter.id);
      await endSessions(tx, session.holder);
    });
    cookies.push(...endedSessionCookies(SESSION_COOKIES.promoter, public_url));
    return { message: "You have left the program" };
  },
};

export const updateCurrentOperation: AffiliateOperation = {
  id: "updateCurrentPromoter",
  summary: "Change the promoter's own profile",
  description:
    "Changes the promoter's profile. What you leave out stays. Changed invoice details wait for approval again.",
  example: { profile: { first_name: "Jane", website: "https://blog.example.com" } },
  body: updateBody,
  answer: currentAnswer,
  async handle(request) {
    const { profile } = shapeFormChanges(updateBody, await readJson(request.event));
    const after = await updateOwnProfile(request.context, request.promoter, profileChanges(profile));
    request.inquireVat(after);
    return currentJson(request, after);
  },
};

/** The parent is shown only by name. Without a name, the id is shown instead of the e-mail address, which is private. */
export async function currentJson(
  { account, context }: Pick<AffiliateRequest, "account" | "context">,
  promoter: Promoter,
): Promise<z.output<typeof currentAnswer>> {
  const { store } = context;
  const extras = { withPayoutMethod: true, withParent: true };
  const parts = (await readPromoterParts(store, account, [promoter], extras))[0]!;
  const shown = promoterAnswer.json(promoter, { ...parts, setupUrl: null });
  const joined = parts.joined.map(({ promoterCampaign }) => promoterCampaign);
  const { first_name = null, last_name = null } = parts.parent?.profile ?? {};
  return {
    id: shown.id,
    email: shown.email,
    name: shown.name,
    stats: shown.stats,
    balances: {
      ...shown.balances,
      pending_balance: balanceJson(
        await loadPendingEarnings(store, promoter.account_id, promoter.id),
        "earnings",
      ),
    },
    custom_fields: shown.custom_fields,
    first_event_at: shown.first_event_at,
    invoice_details_status: shown.invoice_details_status,
    joined_at: shown.joined_at,
    selected_payout_method: parts.payoutMethod?.method ?? null,
    pending_contract_documents: (await listOwnDocuments(store, promoter)).flatMap(({ id, document }) =>
      document === null ? [String(id)] : [],
    ),
    profile: shown.profile,
    promoter_campaigns: await showOwnPromoterCampaignSummaries(store, joined, promoter),
    is_confirmed: shown.is_confirmed,
    parent_promoter: parts.parent
      ? {
          name:
            [first_name, last_name].filter((name) => name !== null).join(" ") ||
            `Promoter ${parts.parent.id}`,
        }
      : null,
  };
}

const body = z.object({
  language: field(oneOf(LANGUAGES), "ISO 639 code of the language.", "de"),
});

export const setLanguageOperation: AffiliateOperation = {
  id: "setPortalLanguage",
  summary: "Choose the language of the portal and of e-mails",
  description: "Chooses the language of the promoter's portal and e-mails. An extension of Tidemark.",
  example: { language: "de" },
  body,
  answer: z
    .object({ language: field(z.enum(LANGUAGES), "ISO 639 code of the language.", "de") })
    .meta({ id: "PortalLanguage" }),
  refusals: ["invalid"],
  async handle({ event, context, promoter }) {
    const { language } = shapeInput(body, await readJson(event));
    await setLanguage(context, promoter, language);
    return { language };
  },
};

export const noteVisitOperation: AffiliateOperation = {
  id: "notePortalVisit",
  summary: "Show what is new since the promoter's last visit",
  description:
    "Notes that the promoter looks at the portal, and shows what was added since the visit before. Calls within four hours belong to one visit. An extension of Tidemark.",
  answer: z
    .object({
      since: field(
        z.iso.datetime().nullable(),
        "When the visit before began, or null if this is the first one.",
        "2026-03-01T09:30:00.000Z",
      ),
      clicks_count: field(z.int(), "Clicks since then.", 34),
      referrals_count: field(z.int(), "Leads since then.", 4),
      commissions_count: field(z.int(), "Commissions since then.", 2),
      earnings_amount: field(z.int(), "What was earned since then, in cents.", 5000),
      paid_amount: field(z.int(), "What was paid since then, in cents.", 0),
    })
    .meta({ id: "PortalVisit" }),
  async handle({ context, promoter }) {
    const news = await noteVisit(context, promoter);
    return {
      since: news?.since ?? null,
      clicks_count: news?.added.clicks ?? 0,
      referrals_count: news?.added.referrals ?? 0,
      commissions_count: news?.added.commissions ?? 0,
      earnings_amount: news?.added.earnings_cents ?? 0,
      paid_amount: news?.added.paid_cents ?? 0,
    };
  },
};
