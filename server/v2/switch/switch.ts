import { z } from "zod";
import {
  mailNewLinks,
  findSeenSteps,
  findSwitch,
  SWITCH_STEPS,
  tickSteps,
} from "../../domain/switch/switch.ts";
import { field } from "../../http/fields.ts";
import { readQuery } from "../../http/parameters/form.ts";
import { readJson } from "../../http/parameters/json.ts";
import { flag, listOf, oneOf, webAddress } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import { linksCsv } from "../../transfer/open/links-csv.ts";
import { logExport } from "../export/exports.ts";
import { findScript } from "../home/setup.ts";
import type { V2Operation, V2Request, V2Row } from "../operation.ts";

const step = z
  .object({
    name: field(
      z.enum(SWITCH_STEPS),
      "`records`: promoters are here. `payout_methods`: a promoter has one. `mail`: the server can send e-mails. `webhook`: there is one. `billing`: an event of Stripe or Paddle has come. `server_call`: your server has tracked something by key. `script`: a page of yours loads the script. `old_link`: a link of another program has led to a promoter. `renewal`: a customer from the other program has paid, and a reward has given the promoter a commission. `old_script`: the other program's script is gone from your site, which only you can see.",
    ),
    is_seen: field(z.boolean(), "Whether the server sees that it is done.", true),
    is_ticked: field(z.boolean(), "Whether it was ticked by hand.", false),
  })
  .meta({ id: "SwitchStep" });
const switchAnswer = z
  .object({
    steps: field(z.array(step), "The steps of switching from another program, in order."),
    links_mailed_at: field(
      z.iso.datetime().nullable(),
      "When promoters were last sent their new links, or null if they never were.",
      null,
    ),
    links_mailed_count: field(z.int(), "How many promoters were sent their new links.", 0),
  })
  .meta({ id: "Switch" });

const tickBody = z.object({
  ticked: field(listOf(oneOf(SWITCH_STEPS)), "All steps that are ticked by hand.", ["old_script"]),
});

const showOperation: V2Operation = {
  id: "showSwitch",
  summary: "Show how far the switch from another program is",
  description:
    "Shows the steps of switching from another program. The server detects most of them; each can also be ticked by hand. An extension of Tidemark.",
  answer: switchAnswer,
  handle: show,
};

const tickOperation: V2Operation = {
  id: "tickSwitchSteps",
  summary: "Tick steps of the switch by hand",
  description:
    "Sets which steps are ticked by hand. Steps that are not named are unticked. An extension of Tidemark.",
  body: tickBody,
  answer: switchAnswer,
  refusals: ["invalid"],
  async handle(request) {
    const { event, account, context } = request;
    const { ticked } = shapeInput(tickBody, { ticked: [], ...(await readJson(event)) });
    await context.store.transact((tx) => tickSteps(tx, account.id, ticked));
    return show(request);
  },
};

const mailBody = z.object({
  dry_run: field(flag.optional(), "`true` sends nothing and only counts the promoters.", true),
});

const mailOperation: V2Operation = {
  id: "mailNewLinks",
  summary: "Send promoters their new links",
  description:
    "Sends each accepted promoter an e-mail with their new link, once: a second call reaches only newer promoters. Unsubscribed promoters are skipped. An extension of Tidemark.",
  body: mailBody,
  answer: z
    .object({
      dry_run: field(z.boolean(), "Whether nothing was sent.", true),
      mailed_count: field(z.int(), "How many promoters got the e-mail, or would get it.", 12),
      mailed_before_count: field(z.int(), "How many got it before.", 0),
      unsubscribed_count: field(z.int(), "How many want no e-mails.", 1),
      without_link_count: field(
        z.int(),
        "How many are archived, have not confirmed their address, or are accepted in no campaign.",
        2,
      ),
    })
    .meta({ id: "MailedLinks" }),
  refusals: ["invalid"],
  async handle({ event, account, context, public_url }) {
    const isDryRun = shapeInput(mailBody, await readJson(event)).dry_run ?? false;
    const counts = await mailNewLinks(context, account, { public_url, is_dry_run: isDryRun });
    return {
      dry_run: isDryRun,
      mailed_count: counts.mailed,
      mailed_before_count: counts.mailedBefore,
      unsubscribed_count: counts.unsubscribed,
      without_link_count: counts.withoutLink,
    };
  },
};

const linkParams = z.object({
  old_start: field(
    webAddress.optional(),
    "What old links begin with, if they go through the other program's domain. The ref id follows.",
    "https://acme.partnerlinks.io/",
  ),
});

const linksOperation: V2Operation = {
  id: "exportLinks",
  summary: "Download the links of all promoters as a CSV file",
  description:
    "Every ref id with its promoter, the old link if you say how old links begin, and the link that replaces it: a list of redirects. The audit log records who downloaded it. An extension of Tidemark.",
  params: linkParams,
  answer: z.string(),
  media: "text/csv",
  refusals: ["invalid"],
  async handle(request) {
    const { event, account, context, headers } = request;
    const { old_start } = shapeInput(linkParams, readQuery(event));
    await logExport(request, "promoter_campaign");
    headers["content-disposition"] =
      `attachment; filename="links-${context.now.toISOString().slice(0, 10)}.csv"`;
    return linksCsv(context.store, account, old_start ?? null);
  },
};

/** The operations for switching from another program. The paths are below `/api/v2/company`. */
export const SWITCH_OPERATIONS: V2Row[] = [
  ["GET", "/switch", showOperation],
  ["PUT", "/switch", tickOperation],
  ["POST", "/switch/mail_links", mailOperation],
  ["GET", "/exports/links", linksOperation, "manager"],
];

async function show({ account, context: { store } }: V2Request): Promise<z.output<typeof switchAnswer>> {
  const [known, seen, script] = await Promise.all([
    findSwitch(store, account.id),
    findSeenSteps(store, account),
    findScript(store, account),
  ]);
  const isSeen: Record<string, boolean> = { ...seen, script: script !== null };
  return {
    steps: SWITCH_STEPS.map((name) => ({
      name,
      is_seen: isSeen[name] ?? false,
      is_ticked: known.ticked.includes(name),
    })),
    links_mailed_at: known.links_mailed_at,
    links_mailed_count: known.links_mailed_count,
  };
}
