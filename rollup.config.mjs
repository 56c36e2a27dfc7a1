import { createHash } from "node:crypto";
import { chmod, copyFile, readFile, readdir, rm, utimes, writeFile } from "node:fs/promises";
import nodeResolve from "@rollup/plugin-node-resolve";
import replace from "@rollup/plugin-replace";
import terser from "@rollup/plugin-terser";
import typescript from "@rollup/plugin-typescript";
import compileMessage from "icu-minify/compile";
import { bundle } from "lightningcss";
import ts from "typescript";
import { minify, transformWithOxc } from "vite";

/** Removes the types. `npm run types` checks them; that takes longer than the rest of the build. */
const compile = (target) => ({
  name: "compile",
  transform: (code, file) => (/\.tsx?$/.test(file) ? transformWithOxc(code, file, { target }) : null),
});

const failOnWarning = (warning) => {
  throw new Error(warning.message);
};

/** Circular imports and odd comments within packages are not ours to repair. */
const failOnOwnWarning = (warning) => {
  const file = warning.id ?? warning.ids?.[0];
  if (!file?.includes("node_modules")) failOnWarning(warning);
};

/** The text between the braces of the only statement of a kind, which is taken out. */
function cut(chunk, statement) {
  const [found, names] = statement.exec(chunk.code) ?? [];
  if (found === undefined) throw new Error(`${chunk.fileName} does not have ${statement}`);
  chunk.code = chunk.code.replace(found, "");
  return names;
}

/** The names in an export or import of minified code: `own as shared`, `shared as own`. */
const pairsOf = (names) => names.split(",").map((pair) => pair.trim().split(" as "));

/**
 * Makes classic scripts of the two files. The second takes from the first what both need: the first puts it on the
 * script element that loads the second, so neither needs a global.
 */
const twoFiles = {
  name: "two-files",
  buildStart() {
    this.emitFile({
      type: "chunk",
      id: "client/tracker/script-second.ts",
      name: "svc-more",
      implicitlyLoadedAfterOneOf: ["client/tracker/script.ts"],
    });
  },
  generateBundle(_options, bundle) {
    const [first, second] = ["svc", "svc-more"].map((name) =>
      Object.values(bundle).find((chunk) => chunk.name === name),
    );
    const given = pairsOf(cut(first, /export\s*\{(.*?)\};?\s*/));
    const taken = new Map(
      pairsOf(cut(second, /import\s*\{(.*?)\}\s*from\s*"[^"]*";?\s*/)).map(([shared, own = shared]) => [
        shared,
        own,
      ]),
    );
    const names = given.map(([own, shared = own]) => taken.get(shared)).join();
    second.code = `(()=>{const[${names}]=document.currentScript.parts;${second.code.trim()}})();`;
    const digest = (form) => createHash("sha256").update(second.code).digest(form);
    delete bundle[second.fileName];
    second.fileName = `svc-more.${digest("hex").slice(0, 12)}.js`;
    bundle[second.fileName] = second;
    first.code = `(()=>{${first.code.trim()}})();`
      .replace("SVC_SECOND", JSON.stringify(second.fileName))
      .replace("SVC_DIGEST", JSON.stringify(`sha256-${digest("base64")}`))
      // A function, because `$` may be one of the names.
      .replace("SVC_PARTS", () => `[${given.map(([own]) => own)}]`);
  },
  /** Removes the second files of earlier builds. They would be packed too, and nothing loads them. */
  async writeBundle({ dir }, files) {
    const older = (await readdir(dir)).filter((name) => name.startsWith("svc-more.") && !(name in files));
    await Promise.all(older.map((name) => rm(`${dir}/${name}`)));
  },
};

