import {
  chownSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { systemChance } from "../../server/domain/context.ts";
import { eraseLead, erasePromoter } from "../../server/domain/privacy/erasure.ts";
import { storeOn } from "../../server/storage/open.ts";
import type { Statement } from "../../server/storage/sql.ts";
import { callCli, runCli } from "../support/cli.ts";
import { textsOf } from "../support/exports.ts";
import { inStore } from "../support/consistency.ts";
import { endConnections } from "../support/garbage.ts";
import { startMailServer } from "../support/mail-server.ts";
import { mortalEngine } from "../support/mortal-engine.ts";
import { IS_LONG } from "../support/rounds.ts";
import { startServer, temporaryFolder, v1 } from "../support/server.ts";

/** Each process takes ids from a block of its own. */
const NUMBER = expect.any(Number) as number;

/** A store with an account, which each test has a copy of. */
const template = temporaryFolder();
let folder: string;
let remove: () => void;
const at = (name: string) => join(folder, name);
const run = (...words: string[]) => callCli(at("store"), words);
beforeAll(async () => {
  const words = ["account", "create", "Acme", "--id", "acme", "--landing-url", "https://www.acme.example/"];
  await callCli(join(template.folder, "store"), words);
});
afterAll(() => template.remove());
beforeEach(() => {
  ({ folder, remove } = temporaryFolder());
  cpSync(template.folder, folder, { recursive: true });
});
afterEach(() => remove());

/** Changes rows of the store as nothing of ours would. */
function change(...statements: Statement[]): Promise<void> {
  return inStore(`sqlite:${at("store")}`, (engine) =>
    engine.transact(async (session) => {
      for (const statement of statements) expect(await session.run(statement)).toBe(1);
    }),
  );
}

/** Makes the sums of a day say another number. The data that `seed` makes up are of the last year. */
const MISCOUNT: Statement = {
  text:
    "insert into daily (account_id, series, subject_id, subject_key, day, promoter_campaign_id, clicks)" +
    " values (1, 'campaign', 1, '', '2001-01-01', 0, 2)",
  values: [],
};
const MISCOUNTED =
  'daily ["campaign",1,"","2001-01-01",0] of account 1 has other sums than the records: clicks 2 instead of 0';

it("the command line imports another program's exports after a dry run, and erases people on request", async () => {
  writeFileSync(at("promoters.csv"), "email,ref_id\njane@example.com,jane\nbad,x\n");
  writeFileSync(at("leads.csv"), "email\tref_id\t\u001b[2Jrating\t\nmia@example.com\tjane\t5\t\n");
  const files = ["--promoters", at("promoters.csv")];
  const promoterCounts = { added: 1, changed: 0, known: 0, bad: 1 };
  const told = "promoters.csv:3: email is invalid\n";

  const dry = await run("import-csv", "acme", ...files, "--dry-run");
  expect({ code: dry.code, stderr: dry.stderr }).toEqual({ code: 1, stderr: told });
  const reason = "the title says so";
  expect(JSON.parse(dry.stdout)).toEqual({
    dry_run: true,
    promoters: {
      ...promoterCounts,
      columns: [
        {
          title: "email",
          field: "email",
          certainty: "certain",
          reason,
          examples: ["jane@example.com", "bad"],
        },
        { title: "ref_id", field: "ref_id", certainty: "certain", reason, examples: ["jane", "x"] },
      ],
      preview: [
        { line: 2, values: { email: "jane@example.com", ref_id: "jane" }, fault: null },
        { line: 3, values: null, fault: "email is invalid" },
      ],
    },
  });
  const real = await run("import-csv", "acme", ...files);
  expect(JSON.parse(real.stdout)).toEqual({ dry_run: false, promoters: promoterCounts });
  const leads = await run("import-csv", "acme", "--leads", at("leads.csv"), "--delimiter", "\\t");
  expect(leads).toMatchObject({
    code: 0,
    stderr: 'leads.csv:1: skipped unknown columns: "\\u001b[2Jrating"\n',
  });
  expect(JSON.parse(leads.stdout)).toMatchObject({ leads: { added: 1 } });

  expect(JSON.parse((await run("erase", "promoter", "acme", "Jane@example.com")).stdout)).toEqual({
    erased: "promoter",
    id: 1,
  });
  expect(JSON.parse((await run("erase", "lead", "acme", "1")).stdout)).toEqual({ erased: "lead", id: 1 });
  await run("export", at("all"));
  const text = Object.values(textsOf(at("all"))).join("");
  expect(text).toContain("erased-1@erased.invalid");
  expect(text).not.toMatch(/jane|mia/i);
});

it("import-csv says what it makes of other columns, and does what someone says about them", async () => {
  writeFileSync(at("people.csv"), "who;Creatd At;code\njane@example.com;5/6/2024;jane\n");
  const words = ["import-csv", "acme", "--promoters", at("people.csv")];
  const guess = 'people.csv:1: read "who" as email (likely: its values are e-mail addresses)\n';
  const slip = 'people.csv:1: read "Creatd At" as created_at (likely: the title nearly says so)\n';
  const unclear =
    'people.csv: The dates of "Creatd At" may begin with the day or with the month: say which of dmy and mdy\n';
  expect(await run(...words)).toMatchObject({
    code: 1,
    stdout: "",
    stderr: `people.csv:1: skipped unknown columns: "code"\n${guess}${slip}${unclear}`,
  });
  const told = await run(...words, "--dates", "dmy", "--column", "code=ref_id");
  expect(told).toMatchObject({ code: 0, stderr: `${guess}${slip}` });
  expect(JSON.parse(told.stdout)).toMatchObject({ promoters: { added: 1, bad: 0 } });
  expect((await run("links", "acme", "--old-start", "https://acme.example.net/")).stdout).toBe(
    "promoter_email,promoter_name,campaign,state,ref_id,old_link,new_link\r\n" +
      "jane@example.com,jane@example.com,Default campaign,accepted,jane,https://acme.example.net/jane,https://www.acme.example/?via=jane\r\n",
  );
  const mail = async (...more: string[]) =>
    JSON.parse((await run("links", "acme", "--mail", ...more)).stdout) as unknown;
  const counts = { mailed_before: 0, unsubscribed: 0, without_link: 0 };
  expect(await mail("--dry-run")).toEqual({ dry_run: true, mailed: 1, ...counts });
  expect(await mail()).toEqual({ dry_run: false, mailed: 1, ...counts });
  expect(await mail()).toEqual({ ...counts, dry_run: false, mailed: 0, mailed_before: 1 });
});

it("import-csv asks what unknown states mean, and imports nothing before", async () => {
  writeFileSync(at("promoters.csv"), "email,ref_id\njane@example.com,jane\n");
  writeFileSync(at("earned.csv"), "ref_id,amount,status\njane,1.00,Ausgezahlt\njane,2.00,Unpaid\n");
  await run("import-csv", "acme", "--promoters", at("promoters.csv"));
  const words = ["import-csv", "acme", "--commissions", at("earned.csv")];
  const question =
    'earned.csv: Say what these words of status mean (pending, approved, denied, paid): "Ausgezahlt"\n';
  for (const more of [[], ["--dry-run"]])
    expect(await run(...words, ...more)).toMatchObject({ code: 1, stdout: "", stderr: question });
  const dry = await run(...words, "--word", "ausgezahlt=paid", "--dry-run");
  expect(JSON.parse(dry.stdout)).toMatchObject({
    commissions: {
      added: 2,
      words: [
        { field: "status", word: "Ausgezahlt", meaning: "paid" },
        { field: "status", word: "Unpaid", meaning: "approved" },
      ],
      preview: [{ values: { status: "paid" } }, { values: { status: "approved" } }],
    },
  });
  const { stdout } = await run(...words, "--word", "Ausgezahlt=paid");
  expect(JSON.parse(stdout)).toMatchObject({ commissions: { added: 2, bad: 0 } });
  const { stdout: books } = await run("books", "acme", "--at", "2099-01-01");
  expect(books).toContain("2.00");
});

it("export writes one account, for other programs and as CSV files for people", async () => {
  writeFileSync(at("promoters.csv"), "email,ref_id\njane@example.com,jane\n");
  await run("import-csv", "acme", "--promoters", at("promoters.csv"));
  await run("account", "create", "Beta", "--id", "beta", "--landing-url", "https://www.beta.example/");
  const { code, stdout, stderr } = await run("export", at("json"), "--account", "acme");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({
    folder: at("json"),
    records: { "accounts.jsonl": 1, "campaigns.jsonl": 1, "promoters.jsonl": 1 },
  });
  expect(await run("export", at("csv"), "--account", "acme", "--csv")).toMatchObject({ code: 0 });
  const names = Object.keys(textsOf(at("json"))).filter((name) => name !== "tidemark.json");
  expect(Object.keys(textsOf(at("csv")))).toEqual(names.map((name) => name.replace("jsonl", "csv")));
  expect((await runCli(at("other"), ["import", at("csv")])).stderr).toContain("export again without --csv\n");
});

it("import-csv shows ten bad lines with the same fault, and counts the others", async () => {
  const bad = Array.from({ length: 1_000 }, (_, at) => `mia${at}@example.com,nobody`);
  writeFileSync(at("leads.csv"), ["email,ref_id", ...bad, "no address,nobody", ""].join("\n"));
  const { code, stdout, stderr } = await run("import-csv", "acme", "--leads", at("leads.csv"));
  const first = Array.from({ length: 10 }, (_, at) => `leads.csv:${at + 2}: the promoter was not found`);
  const more = "leads.csv: 990 more such lines, the last is line 1001: the promoter was not found";
  expect(stderr.split("\n")).toEqual([...first, "leads.csv:1002: email is invalid", more, ""]);
  expect({ code, stdout: JSON.parse(stdout) as unknown }).toEqual({
    code: 1,
    stdout: { dry_run: false, leads: { added: 0, changed: 0, known: 0, bad: 1_001 } },
  });
});

it("doctor shows what is wrong with a set-up, and ends with 1 while anything is", async () => {
  const lines = async () => {
    const { code, stdout, stderr } = await run("doctor");
    return { code, stderr, told: stdout.trimEnd().split("\n") };
  };
  const fresh = "No server has run on this store yet: start one, let it run for a while, and try again.";
  expect(await lines()).toEqual({ code: 1, stderr: "", told: [fresh] });
  const server = await startServer(at("store"), { PUBLIC_URL: "http://0.0.0.0:3000" });
  const headers = { "x-forwarded-for": "203.0.113.7", referer: "https://www.acme.example/" };
  expect((await fetch(`${server.url}/svc.js`, { headers })).status).toBe(200);
  await expect.poll(lines).toEqual({
    code: 1,
    stderr: "",
    told: [
      expect.stringMatching(/^PUBLIC_URL is http:\/\/0\.0\.0\.0:3000, .*: set it to .*\.$/),
      expect.stringMatching(/^Requests come through a proxy .*: set TRUST_PROXY to .*\.$/),
    ],
  });
  await server.stop();
  const mended = await startServer(at("store"), {
    PUBLIC_URL: "https://track.acme.example",
    TRUST_PROXY: "1",
  });
  expect(await lines()).toEqual({ code: 0, stderr: "", told: ["Nothing is wrong."] });
  await mended.stop();
});

const SIGN_IN = expect.stringMatching(/^https?:\/\/.*\/portal\/welcome#\S+$/) as string;

it("promoter invites promoters, e-mails them if a mail server is set up, and lists them with their links", async () => {
  const link = (name: string) => `https://www.acme.example/?via=${name}`;
  const row = (id: number, name: string) => ({
    id,
    email: `${name}@example.com`,
    state: "accepted",
    ref_id: name,
    link: link(name),
    created_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
  });
  const told =
    "Each sign_in_link opens the portal of that promoter, once, within 24 hours.\n" +
    "No mail server is set up (SMTP_URL), so no e-mail was sent: send them their links yourself.\n";
  const first = await run("promoter", "invite", "acme", "jane@example.com");
  expect({ ...first, stdout: JSON.parse(first.stdout) as unknown }).toEqual({
    code: 0,
    stdout: [{ ...row(1, "jane"), is_new: true, is_mailed: false, sign_in_link: SIGN_IN }],
    stderr: told,
  });
  const mail = await startMailServer();
  const server = await startServer(at("store"), {
    SMTP_URL: mail.url,
    PUBLIC_URL: "https://track.acme.example",
  });
  const second = await run(
    "promoter",
    "invite",
    "acme",
    "jane@example.com",
    "joe@example.com",
    "joe@example.com",
  );
  expect({ ...second, stdout: JSON.parse(second.stdout) as unknown }).toEqual({
    code: 0,
    stdout: [
      { ...row(1, "jane"), is_new: false, is_mailed: false, sign_in_link: SIGN_IN },
      { ...row(2, "joe"), id: NUMBER, is_new: true, is_mailed: true, sign_in_link: SIGN_IN },
    ],
    stderr: "Each sign_in_link opens the portal of that promoter, once, within 24 hours.\n",
  });
  await mail.has(1);
  expect(mail.emails.map(({ to }) => to)).toEqual([["joe@example.com"]]);
  expect(mail.emails[0]!.text).toContain(link("joe"));
  expect(mail.emails[0]!.text).toContain("https://track.acme.example/portal/welcome#");
  await server.stop();
  await mail.close();
  expect(JSON.parse((await run("promoter", "list", "acme")).stdout)).toEqual([
    row(1, "jane"),
    { ...row(2, "joe"), id: NUMBER },
  ]);
});

it("promoter terms shows and changes the tax rate and the days to the due date", async () => {
  await run("promoter", "invite", "acme", "jane@example.com");
  const terms = async (...words: string[]) => {
    const { code, stdout } = await run("promoter", "terms", "acme", ...words);
    return { code, ...(JSON.parse(stdout) as object) };
  };
  const usual = { code: 0, id: 1, email: "jane@example.com", tax_rate: 0, net_days: "account" };
  expect(await terms("1")).toEqual(usual);
  const changed = { ...usual, tax_rate: 7.75, net_days: 3 };
  expect(await terms("Jane@example.com", "--tax-rate", "7.75", "--net-days", "3")).toEqual(changed);
  expect(await terms("1", "--net-days", "account")).toEqual({ ...changed, net_days: "account" });
  expect(await terms("1", "--tax-rate", "0")).toEqual(usual);
});

it("seed fills an account that has people only with --force", async () => {
  const size = ["--promoters", "1", "--leads", "1", "--sales", "1"];
  expect(await run("seed", "acme", ...size)).toMatchObject({ code: 0 });
  expect(await run("seed", "acme", ...size)).toEqual({
    code: 1,
    stdout: "",
    stderr: "Account acme already has people: seed another one, or pass --force\n",
  });
  const { code, stdout } = await run("seed", "acme", ...size, "--force");
  expect({ code, printed: JSON.parse(stdout) as unknown }).toEqual({
    code: 0,
    printed: { seeded: { promoters: 1, leads: 1, sales: 1 } },
  });
});

it.each([
  [["import-csv", "acme"], "Name a file: --promoters, --leads, --customers, --sales, --commissions\n"],
  [["import-csv", "acme", "--leads", "README.md", "--column", "x=email"], 'No file has a column "x"\n'],
  [
    ["import-csv", "acme", "--leads", "package.json", "--word", "x"],
    '--word x is not like "Ausgezahlt=paid"',
  ],
  [
    ["import-csv", "acme", "--leads", "README.md", "--word", "x=eaten"],
    "--word x=eaten: no file has a state eaten\n",
  ],
  [
    ["import-csv", "acme", "--leads", "x.csv", "--column", "x"],
    '--column x is not like "Their title=ref_id"',
  ],
  [["export", "/tmp/never-made", "--account", "nobody"], "Account nobody was not found\n"],
  [
    ["export", "/tmp/never-made", "--csv", "--files"],
    "CSV files can't be imported, so --csv has no use for --files\n",
  ],
  [["links", "acme", "--dry-run"], "--dry-run needs --mail\n"],
  [["links", "acme", "--old-start", "cats"], "--old-start cats is not an http(s) address"],
  [["import-csv", "nobody", "--leads", "package.json"], "Account nobody was not found\n"],
  [
    ["import-csv", "acme", "--leads", "none.csv"],
    "--leads none.csv can't be read: ENOENT: no such file or directory, access 'none.csv'\n",
  ],
  [["import-csv", "acme", "--leads", "x.csv", "--delimiter", "ab"], "--delimiter ab is not one character"],
  [
    ["promoter", "invite", "acme", "joe@example.com", "no address"],
    '"no address" is not an e-mail address\n',
  ],
  [["promoter", "invite", "acme", "joe@example.com", "--campaign", "9"], "Campaign not found"],
  [["promoter", "terms", "acme", "1", "--tax-rate", "100.01"], "--tax-rate must be from 0 to 100\n"],
  [
    ["promoter", "terms", "acme", "1", "--tax-rate", "7.755"],
    "--tax-rate must be a number of at most two decimals\n",
  ],
  [
    ["promoter", "terms", "acme", "1", "--net-days", "soon"],
    "--net-days must be a whole number from 0 to 365\n",
  ],
  [["promoter", "terms", "acme", "1"], "Promoter not found.\n"],
  [["erase", "lead", "acme", "nobody@example.com"], "Lead not found.\n"],
  [["erase", "promoter", "nobody", "1"], "Account nobody was not found\n"],
])("%j ends with 1 and says why", async (words, message) => {
  const { code, stdout, stderr } = await run(...words);
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining(message) as string,
  });
  expect(stderr).not.toContain("    at "); // no stack: what went wrong is the caller's
});

