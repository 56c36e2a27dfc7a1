import { PROCESS } from "../../server/domain/access/audit/audit.ts";
import { auditedStore } from "../../server/domain/access/audit/audited-store.ts";
import { sqlName } from "../../server/storage/sql.ts";
import { marked } from "../../server/storage/marks.ts";
import { openRow } from "../../server/storage/sealed.ts";
import type { Field } from "../../server/storage/table.ts";
import { tableNamed, TABLES, type AnyRecord, type AnyTable } from "../../server/tables.ts";
import { NOW, type TestApp } from "./app.ts";
import { TEST_SEAL } from "./memory-engine.ts";

/** Words that appear only in what is personal of the promoter, and of the lead. */
export const PROMOTER = "zqxjkvzq";
export const LEAD = "wvjqxkzy";
/** Times can't contain a word. */
const TIMES: Record<string, string> = {
  [PROMOTER]: "1903-01-02T03:04:05.678Z",
  [LEAD]: "1904-01-02T03:04:05.678Z",
};

type Row = Record<string, unknown>;

const TID = "7f1b2c3d-1111-4222-8333-444455556666";
const BOTH = `${PROMOTER} and ${LEAD}`;
const OF_PROMOTER = { promoter_id: 1, promoter_campaign_id: 1, campaign_id: 1, lead_id: null };
const OF_SERVER = { account_id: 0, owner_id: 1 };

/**
 * Records about the promoter 1 and the lead 1, by tables, with the fields that lead to the person, or whose form matters. All others
 * are made up, and each personal one says the person's word.
 */
const WORLD: [table: string, word: string, row: Row][] = [
  ["promoter-address", LEAD, { promoter_id: 1, address_hash: `${LEAD}-address`, is_own: false }],
  ["visitor", LEAD, { ...OF_PROMOTER, tid: `${LEAD}-former`, sub_id: PROMOTER }],
  [
    "visitor",
    LEAD,
    {
      ...OF_PROMOTER,
      tid: `${LEAD}-tid`,
      url: BOTH,
      referrer: BOTH,
      sub_id: BOTH,
      address_hash: `${LEAD}-address`,
      former_tids: [`${LEAD}-former`],
    },
  ],
  [
    "waiting-event",
    LEAD,
    {
      kind: "sale",
      lead_id: 1,
      rate: { from: "EUR", to: "USD", day: "2026-03-04" },
      facts: { amount: 1, subscription_id: LEAD, notes: { internal_note: BOTH, external_note: BOTH } },
    },
  ],
  [
    "commission",
    PROMOTER,
    {
      ...OF_PROMOTER,
      lead_id: 1,
      status: "approved",
      type: "sale",
      unit: "cash",
      amount: 1_000,
      internal_note: BOTH,
      external_note: BOTH,
      taken_back_by_ids: [],
    },
  ],
  [
    "payout",
    PROMOTER,
    { ...OF_PROMOTER, status: "failed", unit: "cash", amount: 1_000, payout_method_id: 1 },
  ],
  [
    "payment",
    PROMOTER,
    { promoter_id: 1, payout_ids: [1], steps: [], review: { since: NOW, reason: PROMOTER } },
  ],
  ["payout-method", PROMOTER, { promoter_id: 1, method: "bank", is_selected: true }],
  ["promo-code", PROMOTER, { promoter_campaign_id: 1 }],
  ["own-link", PROMOTER, { promoter_id: 1, promoter_campaign_id: 1 }],
  ["tax-details", PROMOTER, { promoter_id: 1 }],
  ["stripe-account", PROMOTER, { promoter_id: 1, payout_method_id: null }],
  [
    "contract-document",
    PROMOTER,
    { promoter_id: 1, earlier: [{ signed_ip: PROMOTER, signed_name: PROMOTER, signed_email: PROMOTER }] },
  ],
  ["planned-email", PROMOTER, { promoter_id: 1 }],
  ["session", PROMOTER, { account_id: 0, holder: { kind: "promoter", account_id: 1, id: 1 } }],
  ["mailbox", PROMOTER, { first_promoter_id: 1 }],
  ["source-id", PROMOTER, { program: "rewardful", kind: "promoter", source_id: "p", record_id: 1 }],
  ["source-id", PROMOTER, { program: "rewardful", kind: "payout_method", source_id: "p", record_id: 1 }],
  ["source-id", LEAD, { program: "rewardful", kind: "customer", source_id: "c", record_id: 1 }],
  ["migration", PROMOTER, { result: { remarks: [BOTH], differences: [{ email: BOTH }] } }],
  ["migration-report", PROMOTER, { migration_id: 1, csv: BOTH }],
  ["audit", PROMOTER, { id: 901, actor: { kind: "promoter", id: 1, name: PROMOTER }, promoter_id: 1 }],
  ...(["commission", "payout", "payment", "referral"] as const).map((entity, at): [string, string, Row] => [
    "audit",
    PROMOTER,
    {
      id: 902 + at,
      actor: { kind: "process", id: null, name: null },
      entity,
      promoter_id: 1,
      lead_id: 1,
      before: namedFields(entity),
      after: namedFields(entity),
    },
  ]),
  ["delivery", PROMOTER, delivered(1, "promoter", { id: 1, email: PROMOTER })],
  ["delivery", LEAD, delivered(2, "referral", { id: 1, email: LEAD, visitor_sub_id: PROMOTER })],
  [
    "delivery",
    PROMOTER,
    { ...delivered(3, "payout", {}), message: null, email: { promoter_id: 1, to: PROMOTER } },
  ],
  [
    "fact",
    PROMOTER,
    {
      ...OF_SERVER,
      entity: "promoter",
      entity_id: 1,
      number: 901,
      after: { id: 1 },
      temp_password: PROMOTER,
    },
  ],
  [
    "fact",
    PROMOTER,
    {
      ...OF_SERVER,
      entity: "commission",
      entity_id: 1,
      number: 901,
      before: { id: 1, promoter_id: 1, lead_id: 1, internal_note: BOTH },
      after: { id: 1, promoter_id: 1, lead_id: 1, external_note: BOTH },
      temp_password: null,
    },
  ],
];

