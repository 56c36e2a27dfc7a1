import type { Browser } from "playwright-core";
import { expect } from "vitest";

/** A tab in a separate browser context, without a debugger. */
export interface UnattachedTab {
  cookies(): Promise<Record<string, string>>;
  close(): Promise<void>;
}

/** Opens a tab outside Playwright, because Chromium prerenders nothing while a debugger is attached. */
export async function openUnattached(browser: Browser, url: string): Promise<UnattachedTab> {
  const session = await browser.newBrowserCDPSession();
  const { browserContextId } = await session.send("Target.createBrowserContext");
  const { targetId } = await session.send("Target.createTarget", { url, browserContextId });
  // Playwright attaches to every new tab, and detaches from those that it did not open.
  const target = async () => (await session.send("Target.getTargetInfo", { targetId })).targetInfo;
  await expect.poll(target).toMatchObject({ url, attached: false });
  return {
    cookies: async () => {
      const { cookies } = await session.send("Storage.getCookies", { browserContextId });
      return Object.fromEntries(cookies.map(({ name, value }) => [name, value]));
    },
    close: async () => {
      await session.send("Target.disposeBrowserContext", { browserContextId });
    },
  };
}

/** Runs in the page: prerenders a page once `/start` is answered, and opens it once `/go` is. */
export async function followAhead(path: string): Promise<void> {
  await fetch("/start");
  const rules = document.createElement("script");
  rules.type = "speculationrules";
  rules.text = JSON.stringify({ prerender: [{ urls: [path], eagerness: "immediate" }] });
  document.body.append(rules);
  await fetch("/go");
  location.href = path;
}
