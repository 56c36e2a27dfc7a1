import { readFileSync } from "node:fs";
import type { EventHandler, H3Event } from "h3";
import { FastResponse } from "srvx";
import { listAccounts } from "../domain/program/account/account.ts";
import { shownBrand, type ShownBrand, type BrandColors } from "../domain/program/account/brand.ts";
import { Failure } from "../failure.ts";
import { v1Error } from "../http/errors.ts";
import { serveStored, storeText, type StoredText } from "../http/answer.ts";
import { refuse } from "../request/refusal.ts";
import type { Services } from "../request/services.ts";
import { basePath } from "../url.ts";
import { escapeHtml } from "../markup.ts";
import { portalEntry } from "./portal-entry.ts";
import { directionOf, preferredLanguage, textsOf, type Language } from "../languages/languages.ts";

/** Everything comes from this server, and pages may not run text as code or markup. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; require-trusted-types-for 'script'";

/** Other text could inject directives into the policy. */
const ORIGIN = /^https?:\/\/[\w.-]+(?::\d+)?$/;

const TYPES: Record<string, string> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

/** The routes of all pages. */
export function pageRoutes(services: Services, built: BuiltPages): [path: string, handler: EventHandler][] {
  const { dashboard, portal, join } = built.apps;
  const ofDashboard = serveShell(services, { files: dashboard, title: null, isFramed: false });
  const ofPortal = serveShell(services, { files: portal, title: "page.portal", isFramed: true });
  const ofJoin = serveShell(services, { files: join, title: "page.join", isFramed: false });
  return [
    ["/admin", ofDashboard],
    ["/admin/**", ofDashboard],
    ["/portal", portalEntry(services, ofPortal)],
    ["/portal/**", ofPortal],
    ["/iframe", ofPortal],
    ["/join/:campaign", ofJoin],
    ["/assets/:file", serveAsset(services, built)],
  ];
}

/** The apps: for the company, for promoters, and for joining. */
const APPS = ["dashboard", "portal", "join"] as const;
type App = (typeof APPS)[number];

/** The first files of an app. */
interface AppFiles {
  script: string;
  /** Files that the script imports immediately. */
  preloads: string[];
  style: string;
  /** The file with the texts of each language. Empty for the dashboard, which is in English only. */
  languages: Record<string, string>;
}

/** The files that the build made for browsers, except the tracker. */
export interface BuiltPages {
  apps: Record<App, AppFiles>;
  /** All files by name. */
  texts: Map<string, string>;
}

/** Reads the pages that the build put into a folder. */
export function readBuiltPages(folder: URL): BuiltPages {
  const read = (name: string) => readFileSync(new URL(name, folder), "utf8");
  const texts = new Map<string, string>();
  const apps = APPS.map((app) => {
    const { files, ...own } = JSON.parse(read(`${app}.json`)) as AppFiles & { files: string[] };
    for (const name of files) texts.set(name, read(name));
    return [app, own];
  });
  return { apps: Object.fromEntries(apps) as BuiltPages["apps"], texts };
}

/** The key of an app's title. Null: the dashboard, which is in English and has the name of the product. */
type Title = "page.portal" | "page.join" | null;

/**
 * Serves the same HTML for all paths of an app, because the script reads the path. It depends on the language, and for
 * promoters on the brand.
 */
function serveShell(
  services: Services,
  { files, title, isFramed }: { files: AppFiles; title: Title; isFramed: boolean },
): EventHandler {
  const { public_url } = services;
  return async (event) => {
    const preferred = preferredLanguage(event.req.headers.get("accept-language"));
    const language = title === null ? "en" : (preferred ?? "en");
    const brand = title === null ? null : await knownBrand(services, event);
    const html = shellHtml(files, { title, public_url, language, brand });
    const ancestors = isFramed ? await framingSites(services) : "'none'";
    return new FastResponse(html, {
      headers: {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": `${POLICY}; frame-ancestors ${ancestors}`,
        // URLs of these pages may contain tokens.
        "referrer-policy": "no-referrer",
        ...(title !== null && { vary: "accept-language" }),
        // After an update, the page refers to other files.
        "cache-control": "no-cache",
      },
    });
  };
}

