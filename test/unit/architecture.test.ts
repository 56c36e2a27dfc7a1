import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

/** The layers that each layer may import besides itself, from top to bottom. */
const LAYERS: Record<string, string[]> = {
  main: ["config", "outage-log", "process"],
  process: [
    "app",
    "outbox",
    "outgoing",
    "transfer",
    "config",
    "configured-store",
    "failure",
    "first-start",
    "metrics",
    "lookout",
    "outage-log",
    "services",
    "track",
    "http",
    "domain",
    "storage",
  ],
  cli: [
    "main",
    "csv",
    "transfer",
    "config",
    "configured-store",
    "http",
    "outbox",
    "domain",
    "storage",
    "records",
    "failure",
  ],
  csv: ["http", "domain", "storage", "records", "failure"],
  transfer: ["outbox", "domain", "storage", "records", "failure"],
  openapi: ["http", "failure"],
  app: ["observation", "openapi", "services", "refusal", "unbuilt", "v1", "v2", "track", "http", "failure"],
  unbuilt: ["http", "failure"],
  outbox: ["outgoing", "v2", "domain", "storage", "records", "failure"],
  "first-start": ["domain"],
  "configured-store": ["config", "storage"],
  v1: ["admission", "refusal", "services", "http", "domain", "storage", "records", "failure"],
  v2: ["admission", "refusal", "services", "outgoing", "http", "domain", "storage", "records", "failure"],
  track: ["refusal", "services", "http", "domain", "storage", "records", "failure"],
  admission: ["services", "http", "domain", "storage", "records", "failure"],
  refusal: ["services", "http", "failure"],
  observation: ["refusal", "services", "http", "failure"],
  services: ["lookout", "metrics", "outage-log", "outgoing", "http", "domain", "storage"],
  metrics: [],
  "outage-log": ["failure"],
  lookout: ["domain", "storage", "records"],
  outgoing: ["records", "failure"],
  http: ["storage", "failure", "records"],
  domain: ["storage", "records", "failure"],
  storage: ["records", "failure"],
  config: [],
  records: [],
  failure: [],
};

const MAX_LINES = 200;
/** All stored shapes are in one file by design. */
const LONG_FILES = new Set(["server/records.ts"]);
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

describe("each source file", () => {
  it.each(files)("%s keeps the house rules", (file) => {
    const text = readFileSync(file, "utf8");
    const tree = parse(file);
    if (!LONG_FILES.has(file)) expect(text.split("\n").length - 1, "lines").toBeLessThanOrEqual(MAX_LINES);
    if (!file.endsWith("config.ts")) expect(text).not.toContain("process.env");
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
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));
}

/** The folder below server/, or the file itself. The files of the command line are one layer. */
function layerOf(file: string): string {
  const [first = ""] = relative("server", file).split("/");
  const name = first.replace(/\.ts$/, "");
  return name.startsWith("cli") ? "cli" : name;
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

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
}
