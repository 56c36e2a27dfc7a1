import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import { generateApi } from "swagger-typescript-api";
import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";
import { KEY, startApp } from "../../support/app.ts";
import { newDocument } from "../../support/openapi.ts";

const folder = fileURLToPath(new URL("../../clients/", import.meta.url));

type Try = (caller: {
  baseUrl: string;
  fetch: (request: Request) => Promise<Response>;
  key: string;
  account_id: string;
}) => Promise<object>;

/** Each client is generated from the document alone, as a stranger would do it. */
beforeAll(async () => {
  mkdirSync(`${folder}generated`, { recursive: true });
  const types = await openapiTS(newDocument() as never);
  writeFileSync(`${folder}generated/openapi-typescript.ts`, astToString(types));
  const { files } = await generateApi({
    spec: newDocument() as never,
    output: false,
    moduleNameIndex: 1,
    silent: true,
  });
  writeFileSync(`${folder}generated/swagger-typescript-api.ts`, files[0]?.fileContent ?? "");
});

it("gets types that accept what clients write, and refuse what they must not", () => {
  const config = ts.getParsedCommandLineOfConfigFile(
    `${folder}tsconfig.json`,
    {},
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: (fault) => {
        throw new Error(String(fault.messageText));
      },
    },
  )!;
  const program = ts.createProgram(config.fileNames, config.options);
  const faults = ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
    return `${file?.fileName ?? ""}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
  expect(faults).toEqual([]);
});

describe.each(["openapi-fetch", "swagger-typescript-api"])("a client made by %s", (name) => {
  const cases = [
    ["tryV1", { promoter: "jane", lead: "cus_99", emails: ["sam@example.net"] }],
    ["tryV2", { promoter: "Jane Doe", lead: "cus_99", emails: ["jane@example.com"], refusal: "not_found" }],
  ] as const;

  it.each(cases)("adds a promoter, records a sign-up and reads lists: %s", async (trial, expected) => {
    const app = await startApp();
    const client = (await import(`${folder}${name}.ts`)) as Record<string, Try>;
    const told = await client[trial]!({
      baseUrl: "https://track.acme.example",
      fetch: async (request) => app.app.fetch(request),
      key: KEY,
      account_id: "acme",
    });
    expect(told).toEqual(expected);
    await app.close();
  });
});
