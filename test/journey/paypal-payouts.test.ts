import { execFile } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { callCli } from "../support/cli.ts";
import { finishPayments } from "../support/payments.ts";
import { PAYPAL_FAULTS, startPaypalApi, type PaypalApi } from "../support/paypal-api.ts";
import { addPayout, addPromoter, selectMethod } from "../support/payouts.ts";
import { rounds } from "../support/rounds.ts";
import { temporaryFolder } from "../support/server.ts";
import { withStore } from "../support/operations.ts";

const ANY = expect.any(String) as string;
const SECRET = { TIDEMARK_SECRET: Buffer.alloc(32, "k").toString("base64") };

let folder: string;
let remove: () => void;
let paypal: PaypalApi;
beforeEach(async () => {
  ({ folder, remove } = temporaryFolder());
  paypal = await startPaypalApi(() => new Date());
  await run("account", "create", "Acme", "--id", "acme", "--landing-url", "https://www.acme.example/");
  await withStore(`sqlite:${folder}`, async ({ context, records, account_id }) => {
    const account = (await records.get("account", account_id))!;
    for (const name of ["jane", "joe"]) {
      const promoter = await addPromoter(context, account, { email: `${name}@example.com` });
      await selectMethod(context, promoter, {
        method: "paypal",
        details: { wallet_email: `${name}@wallet.example` },
      });
      await addPayout(context, promoter);
    }
  });
});
afterEach(async () => {
  await paypal.close();
  remove();
});

/** The printed value of a command that must succeed. */
async function run<T = unknown>(...words: string[]): Promise<T> {
  const { code, stdout, stderr } = await callCli(folder, words, SECRET);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as T;
}

async function connect(account = "acme"): Promise<unknown> {
  const file = join(folder, "secret");
  writeFileSync(file, "secret-1\n");
  const options = ["--client-id", "client-1", "--secret-file", file, "--base-url", paypal.url];
  return run("payouts", "connect", account, "paypal", ...options);
}

/** Runs the built command twice at once, and kills both some time after PayPal got so many requests of them. */
function killedCommands({
  afterRequests,
  afterMs,
}: {
  afterRequests: number;
  afterMs: number;
}): Promise<unknown> {
  const env = { ...process.env, STORAGE_URL: `sqlite:${folder}`, ...SECRET };
  const words = ["dist/server/cli.js", "payouts", "send", "acme", "1", "--yes"];
  const commands = [1, 2].map(() => {
    const child = execFile(process.execPath, words, { env });
    return { child, ended: once(child, "exit") };
  });
  let requests = 0;
  paypal.watch = () => {
    requests += 1;
    if (requests === afterRequests)
      setTimeout(() => commands.forEach(({ child }) => child.kill("SIGKILL")), afterMs);
  };
  // A command that waits for another one that was killed is no longer of interest.
  const isOver = setTimeout(() => commands.forEach(({ child }) => child.kill("SIGKILL")), 4_000);
  return Promise.all(commands.map(({ ended }) => ended)).finally(() => {
    clearTimeout(isOver);
    paypal.watch = null;
  });
}

it("connects PayPal, shows what would be sent, sends it once and follows it", async () => {
  const connection = {
    provider: "paypal",
    client_id: "client-1",
    campaign_id: null,
    profile_id: null,
    webhook_id: null,
    fee_rule: null,
    has_webhook_key: false,
    base_url: paypal.url,
    created_at: ANY,
  };
  expect(await connect()).toEqual(connection);
  expect(await run("payouts", "connections", "acme")).toEqual([connection]);
  await run("payouts", "batch", "acme", "paypal");
  expect(await run("payouts", "send", "acme", "1")).toEqual({
    batch: 1,
    currency: "USD",
    total: "240.00",
    balance: null,
    fee_estimate: null,
    fee_estimate_by: null,
    to_pay: [
      { promoter: 1, name: "jane@example.com", payee: "jane@wallet.example", amount: "120.00", payouts: [1] },
      { promoter: 2, name: "joe@example.com", payee: "joe@wallet.example", amount: "120.00", payouts: [2] },
    ],
    left_out: [],
    sent: "nothing: add --yes to send it",
  });
  expect(paypal.postings).toBe(0);
  const payment = {
    id: 1,
    batch: 1,
    promoter: 1,
    payouts: [1],
    payer: "paypal",
    amount: "120.00",
    currency: "USD",
    reference: ANY,
    state: "asked",
    since: ANY,
    fee: null,
    error: null,
    undecided: null,
  };
  const sent = await run("payouts", "send", "acme", "1", "--yes");
  const other = { ...payment, id: 2, promoter: 2, payouts: [2] };
  expect(sent).toEqual({ batch: 1, payments: [payment, other], left_out: [] });
  for (const item of paypal.items()) paypal.settle(item, "SUCCESS");
  const confirmed = { state: "confirmed", fee: "0.25" };
  expect(await run("payouts", "send", "acme", "1", "--yes")).toEqual({
    batch: 1,
    payments: [
      { ...payment, ...confirmed },
      { ...other, ...confirmed },
    ],
    left_out: [],
  });
  expect([paypal.postings, paypal.items().length]).toEqual([1, 2]);
  expect(await run("payouts", "list-batches", "acme")).toMatchObject([{ status: "completed" }]);
});

