import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, it } from "vitest";

/** The layers that each layer may import besides itself, from top to bottom. */
const LAYERS: Record<string, string[]> = {
  main: ["process", "config", "failure"],
  cli: [
    "main",
    "process",
    "billing",
    "payments",
    "transfer",
    "files",
    "tables",
    "input",
    "config",
    "domain",
    "storage",
    "failure",
    "url",
    "languages",
  ],
  process: [
    "app",
    "billing",
    "payments",
    "transfer",
    "files",
    "tables",
    "outbox",
    "outgoing",
    "request",
    "http",
    "config",
    "lease",
    "domain",
    "storage",
    "web",
    "seal",
    "failure",
  ],
  app: [
    "billing",
    "payments",
    "v1",
    "v2",
    "track",
    "web",
    "openapi",
    "request",
    "http",
    "domain",
    "failure",
    "url",
  ],
  transfer: ["files", "tables", "input", "lease", "domain", "storage", "seal", "failure", "csv"],
  tables: ["lease", "domain", "storage"],
  outbox: ["v1", "v2", "outgoing", "lease", "markup", "domain", "languages", "storage", "failure"],
  v1: ["resource", "request", "input", "http", "domain", "storage", "failure"],
  billing: ["request", "http", "domain", "storage", "failure"],
  payments: ["request", "http", "domain", "storage", "seal", "failure"],
  files: ["tables", "input", "domain", "storage", "failure", "csv"],
  v2: [
    "resource",
    "files",
    "billing",
    "payments",
    "request",
    "input",
    "http",
    "outgoing",
    "paper",
    "markup",
    "domain",
    "languages",
    "storage",
    "seal",
    "failure",
    "url",
    "csv",
  ],
  // It cleans ref ids with the browser script's own function.
  track: ["request", "input", "http", "domain", "failure", "url", "ref-id"],
  web: ["request", "input", "http", "markup", "domain", "languages", "failure", "url"],
  openapi: ["http", "markup", "failure", "url"],
  // The kit for lists, answers and operations.
  resource: ["input", "http", "domain", "storage", "failure"],
  request: ["outgoing", "http", "domain", "storage", "seal", "failure", "languages"],
  input: ["http", "failure", "url"],
  http: ["storage", "failure", "url"],
  outgoing: ["domain", "languages", "markup", "failure"],
  lease: ["domain", "storage", "failure"],
  domain: ["languages", "storage", "seal", "markup", "failure", "url", "csv"],
  paper: ["markup"],
  storage: ["seal", "failure"],
  seal: ["failure"],
  markup: ["failure"],
  config: ["seal", "url"],
  languages: [],
  failure: [],
  url: [],
  csv: [],
};

/** Made from the OpenAPI document, never committed. */
const GENERATED = "client/ui/api/types.ts";
const server = sources("server");
const client = sources("client");
const texts = new Map(
  [...server, ...client, ...sources("test")].map((file) => [file, readFileSync(file, "utf8")]),
);

it("the server's files import only from their own layer and those below", () => {
  const wrong = ownImports(server).filter(({ file, target }) => {
    const [layer, other] = [layerOf(file), layerOf(target)];
    return other !== layer && !LAYERS[layer]?.includes(other);
  });
  expect(wrong).toEqual([]);
});

it("the server's layers are allowed no import that they don't have", () => {
  const imports = new Set(
    ownImports(server).map(({ file, target }) => `${layerOf(file)} ${layerOf(target)}`),
  );
  const allowed = Object.entries(LAYERS).flatMap(([layer, others]) =>
    others.map((other) => `${layer} ${other}`),
  );
  expect(allowed.filter((pair) => !imports.has(pair))).toEqual([]);
});

/** The rooms of the domain, from top to bottom. Each may import those below it. */
const ROOMS = ["privacy", "reports", "ledger", "people", "access", "program", "events"];
/** What stands above all rooms, and what all may import: the files that lie in no room. */
const [ABOVE, BELOW] = [["seed", "home", "switch"], "domain"];

it("the rooms of the domain import one another one way, types included", () => {
  const own = server.filter((file) => layerOf(file) === "domain");
  expect(own.map(roomOf).filter((room) => ![...ROOMS, ...ABOVE, BELOW].includes(room))).toEqual([]);
  const height = (room: string) => (ABOVE.includes(room) ? -1 : [...ROOMS, BELOW].indexOf(room));
  const wrong = ownImports(own).filter(({ file, target }) => {
    const [room, other] = [roomOf(file), roomOf(target)];
    return layerOf(target) === "domain" && other !== room && height(other) <= height(room);
  });
  expect(wrong).toEqual([]);
});

it("the domain's files import one another in no circle, types included", () => {
  const imports = new Map<string, string[]>();
  const files = server.filter((file) => layerOf(file) === "domain");
  for (const { file, target } of ownImports(files)) {
    imports.set(file, [...(imports.get(file) ?? []), target]);
  }
  const reach = (from: string, seen: Set<string>): Set<string> => {
    for (const target of imports.get(from) ?? []) {
      if (!seen.has(target)) reach(target, seen.add(target));
    }
    return seen;
  };
  expect(files.filter((file) => reach(file, new Set()).has(file))).toEqual([]);
});

/** What each part of the browser's code may import besides itself. */
const CLIENT_PARTS: Record<string, string[]> = {
  tracker: [],
  languages: [],
  ui: ["languages"],
  dashboard: ["languages", "ui"],
  portal: ["languages", "ui"],
  join: ["languages", "ui"],
};

