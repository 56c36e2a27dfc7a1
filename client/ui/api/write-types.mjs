// Writes the types of the interface's answers for the pages, from the document that the server describes itself by.
import { writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";
import { runnerImport } from "vite";

const { module } = await runnerImport("./test/support/openapi.ts", { configFile: false, logLevel: "error" });
const types = await openapiTS(module.newDocument());
await writeFile("client/ui/api/types.ts", astToString(types));
