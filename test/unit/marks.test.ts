import { describe, expect, it } from "vitest";
import { TABLES } from "../../server/tables.ts";
import type { Field, Marks } from "../../server/storage/table.ts";
import { marked, withoutPersonal } from "../../server/storage/marks.ts";

/** Names of texts that may tell who a person is, or that people write. Documents may hold anything. */
const PERSONAL =
  /name|mail|phone|note|comment|descr|website|url|referrer|(^|_)(ip|agent|uid|tid|code|coupon|text|csv)$|cust_id|sub_id|subscription_id|address|device|signature|error|reason|fault|refusal|profile|holder|label/;
/** Names of credentials, of what is made from them, and of bank details. */
const SECRET = /hash|digest|seal|secret|token|password|(^|_)key$|apiKey|headers|factor|bank|tax_number/;

/** Columns that look personal, and why an erasure leaves them. */
const NOT_PERSONAL = {
  "the company's own words, pages and settings": `
    account.name account.brand account.mail_sender account.portal_origins account.tracker account.invoicing
    account.commission_base account.former_time_zones account.bank_account api-key.name
    asset.name asset.file asset.url asset.landing_page_url asset-category.name
    billing-connection.api_url reward.coupon campaign.name campaign.landing_url campaign.ref_params campaign.allowed_origins
    campaign.links campaign.upgrade campaign.rewards_for_promoters campaign.rewards_for_referrals campaign.signup
    campaign.emails company-email.name company-email.translations company-email.settings
    contract.name contract-version.checkbox_label custom-status.name custom-status.description
    day-rates.rates invoice-text.text payment-connection.api_url payment-connection.fee_rule
    payment-order.file product.name product.prices reward.name reward.schemas commission.reward_name
    server-setup.public_url switch.ticked webhook.url webhook.description webhook.headers
    webhook.secrets webhook.event_types listening.event_types sighting.seen lease.name lease.holder`,
  "a user's, which are removed with the user": `
    user.email user.name user.second_factor saved-view.name saved-view.filters
    commission.created_by_user lead.created_by_user payments-batch.made_by payments-batch.approved_by`,
  "ids, amounts, dates and rules": `
    account.address_key waiting-cancellation.subscription_id billing-object.parts billing-object.former_names commission.terms
    commission.target_rules commission.set_off csv-import.plan fact.balance instalment.earnings lead.splits
    lead.once_given lead.reward_starts lead.customer_history payment.steps payment.decided_about
    payments-batch.part_starts payout.set_offs promoter.unwanted_emails promoter-campaign.targets_reached
    promoter-campaign.accepted_terms promoter-campaign.rewards_for_promoters promoter-campaign.rewards_for_referrals
    sale-payment.parts sale-payment.base sale-payment.earnings sale-payment.takings
    visitor.handover waiting-event.rate payment-connection.profile_id session.holder`,
  "sentences of ours, about ids, lines and fields": `
    batch-process.label batch-process.errors batch-process.meta migration.error migration.progress
    payments-batch.error received-event.reason waiting-event.fault`,
  "kept by law, as it was sent": "invoice.details",
  "gone within minutes, when the file is imported": "csv-part.text",
  "needed until Stripe has closed the account": "stripe-account.closing_refusal",
};

/** Columns that look secret, and why they are none. */
const NOT_SECRET = {
  "digests of ids that find a record again": `
    billing-object.hash received-event.record_hash imported-commission.source_hash forgotten-token.token_hash
    mailbox.mailbox_hash promoter-address.address_hash visitor.address_hash source-id.source_digest source-id.own_digest`,
  "digests of the names of sites, pages and channels": `
    visitor.source_key visitor.page_key visitor.sub_key past-clicks.source_key past-clicks.page_key past-clicks.sub_key
    lead.source_key lead.page_key lead.sub_key sale.source_key sale.page_key sale.sub_key
    refund.source_key refund.page_key refund.sub_key
    commission.source_key commission.page_key commission.sub_key`,
  "part of public links": `
    promoter-campaign.ref_token promoter-campaign.more_ref_tokens ref-token.token own-link.ref_token`,
};

/** The columns of all tables, by name. */
const columns = new Map<string, Field<unknown>>(
  TABLES.flatMap((table) =>
    Object.entries(table.fields).map(([name, field]) => [`${table.name}.${name}`, field]),
  ),
);
const listed = (reasons: Record<string, string>) =>
  Object.values(reasons).flatMap((names) => names.trim().split(/\s+/));

describe.each<
  [
    string,
    {
      looks: (name: string, field: Field<unknown>) => boolean;
      is: (marks: Marks) => unknown;
      reasons: object;
    },
  ]
>([
  [
    "personal",
    {
      looks: (name, { type }) =>
        (type === "text" && PERSONAL.test(name)) || (type === "json" && !name.endsWith("_ids")),
      is: ({ isPersonal }) => isPersonal,
      reasons: NOT_PERSONAL,
    },
  ],
  [
    "secret",
    {
      looks: (name, { type }) => ["text", "json"].includes(type) && SECRET.test(name),
      is: ({ isSecret, isSealed }) => isSecret ?? isSealed,
      reasons: NOT_SECRET,
    },
  ],
])("a column that looks %s", (_, { looks, is, reasons }) => {
  it("has a mark, or a reason for having none", () => {
    const bare = [...columns].filter(([name, field]) => looks(name.split(".")[1]!, field) && !is(field));
    expect(bare.map(([name]) => name).toSorted()).toEqual(
      listed(reasons as Record<string, string>).toSorted(),
    );
  });
});

it("an erasure leaves of each personal field what it may hold", () => {
  for (const table of TABLES) {
    for (const name of marked(table, "isPersonal")) {
      const { type, isNullable, isOptional, blank } = table.fields[name]!;
      if (isNullable || isOptional || blank !== undefined) continue;
      expect([table.name, name, type]).toEqual([table.name, name, "text"]);
      expect(withoutPersonal(table, { [name]: "Jane" })).toEqual({ [name]: "" });
    }
  }
});

it("a table with sealed fields says how they are sealed", () => {
  const sealing = TABLES.filter((table) => marked(table, "isSealed").length > 0);
  expect(sealing).toEqual(TABLES.filter(({ sealed }) => sealed !== undefined));
});