it("the browser's files import neither the server nor other pages", () => {
  const wrong = ownImports(client).filter(({ file, target }) => {
    const [part, other] = [partOf(file), partOf(target)];
    return !target.startsWith("client/") || (other !== part && !CLIENT_PARTS[part]?.includes(other));
  });
  expect(wrong).toEqual([]);
});

/** Tests that look into the server themselves. The list only shrinks. */
const LOOK_INSIDE = [
  "http/account/account-freeze.test.ts",
  "http/account/demo-data.test.ts",
  "http/account/first-start.test.ts",
  "http/account/seed.test.ts",
  "http/campaign/v2-campaigns.test.ts",
  "http/campaign/v2-products.test.ts",
  "http/commission/commission-events.test.ts",
  "http/commission/races-commissions.test.ts",
  "http/erasure/erasure-additions.test.ts",
  "http/erasure/erasure.test.ts",
  "http/event/emails.test.ts",
  "http/event/outbox-events.test.ts",
  "http/event/outbox-model.test.ts",
  "http/lead/leads.test.ts",
  "http/payout/payments-batches.test.ts",
  "http/promoter/promoters-create.test.ts",
  "http/promoter/promoters-move.test.ts",
  "http/promoter/promoters-update.test.ts",
  "http/report/home.test.ts",
  "http/report/v2-reports-origins.test.ts",
  "http/request/common.test.ts",
  "http/sale/rates.test.ts",
  "http/tracking/browser-routes.test.ts",
  "http/transfer/exports.test.ts",
  "http/transfer/import-csv.test.ts",
  "http/user/audit-log.test.ts",
  "http/user/sessions.test.ts",
  "journey/ask-it-yourself.test.ts",
  "journey/cli-billing.test.ts",
  "journey/cli-rates.test.ts",
  "journey/cli-refusals.test.ts",
  "journey/failover.test.ts",
  "journey/maintenance.test.ts",
  "journey/outbox-backlog.test.ts",
  "journey/outbox.test.ts",
];

it("tests above the store speak HTTP, and look into the server only by test/support", () => {
  const above = [...texts.keys()].filter((file) => /^test\/(http|journey)\//.test(file));
  const inside = ownImports(above).filter(({ target }) => /^server\/(domain|storage)\//.test(target));
  const found = [...new Set(inside.map(({ file }) => file.slice("test/".length)))];
  expect(found.toSorted()).toEqual(LOOK_INSIDE);
});

it("imports name files with their endings", () => {
  expect(ownImports([...server, ...client]).filter(({ target }) => !/\.tsx?$/.test(target))).toEqual([]);
});

it("the server loads packages that few need when they are needed", () => {
  const atStart = /^import (?!type )[^;]*"(stripe|@paddle\/paddle-node-sdk|fast-xml-parser|sanitize-html)";/m;
  expect(server.filter((file) => atStart.test(texts.get(file)!))).toEqual([]);
});

/** Lint forbids `any`, namespaces and default exports. */
it("the files keep the other rules of the house", () => {
  const rules: [rule: string, isBroken: (text: string) => boolean, exception: RegExp][] = [
    ["no environment", (text) => text.includes("process.env"), /^server\/config\.ts$/],
    ["no URL.canParse", (text) => text.includes("URL.canParse"), /^server\/url\.ts$/],
    ["no js-cookie", (text) => text.includes('"js-cookie"'), /tracker\/sender\.ts$/],
    ["no class", (text) => /\bclass (\w+ )?(extends \w+ )?\{/.test(text), /^server\/failure\.ts$/],
    ["no enum", (text) => /\benum \w+ \{/.test(text), /^$/],
  ];
  const broken = [...server, ...client].flatMap((file) =>
    rules
      .filter(([, isBroken, exception]) => !exception.test(file) && isBroken(texts.get(file)!))
      .map(([rule]) => `${file}: ${rule}`),
  );
  expect(broken).toEqual([]);
});

it("comments point to headings that there are", () => {
  const pointers = [...texts].flatMap(([file, text]) =>
    [...text.matchAll(/@see (docs\/\S+?\.md)(?: "([^"]+)")?/g)].map(([, page = "", heading]) => ({
      file,
      page,
      heading,
    })),
  );
  expect(pointers.length).toBeGreaterThan(0);
  const lost = pointers.filter(({ page, heading }) => {
    const headings = [...readFileSync(page, "utf8").matchAll(/^#+ (.+)$/gm)].map((match) => match[1]);
    return heading !== undefined && !headings.includes(heading);
  });
  expect(lost).toEqual([]);
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
  // The only file of the client that the server needs.
  if (file === "client/tracker/ref-id.ts") return "ref-id";
  // The outbox and the scheduled jobs take turns by leases, so these lie below both.
  if (file === "server/process/lease.ts") return "lease";
  // The command line and the interface import and write the same files.
  if (/^server\/transfer\/(csv|open)\//.test(file)) return "files";
  const [first = ""] = relative("server", file).split("/");
  return first.replace(/\.ts$/, "");
}

/** The folder below server/domain/. Files directly in it belong to no room, except `home`. */
function roomOf(file: string): string {
  const path = relative("server/domain", file).split("/");
  if (path.length > 1) return path[0]!;
  return path[0] === "home.ts" ? "home" : "domain";
}

/** The files of our own that files import. The formatter writes every import in one way. */
function ownImports(files: string[]): { file: string; target: string }[] {
  return files.flatMap((file) =>
    [...texts.get(file)!.matchAll(/\b(?:from |import |import\()"(\.[^"]+)"/g)].map(([, path = ""]) => ({
      file,
      target: join(dirname(file), path),
    })),
  );
}
