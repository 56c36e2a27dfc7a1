import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

/** The layers that each layer may import besides itself, from top to bottom. */
const LAYERS: Record<string, string[]> = {
  main: ["process", "request", "config"],
  cli: [
    "main",
    "process",
    "billing",
    "outbox",
    "transfer",
    "input",
    "http",
    "config",
    "domain",
    "storage",
    "failure",
    "url",
  ],
  process: [
    "app",
    "transfer",
    "outbox",
    "outgoing",
    "track",
    "request",
    "http",
    "config",
    "lease",
    "domain",
    "storage",
    "web",
    "failure",
  ],
  app: ["billing", "v1", "v2", "track", "web", "openapi", "request", "http", "domain", "failure"],
  transfer: ["outbox", "input", "lease", "domain", "storage", "failure"],
  outbox: ["v1", "v2", "outgoing", "lease", "domain", "storage", "failure"],
  v1: ["request", "input", "http", "domain", "storage", "failure"],
  billing: ["request", "http", "domain", "storage", "failure"],
  v2: ["billing", "request", "input", "http", "outgoing", "domain", "storage", "failure", "url"],
  track: ["request", "input", "http", "domain", "storage", "failure", "url"],
  web: ["track", "request", "input", "http", "domain", "storage", "failure"],
  openapi: ["input", "http", "failure"],
  request: ["outgoing", "http", "domain", "storage", "failure"],
  input: ["http", "failure", "url"],
  http: ["storage", "failure", "url"],
  outgoing: ["domain", "failure"],
  lease: ["domain", "storage", "failure"],
  domain: ["storage", "failure", "url"],
  storage: ["failure"],
  config: ["url"],
  failure: [],
  url: [],
};

const MAX_LINES = 200;
/** Made from the OpenAPI document, never committed. */
const GENERATED = "client/ui/api/types.ts";
const files = [...sources("server"), ...sources("client")];

describe("the server's layers", () => {
  it.each(sources("server"))("%s imports only from layers below it", (file) => {
    const layer = layerOf(file);
    for (const target of imports(file).filter((name) => name.startsWith("."))) {
      expect(target).toMatch(/\.ts$/);
      const other = layerOf(join(dirname(file), target));
      if (other !== layer) expect(LAYERS[layer], `${file} → ${target}`).toContain(other);
    }
  });
});

/** What each part of the browser's code may import besides itself. */
const CLIENT_PARTS: Record<string, string[]> = {
  tracker: [],
  ui: [],
  dashboard: ["ui"],
  portal: ["ui"],
  join: ["ui"],
};

describe("the browser's code", () => {
  it.each(sources("client"))("%s imports neither the server nor other pages", (file) => {
    const part = partOf(file);
    for (const target of imports(file).filter((name) => name.startsWith("."))) {
      expect(target).toMatch(/\.tsx?$/);
      const path = join(dirname(file), target);
      expect(path).toMatch(/^client\//);
      const other = partOf(path);
      if (other !== part) expect(CLIENT_PARTS[part], `${file} → ${target}`).toContain(other);
    }
  });
});

/** Packages that only those who use them pay for. */
const LAZY = new Set(["stripe", "@paddle/paddle-node-sdk", "fast-xml-parser"]);

describe("packages that few need", () => {
  it.each(sources("server"))("%s loads them when they are needed", (file) => {
    const atStart = parse(file).statements.filter(
      (node) =>
        ts.isImportDeclaration(node) && node.importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword,
    );
    const names = atStart.map((node) =>
      (node as ts.ImportDeclaration).moduleSpecifier.getText().slice(1, -1),
    );
    expect(names.filter((name) => LAZY.has(name))).toEqual([]);
  });
});

describe("each source file", () => {
  it.each(files)("%s keeps the house rules", (file) => {
    const text = readFileSync(file, "utf8");
    const tree = parse(file);
    expect(text.split("\n").length - 1, "lines").toBeLessThanOrEqual(MAX_LINES);
    if (!file.endsWith("config.ts")) expect(text).not.toContain("process.env");
    if (file !== "server/url.ts") expect(text).not.toContain("URL.canParse");
    if (!file.endsWith("tracker/cookie.ts")) expect(imports(file)).not.toContain("js-cookie");
    const kinds = new Set<ts.SyntaxKind>();
    const visit = (node: ts.Node): void => {
      kinds.add(node.kind);
      if (ts.isClassDeclaration(node)) expect(node.name?.text).toBe("Failure");
      ts.forEachChild(node, visit);
    };
    visit(tree);
    for (const kind of [
      ts.SyntaxKind.AnyKeyword,
      ts.SyntaxKind.EnumDeclaration,
      ts.SyntaxKind.ModuleDeclaration,
      ts.SyntaxKind.ExportAssignment,
    ]) {
      expect(kinds.has(kind), ts.SyntaxKind[kind]).toBe(false);
    }
  });
});

describe("the pointers of comments", () => {
  const pointers = [...files, ...sources("test")].flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/@see (docs\/\S+?\.md)(?: "([^"]+)")?/g)].map((match) => ({
      file,
      page: match[1] as string,
      heading: match[2],
    })),
  );

  it("finds them", () => {
    expect(pointers.length).toBeGreaterThan(0);
  });

  it.each(pointers)("$file points to $page, $heading", ({ page, heading }) => {
    const headings = [...readFileSync(page, "utf8").matchAll(/^#+ (.+)$/gm)].map((match) => match[1]);
    if (heading !== undefined) expect(headings).toContain(heading);
  });
});

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name))
    .filter((file) => file !== GENERATED);
}

/** The folder below client/. */
function partOf(file: string): string {
  return relative("client", file).split("/")[0] ?? "";
}

/** The folder below server/, or the file itself. The files of the command line are one layer. */
function layerOf(file: string): string {
  // The outbox and the scheduled jobs take turns by leases, so these lie below both.
  if (file === "server/process/lease.ts") return "lease";
  const [first = ""] = relative("server", file).split("/");
  return first.replace(/\.ts$/, "");
}

function imports(file: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const target =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
        ? node.moduleSpecifier
        : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
          ? node.arguments[0]
          : undefined;
    if (target && ts.isStringLiteral(target)) found.push(target.text);
    ts.forEachChild(node, visit);
  };
  visit(parse(file));
  return found;
}

const trees = new Map<string, ts.SourceFile>();

/** Each file is parsed once, because that takes most of the time of these tests. */
function parse(file: string): ts.SourceFile {
  const known = trees.get(file);
  if (known !== undefined) return known;
  const tree = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  trees.set(file, tree);
  return tree;
}
