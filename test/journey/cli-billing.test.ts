import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadConnection } from "../../server/domain/ledger/billing/connection.ts";
import { NO_OUTCOMES } from "../support/billing.ts";
import { callCli, useAccountOnDisk } from "../support/cli.ts";
import { startProviderApi } from "../support/provider-api.ts";
import { storeAt } from "../support/records.ts";

const folder = useAccountOnDisk();

const billing = async (...words: string[]) => {
  const { code, stdout, stderr } = await callCli(folder(), ["billing", ...words]);
  return code === 0 ? JSON.parse(stdout) : { code, stderr };
};
const file = (name: string, text: string) => {
  writeFileSync(join(folder(), name), text);
  return join(folder(), name);
};
const failed = (stderr: string) => ({ code: 1, stderr: `${stderr}\n` });
const NOT_CONNECTED = failed("The account is not connected with stripe");

it("connects an account by files of secrets, lists it and disconnects it", async () => {
  const shown = {
    provider: "stripe",
    endpoint: "/hooks/stripe/acme",
    mode: "live",
    has_api_key: true,
    refunds_waiting: 0,
    created_at: expect.any(String),
  };
  const secrets = ["--secret-file", file("secret", "whsec_1\n"), "--api-key-file", file("key", "rk_1\n")];
  expect(await billing("connect", "acme", "stripe", ...secrets)).toEqual(shown);
  expect(await billing("connect", "acme", "stripe", ...secrets, "--mode", "test")).toEqual({
    ...shown,
    mode: "test",
  });
  expect(await billing("connect", "acme", "stripe", ...secrets, "--mode", "live")).toEqual(shown);
  expect(await billing("list", "acme")).toEqual([shown]);
  const store = await storeAt(`sqlite:${folder()}`);
  expect(await loadConnection(store, 1, "stripe")).toMatchObject({ secret: "whsec_1", apiKey: "rk_1" });
  await store.close();
  expect(await billing("disconnect", "acme", "stripe")).toEqual({ disconnected: "stripe" });
  expect(await billing("list", "acme")).toEqual([]);
  expect(await billing("disconnect", "acme", "stripe")).toEqual(NOT_CONNECTED);
});

it("syncs, and says what it found", async () => {
  const object = { id: "cus_1" };
  const event = { id: "evt_1", type: "customer.updated", created: 1_772_600_000, data: { object } };
  const api = await startProviderApi({
    "/v1/events": () => ({ object: "list", data: [event], has_more: false }),
  });
  const secrets = ["--secret-file", file("secret", "whsec_1"), "--api-key-file", file("key", "rk_1")];
  await billing("connect", "acme", "stripe", ...secrets, "--api-url", api.url);
  expect(await billing("sync", "acme", "stripe", "--since", "2026-03-01")).toEqual({
    events: 1,
    ...NO_OUTCOMES,
    ignored: 1,
    failed: 0,
  });
  const [asked = ""] = api.asked;
  const { searchParams } = new URL(asked.slice(4), api.url);
  expect(searchParams.get("created[gte]")).toBe(String(Date.parse("2026-03-01") / 1_000));
  await api.close();
});

it("refuses what it can't use", async () => {
  const blank = file("blank", " \n");
  expect(await billing("connect", "acme", "stripe", "--secret-file", blank)).toEqual(
    failed(`--secret-file ${blank} must contain one word`),
  );
  const missing = join(folder(), "missing");
  expect(await billing("connect", "acme", "stripe", "--secret-file", missing)).toEqual(
    failed(`--secret-file ${missing} can't be read: ENOENT: no such file or directory, open '${missing}'`),
  );
  expect(await billing("sync", "acme", "stripe")).toEqual(NOT_CONNECTED);
  expect(await billing("sync", "acme", "stripe", "--since", "monday")).toEqual(
    failed("--since monday is not a date"),
  );
  await billing("connect", "acme", "stripe", "--secret-file", file("secret", "whsec_1"));
  expect(await billing("sync", "acme", "stripe")).toEqual(
    failed("The connection with Stripe has no API key; connect again with one"),
  );
});
