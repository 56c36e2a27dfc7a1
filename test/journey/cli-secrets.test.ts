import { textsOf } from "../support/exports.ts";
import { chmodSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { callCli } from "../support/cli.ts";
import { withStore } from "../support/operations.ts";
import { addPromoter, changeAccount, selectMethod } from "../support/payouts.ts";
import { temporaryFolder } from "../support/server.ts";

const CREATE = ["account", "create", "Acme", "--id", "acme", "--landing-url", "https://www.acme.example/"];
const IBAN = "DE02120300000000202051";
const BANK = { bank_country: "DE", account_holder_name: "Jane Roe", iban: IBAN };
const AT = "2026-03-04T05:06:07.890Z";

let around: string;
let folder: string;
let remove: () => void;
beforeEach(() => {
  ({ folder: around, remove } = temporaryFolder());
  folder = join(around, "data");
});
afterEach(() => remove());

/** Runs a command of an operator who has configured no key, but maybe its file. */
const unkeyed = (words: string[], file = "") =>
  callCli(folder, words, { TIDEMARK_SECRET: "", TIDEMARK_SECRET_FILE: file });

it("makes the key at the first start, beside the store, and says so once", async () => {
  const first = await unkeyed(CREATE);
  const file = `${folder}.key`;
  expect([first.code, first.stderr]).toEqual([
    0,
    `The key of the store's secrets was written to ${file}. Keep a copy apart from backups of the store: payout methods can't be read without it\n`,
  ]);
  const key = readFileSync(file, "utf8");
  expect(Buffer.from(key, "base64")).toHaveLength(32);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(around).toSorted()).toEqual(["data", "data.key"]);
  expect(await unkeyed(["account", "list"])).toMatchObject({ code: 0, stderr: "" });
  expect(readFileSync(file, "utf8")).toBe(key);
});

it("refuses to go on without the key or with another one, in one sentence each", async () => {
  await unkeyed(CREATE);
  const file = `${folder}.key`;
  const key = readFileSync(file, "utf8");
  rmSync(file);
  const refused = { code: 1, stdout: "" };
  expect(await unkeyed(["account", "list"])).toEqual({
    ...refused,
    stderr: `The store of STORAGE_URL can't be opened: the key of its secrets is missing: put ${file} back, or name it with TIDEMARK_SECRET_FILE\n`,
  });
  const other = join(around, "other");
  writeFileSync(other, Buffer.alloc(32, "o").toString("base64"), { mode: 0o600 });
  expect(await unkeyed(["account", "list"], other)).toEqual({
    ...refused,
    stderr:
      "The store of STORAGE_URL can't be opened: The store's secrets are encrypted with another key, and TIDEMARK_SECRET_FILE does not have it: put it back\n",
  });
  writeFileSync(other, "short");
  expect((await unkeyed(["account", "list"], other)).stderr).toBe(
    "These environment variables are wrong:\n  TIDEMARK_SECRET must be keys of 32 bytes in base64, one a line\n",
  );
  writeFileSync(other, key);
  expect(await unkeyed(["account", "list"], other)).toMatchObject({ code: 0, stderr: "" });
});

it("warns of a key that every user of the machine can read", async () => {
  await unkeyed(CREATE);
  const file = `${folder}.key`;
  const warning = `Every user of this machine can read the key of the store's secrets: run chmod 600 ${file}\n`;
  chmodSync(file, 0o644);
  expect(await unkeyed(["account", "list"])).toMatchObject({ code: 0, stderr: warning });
  expect(await unkeyed(["account", "list"], file)).toMatchObject({ code: 0, stderr: warning });
  chmodSync(file, 0o640);
  expect(await unkeyed(["account", "list"])).toMatchObject({ code: 0, stderr: "" });
});

it("refuses a place for the key that can't be written to", async () => {
  const { code, stderr } = await unkeyed(CREATE, join(around, "missing", "tidemark.key"));
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /^The store of STORAGE_URL can't be opened: the key of its secrets can't be written \(ENOENT.*\): name a file outside the store with TIDEMARK_SECRET_FILE\n$/,
    ),
  ]);
});

/** Runs a command that must succeed, with the key of the tests. */
async function run(...words: string[]): Promise<{ stdout: string; stderr: string }> {
  const { code, ...printed } = await callCli(folder, words);
  expect({ code, ...printed }).toMatchObject({ code: 0 });
  return printed;
}

it("exports bank accounts only if asked, and imports both", async () => {
  await run(...CREATE);
  await withStore(`sqlite:${folder}`, async ({ context, account_id }) => {
    const account = await changeAccount(context, account_id, {});
    const jane = await addPromoter(context, account, { email: "jane@example.com" });
    await selectMethod(context, jane, { method: "bank", details: BANK });
  });
  const [plain, without] = ["plain", "without"].map((name) => join(around, name)) as [string, string];
  const { stderr } = await run("export", without);
  expect(stderr).toContain(
    "Encrypted details, such as bank accounts, were left out. --secrets includes them\n",
  );
  expect((await run("export", plain, "--secrets")).stderr).not.toContain("left out");
  const hasIban = (each: string) => Object.values(textsOf(each)).join("").includes(IBAN);
  expect([plain, without].map(hasIban)).toEqual([true, false]);
  for (const [name, file] of Object.entries({ plain, without })) {
    const target = join(around, `store-${name}`);
    const environment = { STORAGE_URL: `sqlite:${target}` };
    expect((await callCli(target, ["import", file], environment)).code).toBe(0);
    expect(readFileSync(join(target, "tidemark.db")).includes(IBAN)).toBe(false);
    const again = join(around, `again-${name}`);
    expect((await callCli(target, ["export", again, "--secrets"], environment)).code).toBe(0);
    expect(textsOf(again)).toEqual(textsOf(file));
  }
});

it("lists promoters whose payouts are held, and releases them", async () => {
  await run(...CREATE);
  await withStore(`sqlite:${folder}`, ({ records, account_id }) =>
    records.put("payoutHold", { account_id, promoter_id: 7, changed_at: AT, held_at: AT, released_at: null }),
  );
  const held = async () => JSON.parse((await run("payouts", "holds", "acme")).stdout) as unknown;
  expect(await held()).toEqual([{ promoter_id: 7, changed_at: AT, held_at: AT }]);
  expect(JSON.parse((await run("payouts", "release", "acme", "7")).stdout)).toEqual({ released: 7 });
  expect(await held()).toEqual([]);
  expect(await callCli(folder, ["payouts", "release", "acme", "7"])).toEqual({
    code: 1,
    stdout: "",
    stderr: "The payouts of this promoter are not held.\n",
  });
});
