import { rmSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { V1_OPERATIONS } from "../../../server/v1/operations.ts";
import { V2_OPERATIONS } from "../../../server/v2/operations.ts";
import { AFFILIATE_OPERATIONS } from "../../../server/v2/affiliate/operations.ts";
import type { Secrets } from "../../../server/transfer/export.ts";
import { KEY, startApp, type TestApp } from "../../support/app.ts";
import { EVENT_TYPES, V1_EVENT_TYPES } from "../../support/event-types.ts";
import { exported, textsOf } from "../../support/exports.ts";
import { columnsMarked, columnsWith, fillSecret, secretIn } from "../../support/marked-world.ts";
import { appOutbox, workOff } from "../../support/outbox.ts";
import { portalToken } from "../../support/portal.ts";
import { startReceiver } from "../../support/receiver.ts";
import { addUser, callAs } from "../../support/users.ts";
import { company } from "../../support/v2.ts";

const COLUMNS = [...columnsMarked("isSecret"), ...columnsMarked("isSealed")].toSorted();
/** What a promoter gives the company, and what webhooks that ask for it get. */
const BANK_DETAILS = ["payout-method.details", "payout-method.meta"];
/** What is in events about them. */
const COPIES = ["delivery.message", "delivery.response_body"];
/** What lets a promoter in, which V1's events say. */
const ENTRANCE = ["fact.temp_password", "promoter.auth_token"];

let app: TestApp;
beforeEach(async () => {
  app = await startApp("memory", { allowsPrivateWebhooks: true });
  // Every line that a log could have.
  app.services.log.level = "trace";
});
afterEach(async () => {
  await app.close();
  expect(secretsIn(app.bugs)).toEqual([]);
  expect(app.bugs.filter((line) => line.includes('"level":50'))).toEqual([]);
});

/** The secret columns whose texts stand in an answer. */
function secretsIn(answer: unknown): string[] {
  const text = JSON.stringify(answer);
  return COLUMNS.filter((column) => text.includes(secretIn(column)));
}

it("each secret column of each table has a secret, and no other column has a copy, such as the audit log", async () => {
  await fillSecret(app);
  expect([...(await columnsWith(app, "s3cr3t"))].toSorted()).toEqual(COLUMNS);
});

it("each caller sees only what they need of the secrets, in all answers together", async () => {
  const users = {
    viewer: await addUser(app, "viewer"),
    manager: await addUser(app, "manager"),
    owner: await addUser(app, "owner"),
  };
  await fillSecret(app);
  const pathsOf = (rows: readonly (readonly [method: string, path: string, ...rest: unknown[]])[]) =>
    rows.filter(([method]) => method === "GET").map(([, path]) => path.replaceAll(/:\w+/g, "1"));
  const company = pathsOf(V2_OPERATIONS)
    .filter((path) => path.startsWith("/api/v2/company"))
    .map((path) =>
      path.slice("/api/v2/company".length).replace(/^\/payout_methods$/, "$&?filters[promoter_id]=1"),
    );
  const found: Record<string, string[]> = {};
  for (const [role, user] of Object.entries(users)) {
    const call = await callAs(app, user);
    const answers = [];
    for (const path of company) answers.push((await call(`GET ${path}`)).body);
    found[role] = secretsIn(answers);
  }
  const answers = [];
  for (const path of company) answers.push((await app.v2("GET", path)).body);
  found["key"] = secretsIn(answers);
  const textOf = async (path: string, headers: Record<string, string>) =>
    (await app.request(path, { headers })).text();
  const v1 = pathsOf(V1_OPERATIONS).map((path) => textOf(`${path}?id=1`, { "x-api-key": KEY }));
  found["v1"] = secretsIn(await Promise.all(v1));
  const cookie = `tidemark_portal=${await portalToken(app, secretIn("promoter.auth_token"))}`;
  found["promoter"] = secretsIn(
    await Promise.all(pathsOf(AFFILIATE_OPERATIONS).map((path) => textOf(path, { cookie }))),
  );

  const owner = [
    "account.bank_account",
    ...COPIES,
    ...ENTRANCE,
    ...BANK_DETAILS,
    "webhook.headers",
  ].toSorted();
  expect(found).toEqual({
    viewer: [],
    manager: [...ENTRANCE, "webhook.headers"],
    owner,
    key: owner,
    v1: ["promoter.auth_token"],
    promoter: [...BANK_DETAILS, "tax-details.tax_number_end"],
  });
});

it.each([
  ["v2", EVENT_TYPES, ["fact.after", "fact.before", ...BANK_DETAILS]],
  ["v1", V1_EVENT_TYPES, ["promoter.auth_token"]],
])(
  "events in the form of %s have no other secrets than they are for",
  async (format, event_types, expected) => {
    await fillSecret(app);
    const receiver = await startReceiver();
    await company(app, "PUT /webhooks/1", { url: receiver.url, format, event_types });
    await app.v1("/promoters/create", { email: "joe@example.com", temp_password: "first secret" });
    await app.v1("/promoters/update", { id: "1", first_name: "Jane" });
    await company(app, "PUT /payout_methods/1", { is_disabled: true });
    await app.v1("/track/signup", { email: "kim@example.net", ref_id: "jane" });
    await company(app, "PUT /commissions/1", { internal_note: "ours" });
    await company(app, "PUT /promoter_campaigns/1", { state: "blocked" });
    await workOff(appOutbox(app));
    await receiver.close();
    expect(receiver.received.length).toBeGreaterThan(3);
    expect(secretsIn(receiver.received.map(({ text }) => text))).toEqual(expected);
  },
);

it.each<[Secrets, string[]]>([
  ["left out", columnsMarked("isSecret").toSorted()],
  ["plain", COLUMNS],
])("an export has no sealed fields unless it is asked for them: %s", async (secrets, expected) => {
  await fillSecret(app);
  const folder = await exported(app.stored.engine, { secrets });
  const text = Object.values(textsOf(folder)).join("");
  rmSync(folder, { recursive: true });
  expect(secretsIn(text)).toEqual(expected);
});
