// Writes the types of the API for the pages, from the server's OpenAPI document.
import { writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";
import { runnerImport } from "vite";

const { module } = await runnerImport("./test/support/openapi.ts", { configFile: false, logLevel: "error" });
const types = await openapiTS(module.newDocument());
await writeFile("client/ui/api/types.ts", astToString(types));