/** The personal fields of records that stay because they are about money, or about the lead. */
function namedFields(entity: "commission" | "payout" | "payment" | "referral"): Row {
  if (entity === "referral") return { email: LEAD, sub_id: BOTH };
  return Object.fromEntries(marked(tableNamed(entity)!, "isPersonal").map((name) => [name, BOTH]));
}

function delivered(id: number, entity: string, data: Row): Row {
  const promoter = { id: 1, name: PROMOTER };
  const message = { entity, entity_id: 1, data: { ...data, promoter }, changes: {} };
  return {
    ...OF_SERVER,
    id: 900 + id,
    webhook_id: 1,
    email: null,
    message,
    finished_at: NOW,
    status: "delivered",
  };
}

/** Fills a store with everything that may be kept of a promoter and their lead. Both have the id 1. */
export async function fillPersonal(app: TestApp): Promise<void> {
  await app.v1("/promoters/create", { email: `${PROMOTER}.first@example.com`, ref_id: `${PROMOTER}-old` });
  await app.v1("/promoters/update", {
    id: "1",
    email: `${PROMOTER}@example.com`,
    new_ref_id: `${PROMOTER}-jane`,
  });
  const page = `https://www.acme.example/${PROMOTER}?via=${PROMOTER}-jane&sub_id=${PROMOTER}`;
  await app.browser("/t/click", {
    tid: TID,
    ref_id: `${PROMOTER}-jane`,
    url: page,
    referrer: `https://${PROMOTER}.example/`,
  });
  await app.v1("/track/signup", { email: `${LEAD}@example.com`, uid: LEAD, tid: TID });
  const { store } = app.context;
  const change = async (name: string, word: string, changes: Row) => {
    const table = tableNamed(name)!;
    const before = (await store.get(table, app.account_id, 1))!;
    await store.transact((tx) => tx.put(table, { ...planted(table, word, before), ...changes }));
  };
  await change("promoter", PROMOTER, {});
  await change("promoter-campaign", PROMOTER, { more_ref_tokens: [PROMOTER] });
  await change("lead", LEAD, { tid: `${LEAD}-tid`, sub_id: BOTH });
  await store.transact(async (tx) => {
    for (const [name, word, row] of WORLD) {
      const table = tableNamed(name)!;
      await tx.put(
        table,
        planted(table, word, { account_id: app.account_id, ...madeUp(table, row) } as AnyRecord),
      );
    }
  });
}

