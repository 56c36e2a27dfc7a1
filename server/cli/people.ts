import { Option, type Command } from "commander";
import { readConfig } from "../config.ts";
import { loadAccount } from "../domain/program/account/account.ts";
import { MOST_PAYOUT_SETTINGS } from "../domain/program/account/settings.ts";
import { loadCampaign } from "../domain/program/campaign/campaign.ts";
import { eraseLead, erasePromoter, finishErasuresOf } from "../domain/privacy/erasure.ts";
import { invitePromoters } from "../domain/ledger/promoter-invitation.ts";
import { signInUrl } from "../domain/people/portal/sign-in.ts";
import { promoterCampaigns, refLink } from "../domain/people/promoter-campaign/promoter-campaign.ts";
import { promoters, type Promoter } from "../domain/people/promoter/promoter.ts";
import { loadSelected, type Selection } from "../domain/people/promoter/search.ts";
import { updatePromoter } from "../domain/people/promoter/changes.ts";
import { requireNoPeople, seed, type SeedSize } from "../domain/seed/seed.ts";
import { Failure } from "../failure.ts";
import { findSetup } from "../domain/people/sighting.ts";
import { LANGUAGES, type Language } from "../languages/languages.ts";
import { taxRate } from "../input/fields.ts";
import { distinctMailboxes, readMailbox } from "../input/mailbox.ts";
import type { Store } from "../storage/store.ts";
import { campaignIdOf, emailOf, wholeNumber } from "./options.ts";
import { print, tell, withStore } from "./store.ts";

/** Adds the commands that invite and list promoters. */
export function promoterCommands(program: Command): void {
  const promoter = program.command("promoter").description("promoters of an account");
  promoter
    .command("invite <account-id> <email...>")
    .description(
      "create promoters and print their links; if a mail server is set up, also send the links by e-mail",
    )
    .option(
      "--campaign <id>",
      "the campaign that they promote; by default the account's default campaign",
      campaignIdOf,
    )
    .addOption(
      new Option(
        "--language <code>",
        "the language of their e-mails and portal; by default the account's, until they sign in",
      ).choices(LANGUAGES),
    )
    .action(invite);
  promoter
    .command("list <account-id>")
    .description("list promoters with their links, oldest first")
    .action(list);
  termsCommand(promoter);
}

const ERASURES = {
  promoter: { entity: "promoter", run: erasePromoter },
  lead: { entity: "referral", run: eraseLead },
} as const;

/** Adds the commands that erase personal data. */
export function eraseCommands(program: Command): void {
  const erase = program.command("erase").description("erase a person's data at their request");
  for (const kind of ["promoter", "lead"] as const) {
    erase
      .command(`${kind} <account-id> <email-or-id>`)
      .description(`erase a ${kind}'s personal data; money and counts stay`)
      .action((accountId: string, who: string) => eraseOne(accountId, kind, who.trim()));
  }
}

/**
 * An erasure that was killed has already removed the address, so the same command can't find the person by it. It finishes
 * interrupted erasures first.
 */
function eraseOne(accountId: string, kind: keyof typeof ERASURES, who: string): Promise<void> {
  const { entity, run } = ERASURES[kind];
  return withStore(async (context) => {
    const { id } = await loadAccount(context.store, accountId);
    let finishedId: number | null = null;
    for await (const finished of finishErasuresOf(() => context, id)) {
      if (finished.entity === entity) finishedId = finished.entity_id;
    }
    const erased = await run(context, id, who).catch((error: unknown) => {
      const isUnknown = error instanceof Failure && error.kind === "not_found";
      if (!isUnknown || finishedId === null) throw error;
      tell(`The interrupted erasure of ${kind} ${finishedId} was finished, and no other ${kind} is ${who}`);
      return { id: finishedId };
    });
    print({ erased: kind, id: erased.id });
  });
}

/** Adds the command that fills an account with made-up people. */
export function seedCommand(program: Command): void {
  program
    .command("seed <account-id>")
    .description("fill an account with realistic made-up data to try things out")
    .option("--promoters <count>", "how many promoters", sizeOf("--promoters"), 100)
    .option("--leads <count>", "how many leads", sizeOf("--leads"), 1_000)
    .option(
      "--sales <count>",
      "about how many sales, with their commissions and payouts",
      sizeOf("--sales"),
      1_000,
    )
    .option("--force", "also fill an account with real people, who can't be told apart later", false)
    .action((accountId: string, { force, ...size }: SeedSize & { force: boolean }) =>
      withStore(async (context) => {
        const owner = await loadAccount(context.store, accountId);
        if (!force) await requireNoPeople(context.store, owner);
        await seed(context, owner, size);
        print({ seeded: size });
      }),
    );
}

