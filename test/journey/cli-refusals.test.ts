import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createAccount } from "../../server/domain/access/account-creation.ts";
import { listAccounts } from "../../server/domain/program/account/account.ts";
import { listApiKeys } from "../../server/domain/program/account/api-key.ts";
import { listCampaigns } from "../../server/domain/program/campaign/campaign.ts";
import { writeItem } from "../../server/storage/items.ts";
import { LAYOUT, MARK_KEY } from "../../server/storage/layout.ts";
import { openStore } from "../../server/storage/open.ts";
import { TABLES } from "../../server/tables.ts";
import { NOW, countedChance } from "../support/app.ts";
import { callCli } from "../support/cli.ts";
import { inStore } from "../support/consistency.ts";
import { temporaryFolder } from "../support/server.ts";
import { TEST_SEAL } from "../support/memory-engine.ts";

const LANDING = ["--landing-url", "https://www.acme.example/"];
const inCampaign = (...words: string[]) => ["campaign", "create", "acme", "New", ...LANDING, ...words];
const DAYS = "--cookie-days must be a whole number from 1 to 3650";
const NO_ACCOUNT = "Account nobody was not found";

let folder: string;
let remove: () => void;
beforeEach(() => {
  ({ folder, remove } = temporaryFolder());
});
afterEach(() => remove());

it.each<[string[], string, Record<string, string>?]>([
  [["account", "create", "Again", "--id", "acme", ...LANDING], "Account acme already exists"],
  [["account", "create", "New"], "error: required option '--landing-url <url>' not specified"],
  [["account", "create", "New", "--landing-url", "acme.example"], "acme.example is not an http(s) address"],
  [
    ["account", "create", "New", "--id", "a b", ...LANDING],
    "--id a b must be 1 to 100 letters, digits, dots, dashes or underscores",
  ],
  [["account", "list", "acme"], "error: too many arguments for 'list'. Expected 0 arguments but got 1."],
  [["account", "rename", "nobody", "New"], NO_ACCOUNT],
  [["account", "rename", "acme", " "], "The name must not be blank"],
  [["key", "create", "nobody"], NO_ACCOUNT],
  [["key", "list", "nobody"], NO_ACCOUNT],
  [["key", "revoke", "nobody", "abc"], NO_ACCOUNT],
  [["key", "revoke", "acme", "xyz"], "0 keys of this account begin with xyz"],
  [["key", "revoke", "acme", ""], "The beginning of the key's hash must not be blank"],
  [["key", "revoke", "acme"], "error: missing required argument 'hash'"],
  [["campaign", "create", "nobody", "New", ...LANDING], NO_ACCOUNT],
  [["campaign", "list", "nobody"], NO_ACCOUNT],
  [["campaign", "create", "acme", "New"], "error: required option '--landing-url <url>' not specified"],
  [inCampaign("--landing-url", "ftp://acme.example"), "ftp://acme.example is not an http(s) address"],
  [inCampaign("--cookie-days", "0"), DAYS],
  [inCampaign("--cookie-days", "3651"), DAYS],
  [inCampaign("--cookie-days", "1.5"), DAYS],
  [inCampaign("--hold-days", "366"), "--hold-days must be a whole number from 0 to 365"],
  [inCampaign("--hold-days", ""), "--hold-days must be a whole number from 0 to 365"],
  [["account", "max-auto-approve", "acme", "12.50"], "12.50 is not a whole number of cents"],
  [["account", "max-auto-approve", "nobody", "1250"], NO_ACCOUNT],
  [
    ["account", "commission-base", "acme", "--fee", "100"],
    "100 is not a percentage from 0 to less than 100 with at most four decimals",
  ],
  [inCampaign("--param", "via", ""), "--param must not be blank"],
  [inCampaign("--allow-origin", " "), "--allow-origin must not be blank"],
  [
    inCampaign("--attribution", "middle"),
    "error: option '--attribution <which>' argument 'middle' is invalid. Allowed choices are last, first.",
  ],
  [
    inCampaign("--ad-traffic", "some"),
    "error: option '--ad-traffic <policy>' argument 'some' is invalid. Allowed choices are pending, allow, block.",
  ],
  [["campaign", "emails", "acme", "x"], "x is not a campaign id"],
  [["campaign", "update", "acme", "x"], "x is not a campaign id"],
  [["campaign", "update", "acme", "999"], "Campaign not found."],
  [["campaign", "update", "nobody", "1"], NO_ACCOUNT],
  [["campaign", "update", "acme", "1", "--name", " "], "--name must not be blank"],
  [["seed", "acme", "--leads", "-3"], "--leads must be a whole number of at most 8 digits"],
  [["export", "docs"], `${resolve("docs")} is not empty`],
  [["import", "package.json"], `${resolve("package.json")} is a file, and an export is a folder`],
  [["visitor", "list"], "error: unknown command 'visitor'"],
  [
    ["account", "list"],
    "The store of STORAGE_URL can't be opened: STORAGE_URL redis: is unknown; use sqlite:./folder, postgres://… or memory:",
    { STORAGE_URL: "redis://me:secret@db.example" },
  ],
  [
    ["account", "list"],
    "These environment variables are wrong:\n  PORT must be a whole number",
    { PORT: "x" },
  ],
])("%j ends with 1, says why and changes nothing", async (words, message, environment) => {
  const store = await openStore(`sqlite:${folder}`, { tables: TABLES, seal: TEST_SEAL });
  const everything = async () => ({
    accounts: await listAccounts(store),
    keys: await listApiKeys(store, 1),
    campaigns: await listCampaigns(store, 1),
  });
  const context = { store, now: new Date(NOW), chance: countedChance() };
  await createAccount(context, { name: "Acme", public_id: "acme", landing_url: "https://www.acme.example/" });
  const before = await everything();
  const { code, stdout, stderr } = await callCli(folder, words, environment);
  // After a mistyped command, commander shows its usage below an empty line.
  const [why] = stderr.split("\n\n");
  expect({ code, stdout, why: why?.trim() }).toEqual({ code: 1, stdout: "", why: message });
  expect(await everything()).toEqual(before);
  await store.close();
});