/** The script that marketing pages load, js-cookie included, and its second file. */
export const tracker = {
  input: { svc: "client/tracker/script.ts" },
  onwarn: failOnWarning,
  output: { dir: "dist", format: "es", entryFileNames: "[name].js", chunkFileNames: "[name].js" },
  plugins: [
    nodeResolve({ browser: true }),
    // The module keeps the check, because servers that render pages import it too.
    replace({ preventAssignment: true, values: { "typeof document": JSON.stringify("object") } }),
    compile("es2021"),
    terser({
      ecma: 2020,
      module: true,
      compress: {
        passes: 4,
        toplevel: true,
        pure_getters: true,
        unsafe: true,
        unsafe_methods: true,
        keep_fargs: false,
      },
      mangle: { toplevel: true },
      format: { comments: false },
    }),
    twoFiles,
  ],
};

/** The same script as an ES module, with types. */
export const trackerModule = {
  input: "client/tracker/index.ts",
  onwarn: failOnWarning,
  output: { dir: "dist/tracker", format: "es" },
  plugins: [
    nodeResolve({ browser: true }),
    typescript({
      filterRoot: ".",
      include: ["client/tracker/**"],
      rootDir: "client/tracker",
      outDir: "dist/tracker",
      target: "es2020",
      declaration: true,
      declarationDir: "dist/tracker",
      noCheck: true,
      noEmit: false,
      rewriteRelativeImportExtensions: true,
      allowImportingTsExtensions: false,
    }),
  ],
};

/** We serve the viewer of `/docs` ourselves, not a third party. */
const docsViewer = {
  name: "docs-viewer",
  writeBundle: () => copyFile("node_modules/rapidoc/dist/rapidoc-min.js", "dist/docs.js"),
};

/** npm makes commands executable when it installs a package, but not those of the package that it builds. */
const executable = {
  name: "executable",
  writeBundle: () => chmod("dist/server/cli.js", 0o755),
};

/** Removes the files of earlier builds. They would be packed too, and nothing loads them. */
const onlyThese = {
  name: "only-these",
  async writeBundle({ dir }, files) {
    const older = (await readdir(dir)).filter((name) => !(name in files));
    await Promise.all(older.map((name) => rm(`${dir}/${name}`)));
  },
};

/** The types of `tidemark/storage`. They are made of that file alone, which imports none of the server's types. */
const storageTypes = {
  name: "storage-types",
  async generateBundle() {
    const text = await readFile(STORAGE, "utf8");
    const { outputText, diagnostics } = ts.transpileDeclaration(text, { reportDiagnostics: true });
    if (diagnostics?.length > 0)
      throw new Error(ts.flattenDiagnosticMessageText(diagnostics[0].messageText, " "));
    this.emitFile({ type: "asset", fileName: "storage.d.ts", source: outputText });
  },
};

/** What other programs import as `tidemark/storage`. */
const STORAGE = "server/process/published-storage.ts";

/** These packages have hundreds of small files, and finding them took half of each command's time. */
const BUNDLED = new Set(["kysely", "zod"]);

/** The server. All other packages come from node_modules at run time. */
export const server = {
  input: {
    main: "server/main.ts",
    cli: "server/cli/main.ts",
    storage: STORAGE,
    // A worker thread needs a file of its own.
    "sqlite-reader": "server/storage/engines/sqlite/reader-thread.ts",
  },
  onwarn: failOnOwnWarning,
  external: (id) => !BUNDLED.has(id) && !/^[./]/.test(id) && !/^[A-Z]:/.test(id),
  output: { dir: "dist/server", format: "es", sourcemap: true, chunkFileNames: "[name].js" },
  plugins: [nodeResolve(), compile("es2022"), storageTypes, docsViewer, executable, onlyThese],
};

/**
 * Bundles and minifies the style of an app. We call lightningcss ourselves, because the CSS plugins of rollup are made
 * for styles that scripts import, while a page loads ours before its script.
 */
const style = (app) => ({
  name: "style",
  buildStart() {
    const { code } = bundle({ filename: `client/${app}/style.css`, minify: true, targets: BROWSERS });
    this.emitFile({ type: "asset", name: `${app}.css`, source: code });
  },
});

