import { mkdirSync } from "node:fs";
import { describe, it } from "vitest";
import { newPages, type Pages } from "../support/pages.ts";
import { SHOTS, type Shot } from "./list.ts";

const FOLDER = "shots";
mkdirSync(FOLDER, { recursive: true });

const { SHOTS_WIDTHS = "360,768,1280", SHOTS_COLOURS = "light,dark" } = process.env;
const VIEWS = SHOTS_WIDTHS.split(",").flatMap((width) =>
  SHOTS_COLOURS.split(",").map((colours) => ({ width: Number(width), isDark: colours === "dark" })),
);

/**
 * Writes pictures of every page, with and without records, on a phone, on a tablet and at a desk, by day and by night.
 * `SHOTS_WIDTHS=360 SHOTS_COLOURS=dark` writes only some of them, `-t "empty program"` those of one program.
 */
describe("of a program with records", () =>
  shoot(newPages({ promoters: 60, leads: 1_500, sales: 4_000 }), "full"));
describe("of an empty program", () => shoot(newPages(), "empty"));

function shoot(pages: Pages, kind: string): void {
  it.each(SHOTS)("$name", async (shot) => {
    for (const { width, isDark } of VIEWS) {
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