it.each([
  [["account", "list"]],
  [["key", "create", "acme"]],
  [["export", "/tmp/never-made"]],
  [["backup", "/tmp/never-made"]],
  [["import-csv", "acme", "--leads", "package.json"]],
])("%j makes no store if there is none, and ends with 1", async (words) => {
  const { code, stdout, stderr } = await callCli(folder, words);
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: "",
    stderr: `The store of STORAGE_URL can't be opened: there is no store in ${folder}\n`,
  });
  expect(readdirSync(folder)).toEqual([]);
});

it("an import of something else makes no store and no key", async () => {
  const { code, stderr } = await callCli(folder, ["import", "nosuch"]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: `There is no folder ${resolve("nosuch")}\n` });
  expect(readdirSync(folder)).toEqual([]);
});

/** Gives a new store a mark of another release, or of unfinished work. */
function putMark(mark: string): Promise<void> {
  return inStore(`sqlite:${folder}`, (engine) =>
    engine.transact((session) => writeItem(session, MARK_KEY, mark)),
  );
}

it.each([
  [["account", "list"]],
  [["import-csv", "acme", "--leads", "package.json"]],
  [["import-csv", "acme", "--leads", "package.json", "--dry-run"]],
])("%j refuses a store that another release made, and leaves it unchanged", async (words) => {
  const mark = `{"version":99}`;
  await putMark(mark);
  const { code, stdout, stderr } = await callCli(folder, words);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("A later release of Tidemark made the store: use that one, or an empty store");
  const everything = inStore(`sqlite:${folder}`, async ({ reads }) => [
    ...(await reads.all({ text: "select key, value from items", values: [] })),
    ...(await reads.all({ text: "select id from accounts", values: [] })),
  ]);
  expect(await everything).toEqual([[MARK_KEY, mark]]);
});

it.each([[["account", "list"]], [["check"]], [["export", "copy"]], [["backup", "copy"]]])(
  "%j refuses a store that an interrupted import left half filled",
  async ([command = "", ...words]) => {
    const underWay = { stage: "fill", source: "x", filledCount: 0 };
    await putMark(JSON.stringify({ version: LAYOUT, underWay }));
    const target = words.map((word) => (word === "copy" ? join(folder, word) : word));
    const { code, stdout, stderr } = await callCli(folder, [command, ...target]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(
      "An import into the store is unfinished: run `tidemark import` again with --resume",
    );
  },
);
