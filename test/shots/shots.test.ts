import { mkdirSync } from "node:fs";
import { describe, it } from "vitest";
import { newPages, WIDTHS, type Pages } from "../support/pages.ts";
import { SHOTS } from "./list.ts";

const FOLDER = "shots";
mkdirSync(FOLDER, { recursive: true });

/** Writes pictures of every page, with and without records, at a desk and on a phone, by day and by night. */
describe("of a program with records", () =>
  shoot(newPages({ promoters: 60, leads: 1_500, sales: 4_000 }), "full"));
describe("of an empty program", () => shoot(newPages(), "empty"));

function shoot(pages: Pages, kind: string): void {
  const views = WIDTHS.flatMap((width) => [false, true].map((isDark) => ({ width, isDark })));
  it.each(SHOTS)("$name", async ({ name, path, role, ready }) => {
    for (const { width, isDark } of views) {
      const page = await pages.open(path, { width, isDark, ...(role !== undefined && { role }) });
      await page.waitForLoadState("networkidle");
      await ready?.(page);
      const file = `${FOLDER}/${name}-${kind}-${width}-${isDark ? "dark" : "light"}.png`;
      await page.screenshot({ path: file, fullPage: true });
    }
  });
}