/** A record with a value in each field that needs one. */
function madeUp(table: AnyTable, row: Row): Row {
  const values = { text: "x", integer: 1, flag: false, time: NOW, json: {} };
  const fields = Object.entries(table.fields).filter(([, { isOptional }]) => !isOptional);
  const made = fields.map(([name, { type, isNullable }]) => [name, isNullable ? null : values[type]]);
  return { ...(Object.fromEntries(made) as Row), ...row };
}

/** The record, whose personal fields say the word. */
function planted(table: AnyTable, word: string, record: AnyRecord): AnyRecord {
  const row = { ...record } as unknown as Row;
  const given = new Set(
    WORLD.filter(([name]) => name === table.name).flatMap(([, , each]) => Object.keys(each)),
  );
  for (const name of marked(table, "isPersonal")) {
    const isPlanted = JSON.stringify(row[name] ?? null).includes(word);
    if (!isPlanted && !given.has(name)) row[name] = plantOf(table.fields[name]!, word);
  }
  return row as unknown as AnyRecord;
}

function plantOf({ type, blank }: Field<unknown>, word: string): unknown {
  if (type === "time") return TIMES[word];
  if (type === "text") return `${word}-text`;
  return Array.isArray(blank) ? [word] : { planted: word };
}

/** The text that only this secret or sealed column of a world with secrets has. */
export function secretIn(column: string): string {
  return `s3cr3t-${column}-`;
}

/** Records with a secret in each column that is marked so: documents, and what leads to the record. The rest is made up. */
const SECRETS: [table: string, row: Row][] = [
  [
    "user",
    { ...OF_SERVER, id: 901, second_factor: { secret: secretIn("user.second_factor"), recovery_hashes: [] } },
  ],
  ["user-link", OF_SERVER],
  ["session", { account_id: 0, holder: { kind: "user", account_id: 1, id: 1 } }],
  ["api-key", OF_SERVER],
  ["migration", { program: "rewardful", status: "running" }],
  [
    "webhook",
    {
      url: "https://hooks.example.com/",
      format: "v2",
      event_types: ["promoter.created"],
      campaign_ids: [],
      is_active: true,
      headers: { "X-Token": secretIn("webhook.headers") },
      secrets: [{ text: secretIn("webhook.secrets"), expires_at: null }],
    },
  ],
  [
    "delivery",
    {
      ...delivery(1, "payout_method", {
        managed_payouts: false,
        details: { iban: secretIn("delivery.message") },
      }),
      response_body: secretIn("delivery.response_body"),
    },
  ],
  // V1's events have what lets a promoter in, and some receivers answer with what they got.
  [
    "delivery",
    {
      ...delivery(2, "referral", {
        promoter: {
          auth_token: secretIn("promoter.auth_token"),
          temp_password: secretIn("fact.temp_password"),
        },
      }),
      response_body: secretIn("promoter.auth_token"),
    },
  ],
  ["tax-details", { promoter_id: 1, form: "W-9", tax_class: "individual" }],
  ["payment-connection", { provider: "paypal", fee_rule: null }],
  ["billing-connection", { provider: "stripe", mode: "live" }],
  [
    "payout-method",
    {
      promoter_id: 1,
      method: "custom",
      is_selected: true,
      details: { at: secretIn("payout-method.details") },
    },
  ],
  [
    "payment-order",
    {
      payer: "file",
      next_ask_at: null,
      file: { format: "sepa", payer: { iban: secretIn("payment-order.file") } },
    },
  ],
  ["payments-batch", { method: "custom", status: "pending", error: null }],
  [
    "fact",
    {
      ...OF_SERVER,
      entity: "payout_method",
      entity_id: 1,
      number: 901,
      before: methodWith(secretIn("fact.before")),
      after: methodWith(secretIn("fact.after")),
    },
  ],
];