it.each([
  [
    { TIDEMARK_SECRET: "short" },
    "These environment variables are wrong:\n  TIDEMARK_SECRET must be keys of 32 bytes in base64, one a line\n",
  ],
])("keeps no secret with %j", async (environment, stderr) => {
  writeFileSync(join(folder, "secret"), "secret-1");
  const options = ["--client-id", "client-1", "--secret-file", join(folder, "secret")];
  const result = await callCli(folder, ["payouts", "connect", "acme", "paypal", ...options], environment);
  expect(result).toEqual({ code: 1, stdout: "", stderr });
});

it("encrypts the secrets with a new key, and forgets the old one", async () => {
  await connect();
  const [old, next] = [SECRET.TIDEMARK_SECRET, Buffer.alloc(32, "n").toString("base64")];
  const rotate = (keys: string) => callCli(folder, ["secrets", "rotate"], { TIDEMARK_SECRET: keys });
  // The secret of PayPal, and the wallets of Jane and Joe.
  const rotated = { code: 0, stdout: '{\n  "rotated": 3\n}\n', stderr: "" };
  expect(await rotate(`${next}\n${old}`)).toEqual(rotated);
  expect(await rotate(next)).toEqual({ ...rotated, stdout: '{\n  "rotated": 0\n}\n' });
  const { code, stderr } = await rotate(old);
  expect([code, stderr]).toEqual([
    1,
    "The store's secrets are encrypted with another key, and TIDEMARK_SECRET_FILE does not have it: put it back\n",
  ]);
});

it("encrypts nothing anew while an account can't be changed, and names it", async () => {
  await connect();
  await run("account", "create", "Beta", "--id", "beta", "--landing-url", "https://www.beta.example/");
  await connect("beta");
  await run("account", "freeze", "acme");
  const [old, next] = [SECRET.TIDEMARK_SECRET, Buffer.alloc(32, "n").toString("base64")];
  const rotate = (keys: string) => callCli(folder, ["secrets", "rotate"], { TIDEMARK_SECRET: keys });
  expect(await rotate(`${next}\n${old}`)).toEqual({
    code: 1,
    stdout: "",
    stderr:
      "Nothing was encrypted anew: acme can't be changed while being moved or removed. Finish that, or run `tidemark account unfreeze`, and rotate again. Keep the former key until then\n",
  });
  expect((await rotate(old)).stdout).toBe('{\n  "rotated": 0\n}\n');
  await run("account", "unfreeze", "acme");
  expect((await rotate(`${next}\n${old}`)).stdout).toBe('{\n  "rotated": 4\n}\n');
});

it("pays once although the command is killed again and again", async () => {
  await connect();
  await run("payouts", "batch", "acme", "paypal");
  const count = rounds(6, 12);
  for (let round = 0; round < count; round += 1) {
    if (round % 3 === 0) paypal.fail(PAYPAL_FAULTS[round % PAYPAL_FAULTS.length]!);
    await killedCommands({ afterRequests: 1 + (round % 8), afterMs: (round * 7) % 30 });
  }
  paypal.recover();
  await finishPayments(`sqlite:${folder}`, { paypal, afterHours: 1 });
  for (const item of paypal.items()) paypal.settle(item, "SUCCESS");
  expect(await finishPayments(`sqlite:${folder}`, { paypal, afterHours: 10 })).toEqual([
    [1, "confirmed"],
    [2, "confirmed"],
  ]);
  expect(paypal.items().map(({ receiver }) => receiver)).toEqual([
    "jane@wallet.example",
    "joe@wallet.example",
  ]);
}, 600_000);