/** Browsers of the last years, as versions of lightningcss: the first number is in the third byte. */
const BROWSERS = { chrome: 111 << 16, firefox: 121 << 16, safari: (16 << 16) | (4 << 8) };

const CATALOGUE = /client\/languages\/([a-z]{2})\.ts$/;

/** Parses the texts of a language, so that pages don't have to. */
const catalogues = {
  name: "catalogues",
  async transform(code, file) {
    if (!CATALOGUE.test(file)) return null;
    const { code: script } = await transformWithOxc(code, file, { target: "es2022" });
    const lists = await import(`data:text/javascript,${encodeURIComponent(script)}`);
    const compiled = Object.entries(lists).map(([name, texts]) => {
      const messages = Object.entries(texts).map(([key, text]) => [key, compileMessage(text)]);
      return `export const ${name} = ${JSON.stringify(Object.fromEntries(messages))};`;
    });
    return { code: compiled.join("\n"), map: null };
  },
};

/** Minifies in a small part of terser's time. The tracker keeps terser, because each of its bytes counts. */
const minified = {
  name: "minified",
  async renderChunk(code, { fileName }) {
    const { code: small, errors } = await minify(fileName, code, {
      module: true,
      compress: { target: "es2022" },
    });
    if (errors.length > 0) throw new Error(errors[0].message);
    return small;
  },
};

/** Names an app's files for the server, which can't guess their hashes, and removes those of earlier builds. */
const manifest = (app) => ({
  name: "manifest",
  async writeBundle(_options, files) {
    const entry = Object.values(files).find((file) => file.isEntry);
    const names = {
      script: entry.fileName,
      // The browser would only find these after it has read the script.
      preloads: entry.imports,
      style: Object.keys(files).find((name) => name.endsWith(".css")),
      // A page loads one of these.
      languages: Object.fromEntries(
        Object.values(files).flatMap(({ facadeModuleId, fileName }) => {
          const [, language] = CATALOGUE.exec(facadeModuleId ?? "") ?? [];
          return language === undefined ? [] : [[language, fileName]];
        }),
      ),
      files: Object.keys(files),
    };
    const older = (await readdir("dist/pages")).filter(
      (name) => name.startsWith(`${app}-`) && !(name in files),
    );
    await Promise.all(older.map((name) => rm(`dist/pages/${name}`)));
    await writeFile(`dist/pages/${app}.json`, JSON.stringify(names));
  },
});

/** The pages of one group of people. What a page alone needs is a file of its own, loaded with it. */
const pages = (app) => ({
  input: { [app]: `client/${app}/main.tsx` },
  onwarn: failOnWarning,
  output: {
    dir: "dist/pages",
    format: "es",
    entryFileNames: "[name]-[hash].js",
    chunkFileNames: `${app}-[name]-[hash].js`,
    assetFileNames: "[name]-[hash][extname]",
  },
  plugins: [
    nodeResolve({ browser: true }),
    catalogues,
    compile("es2022"),
    style(app),
    minified,
    manifest(app),
  ],
});

export const apps = ["dashboard", "portal", "join"].map(pages);

const MARK = "dist/built";

/** The last part of a build marks it as complete, so that `npm start` builds again after one that was killed. */
const marked = (last, began) => ({
  ...last,
  plugins: [
    ...last.plugins,
    {
      name: "marked",
      async writeBundle() {
        await writeFile(MARK, "");
        // What is changed during the build is newer.
        await utimes(MARK, began, began);
      },
    },
  ],
});

/** `--configScriptOnly` builds what the quick tests need. */
export default async ({ configScriptOnly }) => {
  if (configScriptOnly) return tracker;
  await rm(MARK, { force: true });
  const began = new Date();
  return [tracker, trackerModule, server, ...apps.slice(0, -1), marked(apps.at(-1), began)];
};
