import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectral, { type RulesetDefinition } from "@stoplight/spectral-core";
import rulesets from "@stoplight/spectral-rulesets";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { IS_LONG } from "../../support/rounds.ts";

let app: TestApp;
let text: string;
beforeAll(async () => {
  app = await startApp();
  text = await (await app.request("/openapi.json")).text();
});
afterAll(() => app.close());

// Each reads the document for several seconds.
describe.runIf(IS_LONG)("/openapi.json has no error", () => {
  it("according to Redocly's recommended rules", async () => {
    const config = await createConfig({ extends: ["recommended"] });
    const found = await lintFromString({ source: text, absoluteRef: "/openapi.json", config });
    expect(found.filter(({ severity }) => severity === "error")).toEqual([]);
  });

  it("according to Spectral's rules for OpenAPI", { timeout: 120_000 }, async () => {
    const linter = new spectral.Spectral();
    linter.setRuleset({ extends: [rulesets.oas as RulesetDefinition] });
    const found = await linter.run(JSON.parse(text) as Record<string, unknown>);
    expect(found.filter(({ severity }) => severity === 0)).toEqual([]);
  });
});