it("check shows the faults of a store one by one, and rebuild repairs them", async () => {
  await run("seed", "acme", "--promoters", "3", "--leads", "20", "--sales", "5");
  expect(await run("check")).toEqual({ code: 0, stdout: "", stderr: "no faults\n" });
  await change(MISCOUNT);
  const fault = `${MISCOUNTED}\n`;
  const remedy =
    "`tidemark rebuild` repairs columns and sums; stop the servers first. For other faults, restore a backup.";
  expect(await run("check")).toEqual({ code: 1, stdout: fault, stderr: `1 fault. ${remedy}\n` });
  await endConnections();
  expect(await runCli(at("store"), ["rebuild"])).toEqual({ code: 0, stdout: "", stderr: "no faults\n" });
  expect(await run("check")).toMatchObject({ code: 0 });
});

it("check shows damage in a store's file", async () => {
  await run("seed", "acme", "--promoters", "3", "--leads", "20", "--sales", "5");
  const file = join(at("store"), "tidemark.db");
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0x55, bytes.length - 4_096));
  const { code, stdout, stderr } = await run("check");
  const told = {
    code: 1,
    stdout: "database disk image is malformed\n",
    stderr: "1 fault. Stop the servers and restore a backup.\n",
  };
  expect({ code, stdout, stderr }).toEqual(told);
});

