import type { Command } from "commander";
import { z } from "zod";
import { campaignIdOf } from "./cli-campaign.ts";
import { print, tell, withStore } from "./cli-store.ts";
import { readConfig } from "./config.ts";
import { loadAccount } from "./domain/account.ts";
import { loadCampaign } from "./domain/campaign.ts";
import { findPromoterByEmail, promoters } from "./domain/promoter.ts";
import { promoterCampaigns, refLink } from "./domain/promoter-campaign.ts";
import { findSetup } from "./domain/sighting.ts";
import { Failure } from "./failure.ts";
import { email } from "./http/fields.ts";
import { invitePromoter } from "./outbox/invitation.ts";
import type { Promoter } from "./records.ts";
import type { Store } from "./storage/store.ts";

/** Adds the commands that ask promoters in, and list them. */
export function promoterCommands(program: Command): void {
  const promoter = program.command("promoter").description("who promotes");
  promoter
    .command("invite <account-id> <email...>")
    .description("make promoters, mail them their links where a mail server is set up, and print the links")
    .option(
      "--campaign <id>",
      "the campaign that they promote; the account's default one where none is named",
      campaignIdOf,
    )
    .action(invite);
  promoter
    .command("list <account-id>")
    .description("list promoters with their links, oldest first")
    .action(list);
}

async function invite(accountId: string, given: string[], options: { campaign?: number }): Promise<void> {
  const emails = [...new Set(given.map(emailOf))];
  await withStore(async (context) => {
    const { store } = context;
    const account = await loadAccount(store, accountId);
    const campaignId = options.campaign ?? null;
    if (campaignId !== null) await loadCampaign(store, account.id, campaignId);
    const publicUrl = await mailingUrl(store);
    const rows: unknown[] = [];
    for (const address of emails) {
      const known = await findPromoterByEmail(store, account.id, address);
      const made =
        known ?? (await invitePromoter(context, account, { email: address, campaignId, publicUrl })).promoter;
      rows.push({
        ...(await row(store, made)),
        is_new: known === null,
        is_mailed: known === null && publicUrl !== null,
      });
    }
    print(rows);
    if (publicUrl === null)
      tell("No mail server is set up (SMTP_URL), so nobody was mailed: hand them their links.");
  });
}

/** The address in letters; the server that sends them knows best. null: nobody sends any. */
async function mailingUrl(store: Store): Promise<string | null> {
  const config = readConfig();
  const setup = await findSetup(store);
  if (config.smtpUrl === null && setup?.hasMail !== true) return null;
  return setup?.publicUrl ?? config.publicUrl ?? `http://${config.host}:${config.port}`;
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
  { accountId, id, email: address, defaultPromoterCampaignId, createdAt, archivedAt }: Promoter,
) {
  const promoterCampaign = await store.get(promoterCampaigns, accountId, defaultPromoterCampaignId);
  const campaign = promoterCampaign && (await loadCampaign(store, accountId, promoterCampaign.campaignId));
  return {
    id,
    email: address,
    state: archivedAt === null ? (promoterCampaign?.state ?? null) : "archived",
    ref_id: promoterCampaign?.refToken ?? null,
    link: promoterCampaign && campaign && refLink(promoterCampaign, campaign),
    created_at: createdAt,
  };
}

/** @throws Failure `invalid` naming what is no e-mail address, before anybody is invited */
function emailOf(value: string): string {
  const parsed = z.safeParse(email, value);
  if (parsed.success) return parsed.data;
  throw new Failure("invalid", `${JSON.stringify(value)} is no e-mail address`);
}