/**
 * The brand of the account that a page belongs to, before anyone is signed in: the only account of the store, or the one
 * that `?account=` names. Null if neither is known.
 */
async function knownBrand({ store, public_url }: Services, { url }: H3Event): Promise<ShownBrand | null> {
  const accounts = await listAccounts(store);
  const named = url.searchParams.get("account");
  const account = accounts.length === 1 ? accounts[0] : accounts.find(({ public_id }) => public_id === named);
  return account === undefined ? null : shownBrand(account, public_url);
}

/** The names change with the content. */
function serveAsset(services: Services, { texts }: BuiltPages): EventHandler {
  const prepared = new Map<string, StoredText>();
  return (event: H3Event): Response => {
    const name = event.context.params?.["file"] ?? "";
    const text = texts.get(name);
    if (text === undefined) {
      const missing = new Failure("not_found", "Not found");
      return refuse(services, event, { error: missing, generation: "v1", shape: v1Error, headers: {} });
    }
    // Compressing is slow, and most processes serve only some of the files.
    const stored = prepared.get(name) ?? storeText(text);
    prepared.set(name, stored);
    return serveStored(event, stored, {
      "content-type": TYPES[name.split(".").at(-1) ?? ""] ?? "application/octet-stream",
      "cache-control": "public, max-age=31536000, immutable",
    });
  };
}

/**
 * The sites that may show the portal in a frame: those of all accounts, because the URL does not contain the account.
 */
async function framingSites({ store }: Services): Promise<string> {
  const accounts = await listAccounts(store);
  const origins = accounts.flatMap(({ portal_origins = [] }) => portal_origins);
  return ["'self'", ...new Set(origins.filter((origin) => ORIGIN.test(origin)))].join(" ");
}

function shellHtml(
  { script, preloads, style, languages }: AppFiles,
  {
    title,
    public_url,
    language,
    brand,
  }: { title: Title; public_url: string; language: Language; brand: ShownBrand | null },
): string {
  const base = escapeHtml(basePath(public_url));
  const say = textsOf(language);
  const first = [...preloads, ...(languages[language] === undefined ? [] : [languages[language]])];
  const links = first.map((name) => `<link rel="modulepreload" href="${base}/assets/${name}">\n`).join("");
  return `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}" data-base="${base}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title === null ? "Tidemark" : escapeHtml(say(title))}</title>
${brandTag(brand)}<link rel="icon" href="${escapeHtml(brand?.faviconUrl ?? "data:,")}">
<link rel="stylesheet" href="${base}/assets/${style}">
${links}<script type="module" src="${base}/assets/${script}"></script>
</head>
<body>
<div id="app"></div>
<noscript>
<div class="lone"><div class="card stack">
<h1>${escapeHtml(say("page.no_script"))}</h1>
<p>${escapeHtml(say("page.no_script.text"))}</p>
<p>${escapeHtml(say("page.no_script.api"))} <a href="${base}/docs">${escapeHtml(public_url)}/docs</a>.</p>
</div></div>
</noscript>
</body>
</html>
`;
}

/** The brand for the page's script, in the words of the API. The policy of the pages allows no style in the HTML. */
function brandTag(brand: ShownBrand | null): string {
  if (brand === null) return "";
  const { name, logoUrl, faviconUrl, colors } = brand;
  const scheme = ({ link, linkHover, soft }: BrandColors["light"]) => ({ link, link_hover: linkHover, soft });
  const shown = {
    name,
    logo_url: logoUrl,
    favicon_url: faviconUrl,
    colors: colors && {
      button: colors.button,
      button_hover: colors.buttonHover,
      on_button: colors.onButton,
      light: scheme(colors.light),
      dark: scheme(colors.dark),
    },
  };
  return `<meta name="tidemark-brand" content="${escapeHtml(JSON.stringify(shown))}">\n`;
}