it("check names each damaged record and wrong column and what helps, and rebuild refuses to begin if a record is damaged", async () => {
  await run("promoter", "invite", "acme", "jane@example.com");
  await run("promoter", "invite", "acme", "bob@example.com");
  await change(
    { text: "update promoters set profile = '{' || profile where id = 1", values: [] },
    { text: "update promoters set email_key = 'other' where email = 'bob@example.com'", values: [] },
    MISCOUNT,
  );
  const { code, stdout } = await run("check");
  expect(code).toBe(1);
  for (const line of ["promoter [1] of account 1 is damaged: restore a backup that has it", MISCOUNTED])
    expect(stdout.split("\n")).toContain(line);
  expect(stdout).toMatch(
    /^promoter \[\d+\] of account 1 has columns that do not fit the record: email_key$/m,
  );
  await endConnections();
  expect(await runCli(at("store"), ["rebuild"])).toEqual({
    code: 1,
    stdout: "",
    stderr: "promoter [1] of account 1 is damaged: restore a backup that has it\n",
  });
  await change({ text: "update promoters set profile = substr(profile, 2) where id = 1", values: [] });
  await endConnections();
  expect(await runCli(at("store"), ["rebuild"])).toMatchObject({ code: 0 });
  expect(await run("check")).toEqual({ code: 0, stdout: "", stderr: "no faults\n" });
});

