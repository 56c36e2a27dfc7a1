import { resolve } from "node:path";
import { rollup } from "rollup";
import ts from "typescript";

/** Types are checked elsewhere; here that would take most of the time. */
const stripTypes = {
  name: "strip-types",
  transform(code: string, id: string) {
    const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
    return id.endsWith(".ts") ? ts.transpileModule(code, { compilerOptions }).outputText : null;
  },
};

/** Bundles the storage layer for processes of its own and gives the module's path. */
export async function buildStorageModule(): Promise<string> {
  const bundle = await rollup({
    input: {
      module: "test/support/storage-module.ts",
      "sqlite-thread": "server/storage/drivers/sqlite/thread.ts",
    },
    external: (id) => !/^[./]/.test(id),
    plugins: [stripTypes],
  });
  // Within the project, so that its packages are found; one for each worker, as they build at the same time.
  const dir = resolve(`dist/test/storage-${process.env.VITEST_POOL_ID ?? 0}`);
  await bundle.write({ dir, format: "es" });
  await bundle.close();
  return resolve(dir, "module.js");
}
