import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callCli, runCli } from "../support/cli.ts";
import { startServer, temporaryFolder } from "../support/server.ts";

const LANDING = ["--landing-url", "https://www.acme.example/"];
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
const KEY = expect.stringMatching(/^tdm_[\w-]{32}$/) as string;

let folder: string;
let remove: () => void;
beforeEach(() => {
  ({ folder, remove } = temporaryFolder());
});
afterEach(() => remove());

/** The printed value of a command that must succeed. */
async function run<T = unknown>(...words: string[]): Promise<T> {
  const { code, stdout, stderr } = await callCli(folder, words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as T;
}

const createAcme = () => run<{ key: string }>("account", "create", "Acme", "--id", "acme", ...LANDING);
const hashOf = (key: string) => createHash("sha256").update(key).digest("hex").slice(0, 12);

const ACME = { account_id: "acme", name: "Acme", honours_gpc: false, mail_sender: null, created_at: INSTANT };
const DEFAULT_CAMPAIGN = {
  id: 1,
  name: "Default campaign",
  landing_url: "https://www.acme.example/",
  link_parameters: [],
  cookie_days: 60,
  auto_approve: true,
  auto_approve_commissions: true,
  hold_days: 0,
  attribution: "last",
  allowed_origins: [],
  ad_traffic: "pending",
  is_private: false,
  promoter_reward_ids: [],
  customer_reward_ids: [],
  emails: [],
  created_at: INSTANT,
  is_default: true,
};

it("a command warns of variables that are no settings, apart from its result", async () => {
  await createAcme();
  const { code, stdout, stderr } = await callCli(folder, ["account", "list"], {
    STORAGE_ULR: "x",
    METRICS: "1",
  });
  expect({ code, listed: JSON.parse(stdout) as unknown, stderr }).toEqual({
    code: 0,
    listed: [ACME],
    stderr:
      "STORAGE_ULR is not a setting and has no effect. Did you mean STORAGE_URL?\n" +
      "METRICS is not a setting and has no effect. Did you mean METRICS_URL or METRICS_TOKEN?\n",
  });
});

describe("accounts", () => {
  it("are created with a key and a default campaign, and listed oldest first, without secrets", async () => {
    expect(await createAcme()).toEqual({ account: ACME, key: KEY });
    const made = await run<{ account: object }>("account", "create", "Tide", "--honour-gpc", ...LANDING);
    const tide = {
      account_id: expect.stringMatching(/^acc_[\w-]{12}$/),
      name: "Tide",
      honours_gpc: true,
      mail_sender: null,
      created_at: INSTANT,
    };
    expect(made).toEqual({ account: tide, key: KEY });
    expect(await run("account", "list")).toEqual([ACME, made.account]);
    expect(await run("campaign", "list", "acme")).toEqual([DEFAULT_CAMPAIGN]);
  });

  it("can be renamed", async () => {
    await createAcme();
    const renamed = { ...ACME, name: "Acme Ltd" };
    expect(await run("account", "rename", "acme", " Acme Ltd ")).toEqual(renamed);
    expect(await run("account", "list")).toEqual([renamed]);
  });

  it("can limit the commissions that are approved by themselves, or not", async () => {
    await createAcme();
    const limited = await run("account", "max-auto-approve", "acme", "50000");
    expect(limited).toEqual({ account_id: "acme", max_auto_approve_cents: 50_000 });
    const free = await run("account", "max-auto-approve", "acme");
    expect(free).toEqual({ account_id: "acme", max_auto_approve_cents: null });
  });

  it("can choose what commissions are computed on", async () => {
    await createAcme();
    const usual = { account_id: "acme", less_tax: true, less_shipping: false, fee_percentage: 0 };
    expect(await run("account", "commission-base", "acme")).toEqual(usual);
    const chosen = { ...usual, less_shipping: true, fee_percentage: 2.9 };
    expect(await run("account", "commission-base", "acme", "--less-shipping", "--fee", "2.9")).toEqual(
      chosen,
    );
    expect(await run("account", "commission-base", "acme", "--no-less-tax")).toEqual({
      ...chosen,
      less_tax: false,
    });
  });

  it("are stored in files that only their owner can read, in any folder, and so are backups", async () => {
    const copy = join(folder, "copy");
    for (const name of [folder, copy]) {
      mkdirSync(name, { recursive: true });
      chmodSync(name, 0o755);
    }
    await createAcme();
    expect((await runCli(folder, ["backup", copy])).code).toBe(0);
    for (const name of [folder, copy]) {
      const files = readdirSync(name, { withFileTypes: true }).filter((entry) => entry.isFile());
      expect(files.length).toBeGreaterThan(0);
      for (const file of files) expect(statSync(join(name, file.name)).mode & 0o777, file.name).toBe(0o600);
    }
  });

  it("can be stored in a folder with a dot in its name", async () => {
    folder = join(folder, "tide.mark");
    await createAcme();
    expect(await run("account", "list")).toEqual([ACME]);
  });
});

describe("keys", () => {
  it("are created, listed by the beginning of their hash, and revoked once", async () => {
    const { key: first } = await createAcme();
    const { key: named } = await run<{ key: string }>("key", "create", "acme", "backend");
    const { key: unnamed } = await run<{ key: string }>("key", "create", "acme");
    const rows = [
      { hash: hashOf(first), name: "first", created_at: INSTANT, revoked_at: null as string | null },
      { hash: hashOf(named), name: "backend", created_at: INSTANT, revoked_at: null },
      { hash: hashOf(unnamed), name: "key", created_at: INSTANT, revoked_at: null },
    ];
    const byHash = (a: { hash: string }, b: { hash: string }) => (a.hash < b.hash ? -1 : 1);
    expect(await run("key", "list", "acme")).toEqual([...rows].sort(byHash));
    expect(await run("key", "revoke", "acme", hashOf(named))).toEqual({ revoked: hashOf(named) });
    rows[1]!.revoked_at = INSTANT;
    const revoked = await run("key", "list", "acme");
    expect(revoked).toEqual([...rows].sort(byHash));
    const again = await callCli(folder, ["key", "revoke", "acme", hashOf(named)]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("was already revoked")]);
    expect(await run("key", "list", "acme")).toEqual(revoked);
  });

  it("are refused by a running server as soon as they are revoked", async () => {
    const server = await startServer(folder);
    const signUp = async (key: string) => {
      const response = await fetch(`${server.url}/api/v1/track/signup`, {
        method: "POST",
        headers: { "x-api-key": key },
        body: new URLSearchParams({ email: "lead@example.com" }),
      });
      return { status: response.status, text: await response.text() };
    };
    try {
      const { key } = await run<{ key: string }>("key", "create", "acme", "short-lived");
      const known = { status: 404, text: '{"message":"Visitor invalid or not found."}' };
      expect(await signUp(key)).toEqual(known);
      await run("key", "revoke", "acme", hashOf(key));
      expect(await signUp(key)).toEqual({ status: 401, text: "Bad credentials" });
      expect(await signUp("key-of-acme")).toEqual(known);
    } finally {
      await server.kill();
    }
  });
});