function methodWith(at: string): Row {
  return madeUp(tableNamed("payout-method")!, {
    account_id: 1,
    promoter_id: 1,
    method: "custom",
    is_selected: true,
    details: { at },
  });
}

function delivery(id: number, entity: string, data: Row): Row {
  const event = { format: "v2", event_id: TID, type: `${entity}.created`, action: "created", at: NOW };
  const message = { ...event, entity, entity_id: 1, changes: {}, data };
  return {
    ...OF_SERVER,
    id: 900 + id,
    webhook_id: 1,
    message,
    email: null,
    finished_at: NOW,
    status: "delivered",
  };
}

/** Fills a store with a secret in each column that is marked so. Each change is logged. The promoter has the id 1. */
export async function fillSecret(app: TestApp): Promise<void> {
  await app.v1("/promoters/create", { email: "jane@example.com", ref_id: "jane" });
  await app.v1("/track/signup", { email: "sam@example.net", ref_id: "jane" });
  await app.v1("/rewards/create", { lead_id: "1", reward_type: "cash", amount: "100" });
  const { store } = app.context;
  const audited = auditedStore(store, { actor: PROCESS, clock: app.services.clock });
  const before = async (name: string, account_id: number) =>
    (await store.get(tableNamed(name)!, account_id, 1))!;
  const bank_account = { name: null, iban: secretIn("account.bank_account"), bic: null };
  const rows: [string, object][] = [
    ["account", { ...(await before("account", 0)), bank_account }],
    ["promoter", await before("promoter", app.account_id)],
    ...SECRETS.map(([name, row]): [string, object] => [
      name,
      { account_id: app.account_id, ...madeUp(tableNamed(name)!, row) },
    ]),
  ];
  await audited.transact(async (tx) => {
    for (const [name, row] of rows) await tx.put(tableNamed(name)!, withSecrets(tableNamed(name)!, row));
  });
}

/** The record with a secret in each field that is marked so. Documents and answers of receivers have theirs. */
function withSecrets(table: AnyTable, row: object): AnyRecord {
  const names = [...marked(table, "isSecret"), ...marked(table, "isSealed")];
  const texts = names.filter((name) => table.fields[name]!.type === "text" && name !== "response_body");
  const secrets = texts.map((name) => [name, secretIn(`${table.name}.${name}`)]);
  const meta = table.name === "payout-method" && { meta: { of: secretIn("payout-method.meta") } };
  return { ...row, ...(Object.fromEntries(secrets) as Row), ...meta } as unknown as AnyRecord;
}

/** The columns in which something says the word, such as `lead.email`. */
export async function columnsWith(app: TestApp, word: string): Promise<Set<string>> {
  const { reads } = app.stored.engine;
  const found = new Set<string>();
  for (const table of TABLES) {
    const rows = await reads.all({ text: `select ${table.selected} from ${sqlName(table)}`, values: [] });
    for (const row of rows) {
      for (const [name, value] of Object.entries(openRow(table, row, TEST_SEAL))) {
        const text = JSON.stringify(value);
        if (text.includes(word) || text.includes(TIMES[word]!)) found.add(`${table.name}.${name}`);
      }
    }
  }
  return found;
}

/** The columns of all tables with a mark. */
export function columnsMarked(mark: Parameters<typeof marked>[1]): string[] {
  return TABLES.flatMap((table) => marked(table, mark).map((name) => `${table.name}.${name}`));
}

/** All that the store says of a person: rows, sums and items, with their secrets. */
export async function linesAbout(app: TestApp, word: string): Promise<string[]> {
  const about = [word, TIMES[word]!.toLowerCase()].map((text) => app.stored.placesOf(text));
  return (await Promise.all(about)).flat();
}
