import type { Command } from "commander";
import { campaignIdOf } from "./campaign-id.ts";
import { emailOf } from "./email.ts";
import { print, tell, withStore } from "./store.ts";
import { termsCommand } from "./promoter-terms.ts";
import { readConfig } from "../config.ts";
import { loadAccount } from "../domain/account/account.ts";
import { loadCampaign } from "../domain/campaign/campaign.ts";
import { findPromoterByEmail, promoters } from "../domain/promoter/promoter.ts";
import { promoterCampaigns, refLink } from "../domain/promoter-campaign/promoter-campaign.ts";
import { findSetup } from "../domain/sighting/sighting.ts";
import { invitePromoter } from "../outbox/email.ts";
import type { Promoter } from "../domain/promoter/record.ts";
import type { Store } from "../storage/store.ts";

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
      "the campaign that they promote; left out: the account's default campaign",
      campaignIdOf,
    )
    .action(invite);
  promoter
    .command("list <account-id>")
    .description("list promoters with their links, oldest first")
    .action(list);
  termsCommand(promoter);
}

async function invite(accountId: string, given: string[], options: { campaign?: number }): Promise<void> {
  // Every address is checked before anybody is invited.
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
      tell("No mail server is set up (SMTP_URL), so no e-mail was sent: send them their links yourself.");
  });
}

/**
 * The server's address for links in e-mails. The server that ran last knows it best. null: no mail server is set up.
 */
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
