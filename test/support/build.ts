import { resolve } from "node:path";
import typescript from "@rollup/plugin-typescript";
import { rollup } from "rollup";

/** Bundles the storage layer for processes of its own and gives the module's path. */
export async function buildStorageModule(): Promise<string> {
  const bundle = await rollup({
    input: "test/support/storage-module.ts",
    external: (id) => !/^[./]/.test(id),
    plugins: [
      typescript({
        include: ["server/**", "test/support/**"],
        noEmit: false,
        rootDir: ".",
        rewriteRelativeImportExtensions: true,
        allowImportingTsExtensions: false,
      }),
    ],
  });
  // Within the project, so that its packages are found; one for each worker, as they build at the same time.
  const file = resolve(`dist/test/storage-${process.env.VITEST_POOL_ID ?? 0}.mjs`);
  await bundle.write({ file, format: "es" });
  await bundle.close();
  return file;
}