it.runIf(IS_LONG)("check runs beside a server that goes on, and rebuild refuses to", async () => {
  await endConnections();
  const server = await startServer(at("store"));
  expect(await runCli(at("store"), ["check"])).toEqual({ code: 0, stdout: "", stderr: "no faults\n" });
  expect(await runCli(at("store"), ["rebuild"])).toEqual({
    code: 1,
    stdout: "",
    stderr: "A server or another command uses the store: stop it, and run the rebuild again\n",
  });
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  expect(await server.stop()).toBe(0);
  expect(await runCli(at("store"), ["rebuild"])).toMatchObject({ code: 0 });
});

it.runIf(IS_LONG)(
  "check finds a copy of a running server's file without its log, and no fault in whole ones",
  async () => {
    const { key } = JSON.parse((await run("key", "create", "acme", "backend")).stdout) as { key: string };
    await endConnections();
    const server = await startServer(at("store"));
    for (const name of ["jane", "ben"]) {
      const { status } = await v1({ ...server, key }, "/promoters/create", { email: `${name}@example.com` });
      expect(status).toBe(200);
    }
    const checkCopy = async (name: string, besides: string[]) => {
      mkdirSync(at(name));
      for (const beside of besides)
        copyFileSync(join(at("store"), `tidemark.db${beside}`), join(at(name), `tidemark.db${beside}`));
      const { code, stdout } = await runCli(at(name), ["check"]);
      return { code, stdout };
    };
    const whole = { code: 0, stdout: "" };
    expect(await checkCopy("file", [""])).toEqual({
      code: 1,
      stdout: expect.stringContaining("without its log (tidemark.db-wal): changes since") as string,
    });
    expect(await checkCopy("both", ["", "-wal"])).toEqual(whole);
    expect((await runCli(at("store"), ["backup", at("backup")])).code).toBe(0);
    expect(await runCli(at("backup"), ["check"])).toMatchObject(whole);
    await server.kill();
    expect(await runCli(at("store"), ["check"])).toMatchObject(whole);
    const again = await startServer(at("store"));
    expect(await again.stop()).toBe(0);
    expect(await checkCopy("stopped", [""])).toEqual(whole);
  },
);