async function invite(
  accountId: string,
  given: string[],
  options: { campaign?: number; language?: Language },
): Promise<void> {
  // All addresses are checked before the first is invited.
  const people = given.map(
    (each) => readMailbox(each) ?? { email: emailOf(each), first_name: null, last_name: null },
  );
  await withStore(async (context) => {
    const { store } = context;
    const account = await loadAccount(store, accountId);
    const campaignId = options.campaign ?? null;
    if (campaignId !== null) await loadCampaign(store, account.id, campaignId);
    const { public_url, has_mail } = await addressOf(store);
    const invited = await invitePromoters(context, account, {
      people: distinctMailboxes(people),
      campaign_id: campaignId,
      message: null,
      language: options.language ?? null,
      isMailed: has_mail,
    });
    const { now } = context;
    const rows: unknown[] = [];
    for (const { promoter, isNew } of invited) {
      rows.push({
        ...(await row(store, promoter)),
        is_new: isNew,
        is_mailed: isNew && has_mail,
        sign_in_link:
          promoter.archived_at === null
            ? signInUrl({ public_url, now }, { account, promoter }, "entry")
            : null,
      });
    }
    print(rows);
    tell("Each sign_in_link opens the portal of that promoter, once, within 24 hours.");
    if (!has_mail)
      tell("No mail server is set up (SMTP_URL), so no e-mail was sent: send them their links yourself.");
  });
}

/** The server's address for links, and whether it can send e-mails, if possible from the server that ran last. */
async function addressOf(store: Store): Promise<{ public_url: string; has_mail: boolean }> {
  const config = readConfig();
  const setup = await findSetup(store);
  return {
    public_url: setup?.public_url ?? config.public_url ?? `http://${config.host}:${config.port}`,
    has_mail: config.smtpUrl !== null || setup?.has_mail === true,
  };
}

function list(accountId: string): Promise<void> {
  return withStore(async ({ store }) => {
    const { id } = await loadAccount(store, accountId);
    const rows: unknown[] = [];
    for await (const chunk of store.scan(promoters, "id", id, [])) {
      for (const promoter of chunk) rows.push(await row(store, promoter));
    }
    print(rows);
  });
}

async function row(
  store: Store,
  { account_id, id, email: address, default_promoter_campaign_id, created_at, archived_at }: Promoter,
) {
  const promoterCampaign = await store.get(promoterCampaigns, account_id, default_promoter_campaign_id);
  const campaign = promoterCampaign && (await loadCampaign(store, account_id, promoterCampaign.campaign_id));
  return {
    id,
    email: address,
    state: archived_at === null ? (promoterCampaign?.state ?? null) : "archived",
    ref_id: promoterCampaign?.ref_token ?? null,
    link: promoterCampaign && campaign && refLink(promoterCampaign, campaign),
    created_at,
  };
}

/** The word for null, which the option parser treats as a missing value. */
const OF_ACCOUNT = "account";

interface Terms {
  /** In hundredths of a percent. */
  taxRate?: number;
  netDays?: number | typeof OF_ACCOUNT;
}

/** Adds the command for a promoter's tax rate and due days. */
function termsCommand(promoter: Command): void {
  promoter
    .command("terms <account-id> <email-or-id>")
    .description("show or change the terms of a promoter's next payouts; missing options stay unchanged")
    .option("--tax-rate <percent>", "added to each payout of money, such as 7.75", percentage)
    .option(
      "--net-days <days>",
      `days from the period's end to the due date; "${OF_ACCOUNT}" for the account's`,
      days,
    )
    .action(terms);
}

function terms(accountId: string, who: string, given: Terms): Promise<void> {
  return withStore(async (context) => {
    const { id } = await loadAccount(context.store, accountId);
    const selection: Selection = { by: who.includes("@") ? "email" : "id", value: who };
    const { taxRate: taxRateHundredths, netDays } = given;
    const changes = {
      tax_rate_hundredths: taxRateHundredths,
      net_payout_days: netDays === OF_ACCOUNT ? null : netDays,
    };
    const isChange = taxRateHundredths !== undefined || netDays !== undefined;
    const promoter = isChange
      ? await context.store.transact((tx) => updatePromoter(tx, context, id, { selection, changes }))
      : (await loadSelected(context.store, id, selection)).promoter;
    print(termsRow(promoter));
  });
}

function termsRow({ id, email, tax_rate_hundredths, net_payout_days }: Promoter) {
  return { id, email, tax_rate: tax_rate_hundredths / 100, net_days: net_payout_days ?? OF_ACCOUNT };
}

function percentage(value: string): number {
  const { data, error } = taxRate.safeParse(value);
  if (error) throw new Error(`--tax-rate ${error.issues[0]?.message}`);
  return data;
}

function days(value: string): number | typeof OF_ACCOUNT {
  if (value === OF_ACCOUNT) return OF_ACCOUNT;
  return wholeNumber("--net-days", [0, MOST_PAYOUT_SETTINGS.net_payout_days])(value);
}

function sizeOf(option: string) {
  return (value: string): number => {
    if (/^\d{1,8}$/.test(value)) return Number(value);
    throw new Error(`${option} must be a whole number of at most 8 digits`);
  };
}
