import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch, type Browser } from "puppeteer-core";
import { Builder, Capabilities } from "selenium-webdriver";
import { expect } from "vitest";
import { PATIENCE_MS, sharedChromium, USER_AGENT } from "./browser.ts";
import { freePort } from "./free-port.ts";

const FIREFOX = process.env["FIREFOX_PATH"] ?? "/usr/bin/firefox-esr";
const WEBKIT_DRIVER = "/usr/bin/WebKitWebDriver";
const BROADWAY = "/usr/bin/broadwayd";
const DAY_MS = 86_400_000;
const MINI_BROWSER = ["4.1", "4.0"]
  .map((version) => `/usr/lib/x86_64-linux-gnu/webkit2gtk-${version}/MiniBrowser`)
  .find((path) => existsSync(path));

/** Whether WebKitGTK, its driver and a display are installed. */
export const hasWebKit = MINI_BROWSER !== undefined && existsSync(WEBKIT_DRIVER) && existsSync(BROADWAY);

/** A cookie as the browser keeps it. */
export interface KeptCookie {
  name: string;
  value: string;
  /** In seconds since 1970. */
  expires: number;
}

/** One tab of a browser, in which hosts of example.test lead to one port of this machine. */
export interface Tab {
  goto(url: string): Promise<void>;
  /** The value of an expression in the page, once it is settled. */
  run(expression: string): Promise<unknown>;
  /** The cookies of the page. */
  cookies(): Promise<KeptCookie[]>;
  close(): Promise<void>;
}

/** A browser engine, and how to start it. */
export interface Engine {
  name: string;
  open(port: number): Promise<Tab>;
}

/** The engines of this machine. In CI a missing program is an error. */
export const ENGINES: Engine[] = [
  // Without it no browser test runs.
  { name: "Chromium", isInstalled: true, open: openChromium },
  { name: "Firefox", isInstalled: existsSync(FIREFOX), open: openFirefox },
  { name: "WebKitGTK", isInstalled: hasWebKit, open: openWebKit },
].filter(({ isInstalled }) => isInstalled || process.env["CI"]);

async function openChromium(): Promise<Tab> {
  const context = await (await sharedChromium()).newContext({ userAgent: USER_AGENT });
  const page = await context.newPage();
  return {
    goto: async (url) => void (await page.goto(url)),
    run: (expression) => page.evaluate(expression),
    cookies: () => context.cookies(),
    close: () => context.close(),
  };
}

/** Firefox needs seconds to start, so its tests share one. It ends with the process. */
let firefox: Promise<Browser> | undefined;

/** Uses WebDriver BiDi, which Firefox speaks without a separate driver. */
async function openFirefox(): Promise<Tab> {
  firefox ??= launch({
    browser: "firefox",
    executablePath: FIREFOX,
    headless: true,
    extraPrefsFirefox: {
      "network.dns.localDomains": "www.example.test,app.example.test,track.example.test",
      "privacy.trackingprotection.enabled": true,
    },
  });
  const context = await (await firefox).createBrowserContext();
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  return {
    goto: async (url) => void (await page.goto(url)),
    run: (expression) => page.evaluate(expression),
    cookies: () => context.cookies(),
    close: () => context.close(),
  };
}

/** Uses the engine's own driver, with the port as a proxy. */
async function openWebKit(port: number): Promise<Tab> {
  const screen = await openScreen();
  const driverPort = await freePort();
  const child = spawn(WEBKIT_DRIVER, [`--port=${driverPort}`], { env: screen.environment, stdio: "ignore" });
  const status = `http://127.0.0.1:${driverPort}/status`;
  await expect
    .poll(() =>
      fetch(status).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    .toBe(true);
  const args = ["--automation", `--proxy=http://127.0.0.1:${port}`];
  const driver = await new Builder()
    .usingServer(`http://127.0.0.1:${driverPort}`)
    .withCapabilities(
      new Capabilities({
        browserName: "MiniBrowser",
        "webkitgtk:browserOptions": { binary: MINI_BROWSER, args },
      }),
    )
    .build();
  await driver.manage().setTimeouts({ script: PATIENCE_MS });
  return {
    goto: (url) => driver.get(url),
    run: (expression) =>
      driver.executeAsyncScript(
        "const done = arguments[arguments.length - 1]; Promise.resolve((0, eval)(arguments[0])).then(done, (error) => done(String(error)));",
        expression,
      ),
    cookies: async () => {
      const cookies = await driver.manage().getCookies();
      return cookies.map(({ name, value, expiry = 0 }) => ({ name, value, expires: Number(expiry) }));
    },
    close: async () => {
      await driver.quit();
      child.kill();
      screen.close();
    },
  };
}

/**
 * Opens a page in WebKitGTK with its tracking prevention. Drivers switch that off, so none is used, and the cookies are
 * read from the browser's file.
 */
export async function openPrevented(url: string, port: number) {
  const screen = await openScreen();
  const jar = join(screen.environment.XDG_RUNTIME_DIR, "cookies.txt");
  const args = ["--enable-itp", `--cookies-file=${jar}`, `--proxy=http://127.0.0.1:${port}`, url];
  const child = spawn(MINI_BROWSER!, args, { env: screen.environment, stdio: "ignore" });
  return {
    /** The remaining days of each cookie. */
    days(): Record<string, number> {
      if (child.exitCode !== null) throw new Error(`The browser has ended with ${child.exitCode}`);
      const lines = existsSync(jar) ? readFileSync(jar, "utf8").split("\n") : [];
      const fields = lines.filter((line) => line.includes("\t")).map((line) => line.split("\t"));
      return Object.fromEntries(
        fields.map(([, , , , expires, name]) => [
          name,
          Math.round((Number(expires) * 1_000 - Date.now()) / DAY_MS),
        ]),
      );
    },
    close() {
      child.kill();
      screen.close();
    },
  };
}

/** An invisible display of GTK, and new folders. */
async function openScreen() {
  const display = `:${await freePort()}`;
  const folder = mkdtempSync(join(tmpdir(), "tidemark-webkit-"));
  const environment = {
    ...process.env,
    GDK_BACKEND: "broadway",
    BROADWAY_DISPLAY: display,
    XDG_RUNTIME_DIR: folder,
    XDG_DATA_HOME: folder,
    XDG_CACHE_HOME: folder,
  };
  const child = spawn(BROADWAY, ["--port", String(await freePort()), display], { env: environment });
  // It prints a line once it listens.
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const close = () => {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  return { environment, close };
}
