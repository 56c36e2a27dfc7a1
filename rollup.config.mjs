import { readdirSync, readFileSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import nodeResolve from "@rollup/plugin-node-resolve";
import replace from "@rollup/plugin-replace";
import terser from "@rollup/plugin-terser";
import ts from "typescript";

const compilerOptions = { module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true };

/** Strips types. `npm run types` checks them; that takes longer than the rest of the build. */
const compile = (target) => ({
  name: "compile",
  transform(code, fileName) {
    if (!fileName.endsWith(".ts")) return null;
    const options = { ...compilerOptions, target, sourceMap: true };
    const output = ts.transpileModule(code, { fileName, compilerOptions: options, reportDiagnostics: true });
    failOnFaults(fileName, output);
    return { code: output.outputText, map: output.sourceMapText };
  },
});

/** Writes the types of a folder's modules beside the bundle. */
const declarations = (folder) => ({
  name: "declarations",
  generateBundle() {
    const options = { ...compilerOptions, rewriteRelativeImportExtensions: true, isolatedDeclarations: true };
    for (const name of readdirSync(folder)) {
      const code = readFileSync(join(folder, name), "utf8");
      const output = ts.transpileDeclaration(code, { compilerOptions: options, reportDiagnostics: true });
      failOnFaults(name, output);
      this.emitFile({
        type: "asset",
        fileName: name.replace(/ts$/, "d.ts"),
        source: output.outputText,
      });
    }
  },
});

function failOnFaults(name, { diagnostics }) {
  const texts = diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
  if (texts.length > 0) throw new Error(`${name}: ${texts.join("; ")}`);
}

const failOnWarning = (warning) => {
  throw new Error(warning.message);
};

/** The script that marketing pages load: everything in one file, js-cookie included. */
export const tracker = {
  input: "client/tracker/script.ts",
  onwarn: failOnWarning,
  output: { file: "dist/svc.js", format: "iife", strict: false },
  plugins: [
    nodeResolve({ browser: true }),
    // The module keeps the check, because servers that render pages import it too.
    replace({ preventAssignment: true, values: { "typeof document": JSON.stringify("object") } }),
    compile(ts.ScriptTarget.ES2021),
    terser({
      ecma: 2020,
      compress: {
        passes: 4,
        toplevel: true,
        pure_getters: true,
        unsafe: true,
        unsafe_arrows: true,
        unsafe_methods: true,
        keep_fargs: false,
      },
      mangle: { toplevel: true },
      format: { comments: false },
    }),
  ],
};

/** The same script as an ES module, with types. */
export const trackerModule = {
  input: "client/tracker/index.ts",
  onwarn: failOnWarning,
  output: { dir: "dist/tracker", format: "es" },
  plugins: [nodeResolve({ browser: true }), declarations("client/tracker"), compile(ts.ScriptTarget.ES2020)],
};

/** We serve the viewer of `/docs` ourselves, not a third party. */
const docsViewer = {
  name: "docs-viewer",
  writeBundle: () => copyFile("node_modules/rapidoc/dist/rapidoc-min.js", "dist/docs.js"),
};

/** The server. Its packages come from node_modules at run time. */
export const server = {
  input: {
    main: "server/main.ts",
    cli: "server/cli/main.ts",
    // A worker thread needs a file of its own.
    "sqlite-thread": "server/storage/drivers/sqlite/thread.ts",
  },
  onwarn: failOnWarning,
  external: (id) => !/^[./]/.test(id) && !/^[A-Z]:/.test(id),
  output: { dir: "dist/server", format: "es", sourcemap: true, chunkFileNames: "[name].js" },
  plugins: [compile(ts.ScriptTarget.ES2022), docsViewer],
};

export default [tracker, trackerModule, server];
