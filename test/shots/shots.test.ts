import { mkdirSync } from "node:fs";
import { describe, it } from "vitest";
import { newPages, WIDTHS, type Pages } from "../support/pages.ts";
import { SHOTS, type Shot } from "./list.ts";

const FOLDER = "shots";
mkdirSync(FOLDER, { recursive: true });

/** Writes pictures of every page, with and without records, at a desk and on a phone, by day and by night. */
describe("of a program with records", () =>
  shoot(newPages({ promoters: 60, leads: 1_500, sales: 4_000 }), "full"));
describe("of an empty program", () => shoot(newPages(), "empty"));

function shoot(pages: Pages, kind: string): void {
  const views = WIDTHS.flatMap((width) => [false, true].map((isDark) => ({ width, isDark })));
  it.each(SHOTS)("$name", async (shot) => {
    for (const { width, isDark } of views) {
      const page = await opened(pages, shot, { width, isDark });
      await page.waitForLoadState("networkidle");
      await shot.ready?.(page);
      const file = `${FOLDER}/${shot.name}-${kind}-${width}-${isDark ? "dark" : "light"}.png`;
      await page.screenshot({ path: file, fullPage: true });
    }
  });
}

async function opened(pages: Pages, { path, as }: Shot, view: { width: number; isDark: boolean }) {
  if (as !== "promoter") return pages.open(path, { ...view, ...(as !== undefined && { role: as }) });
  const page = await pages.open(await entranceOf(pages), view);
  await page.getByRole("heading", { name: "Your link" }).waitFor();
  await page.goto(pages.url + path);
  return page;
}

/** An address that signs the first promoter in. There is one then, also in an empty program. */
async function entranceOf({ app }: Pages): Promise<string> {
  const known = await app.v1("/promoters/update", { id: "1" });
  const { body } =
    known.status === 200 ? known : await app.v1("/promoters/create", { email: "jane@example.com" });
  return `/portal?auth_token=${(body as { auth_token: string }).auth_token}`;
}