it.skipIf(process.geteuid?.() !== 0)(
  "what a command of root makes belongs to the owner of the folder that it is in",
  async () => {
    const [uid, gid] = [4_321, 4_322];
    const home = at("home");
    mkdirSync(home);
    chownSync(home, uid, gid);
    const url = { STORAGE_URL: `sqlite:${join(home, "made", "data")}` };
    const words = ["account", "create", "Tide", "--landing-url", "https://www.tide.example/"];
    expect(await callCli("", words, url)).toMatchObject({ code: 0 });
    expect(await callCli("", ["export", join(home, "all")], url)).toMatchObject({ code: 0 });
    expect(await callCli("", ["backup", join(home, "copy")], url)).toMatchObject({ code: 0 });
    const owners = readdirSync(home, { recursive: true, encoding: "utf8" }).map((name) => {
      const made = statSync(join(home, name));
      return [name, made.uid, made.gid];
    });
    expect(owners.length).toBeGreaterThan(5);
    expect(owners.filter(([, owner, group]) => owner !== uid || group !== gid)).toEqual([]);
  },
);

it.each([
  ["promoter", erasePromoter],
  ["lead", eraseLead],
] as const)(
  "an erasure of a %s that was killed half-way is finished by the same command",
  async (kind, erase) => {
    await run("seed", "acme", "--promoters", "1", "--leads", "1", "--sales", "0");
    let email = "";
    await inStore(`sqlite:${at("store")}`, async (engine) => {
      const text = `select email from ${kind}s where account_id = 1`;
      email = String((await engine.reads.all({ text, values: [] }))[0]![0]);
      const mortal = mortalEngine(engine);
      const store = await storeOn(mortal.engine);
      const context = { store, now: new Date(), chance: systemChance };
      // Its first commit is the last one of the process.
      mortal.kill({ afterCommits: 0, isWritten: true });
      await expect(erase(context, 1, email)).rejects.toThrow("killed");
    });
    const { code, stdout, stderr } = await run("erase", kind, "acme", email);
    expect({ code, stdout: JSON.parse(stdout) as unknown }).toEqual({
      code: 0,
      stdout: { erased: kind, id: NUMBER },
    });
    expect(stderr).toMatch(
      /^The interrupted erasure of (promoter|lead) \d+ was finished, and no other .* is .*@/,
    );
    expect((await run("erase", kind, "acme", email)).code).toBe(1);
  },
);

it("an export of a store without accounts can be imported", async () => {
  await inStore(`sqlite:${at("empty")}`, storeOn);
  await callCli(at("empty"), ["export", at("all")]);
  const imported = await callCli(at("other"), ["import", at("all")]);
  expect(imported).toMatchObject({ code: 0 });
  expect(await callCli(at("other"), ["check"])).toMatchObject({ code: 0, stderr: "no faults\n" });
});