describe("campaigns", () => {
  it("say and ask on their sign-up page what the operator sets", async () => {
    await createAcme();
    const signup = async (...words: string[]) =>
      (await run<{ signup: unknown }>("campaign", "signup", "acme", "1", ...words)).signup;
    const asked = (label: string, isRequired: boolean) => ({
      label,
      is_long: false,
      is_required: isRequired,
      choices: [],
    });
    const questions = [asked("Where?", true), asked("Since when?", false)];
    expect(
      await signup("--description", "Earn 20%", "--required-question", "Where?", "--question", "Since when?"),
    ).toEqual({ description: "Earn 20%", terms: null, questions });
    expect(await signup("--terms", "Be nice.", "--no-description")).toEqual({
      description: null,
      terms: "Be nice.",
      terms_since: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/),
      questions,
    });
    expect(await signup("--no-questions", "--no-terms")).toEqual({
      description: null,
      terms: null,
      questions: [],
    });
  });

  it("are created with every setting, and can replace the default one", async () => {
    await createAcme();
    const spring = {
      id: expect.any(Number) as number,
      name: "Spring",
      landing_url: "https://www.acme.example/spring",
      link_parameters: ["via", "ref"],
      cookie_days: 3650,
      auto_approve: false,
      auto_approve_commissions: false,
      hold_days: 14,
      attribution: "first",
      allowed_origins: ["https://shop.example", "*.acme.example"],
      ad_traffic: "block",
      is_private: false,
      promoter_reward_ids: [],
      customer_reward_ids: [],
      emails: ["accepted", "rejected"],
      is_default: true,
      created_at: INSTANT,
    };
    const made = await run(
      ..."campaign create acme Spring --landing-url https://www.acme.example/spring".split(" "),
      ..."--param via ref --cookie-days 3650 --no-auto-approve --attribution first".split(" "),
      ..."--allow-origin https://shop.example *.acme.example --ad-traffic block".split(" "),
      ..."--emails accepted rejected --default --no-auto-approve-commissions --hold-days 14".split(" "),
    );
    expect(made).toEqual(spring);
    expect(await run("campaign", "list", "acme")).toEqual([
      { ...DEFAULT_CAMPAIGN, is_default: false },
      spring,
    ]);
  });

  it("can be changed in every setting, and keep the others", async () => {
    await createAcme();
    const { id } = await run<{ id: number }>("campaign", "create", "acme", "Plain", ...LANDING);
    const plain = { ...DEFAULT_CAMPAIGN, id, name: "Plain" };
    const update = (words: string) => run("campaign", "update", "acme", String(id), ...words.split(" "));
    const changed = {
      ...plain,
      is_default: false,
      name: "Autumn",
      landing_url: "https://www.acme.example/autumn",
      link_parameters: ["ref"],
      cookie_days: 30,
      auto_approve: false,
      hold_days: 30,
      attribution: "first",
      allowed_origins: ["https://shop.example"],
      ad_traffic: "allow",
      emails: ["payout_sent"],
    };
    expect(
      await update(
        "--name Autumn --landing-url https://www.acme.example/autumn --param ref --cookie-days 30 " +
          "--no-auto-approve --attribution first --allow-origin https://shop.example --ad-traffic allow " +
          "--emails payout_sent --hold-days 30",
      ),
    ).toEqual(changed);
    expect(await update("--auto-approve --default")).toEqual({
      ...changed,
      auto_approve: true,
      is_default: true,
    });
    const emptied = {
      ...changed,
      auto_approve: true,
      is_default: true,
      link_parameters: [],
      allowed_origins: [],
      emails: [],
    };
    expect(await update("--no-param --no-allow-origin --no-emails")).toEqual(emptied);
    expect(await run("campaign", "list", "acme")).toEqual([
      { ...DEFAULT_CAMPAIGN, is_default: false },
      emptied,
    ]);
  });

  it("are created with default settings if none are given", async () => {
    await createAcme();
    await run("campaign", "create", "acme", "Plain", ...LANDING);
    expect(await run("campaign", "list", "acme")).toEqual([
      DEFAULT_CAMPAIGN,
      { ...DEFAULT_CAMPAIGN, id: expect.any(Number) as number, name: "Plain", is_default: false },
    ]);
  });
});
