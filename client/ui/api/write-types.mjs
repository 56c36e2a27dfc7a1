// Writes the types of the API for the pages, from the server's OpenAPI document.
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";
import { runnerImport } from "vite";

const { module } = await runnerImport("./test/support/openapi.ts", { configFile: false, logLevel: "error" });
const FILE = "client/ui/api/types.ts";
const types = astToString(await openapiTS(module.newDocument()));
// A newer file among the sources would make the next test build everything again.
if ((await readFile(FILE, "utf8").catch(() => null)) !== types) await writeFile(FILE, types);
