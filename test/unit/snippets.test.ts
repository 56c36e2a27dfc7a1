import { expect, it } from "vitest";
import { backends } from "../../client/dashboard/settings/snippets.ts";

const call = (name: string) => backends("https://track.example").find((each) => each.name === name)!.text;

it("the call in Node sends no id for a visitor who has none, and gives up in time", async () => {
  const sent: { url: string; init: RequestInit }[] = [];
  const fetch = (url: string, init: RequestInit) => sent.push({ url, init });
  const given = { fetch, apiKey: "key", email: "jane@example.com", uid: "7", cookies: {} };
  const run = new Function(...Object.keys(given), `return (async () => { ${call("Node")} })();`) as (
    ...given: unknown[]
  ) => Promise<void>;
  await run(...Object.values(given));
  const [{ url, init }] = sent as [(typeof sent)[number]];
  expect(url).toBe("https://track.example/api/v1/track/signup");
  expect(String(init.body)).toBe("email=jane%40example.com&uid=7&tid=");
  expect(init.signal).toBeInstanceOf(AbortSignal);
});

it("the call in PHP prints nothing on the customer's page, and gives up in time", () => {
  expect(call("PHP")).toContain("CURLOPT_RETURNTRANSFER => true");
  expect(call("PHP")).toMatch(/CURLOPT_TIMEOUT => \d/);
});
