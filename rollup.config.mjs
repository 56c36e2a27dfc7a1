import { copyFile } from "node:fs/promises";
import nodeResolve from "@rollup/plugin-node-resolve";
import replace from "@rollup/plugin-replace";
import terser from "@rollup/plugin-terser";
import typescript from "@rollup/plugin-typescript";

/** Compiles a folder. `npm run types` checks its types; that takes longer than the rest of the build. */
const compile = (folder, options = {}) =>
  typescript({
    filterRoot: ".",
    include: [`${folder}/**`],
    rootDir: folder,
    noCheck: true,
    noEmit: false,
    rewriteRelativeImportExtensions: true,
    allowImportingTsExtensions: false,
    ...options,
  });

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
    compile("client/tracker", { target: "es2021" }),
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
  plugins: [
    nodeResolve({ browser: true }),
    compile("client/tracker", {
      target: "es2020",
      declaration: true,
      declarationDir: "dist/tracker",
      outDir: "dist/tracker",
    }),
  ],
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
  plugins: [compile("server", { sourceMap: true, outDir: "dist/server" }), docsViewer],
};

export default [tracker, trackerModule, server];
