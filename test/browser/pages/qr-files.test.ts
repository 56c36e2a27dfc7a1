import { readFile } from "node:fs/promises";
import { imageSize } from "image-size";
import { describe, expect, it } from "vitest";
import { faultsOf, newPages, WIDTHS } from "../../support/pages.ts";

const pages = newPages({ promoters: 1, leads: 0, sales: 0 });

describe.each(WIDTHS)("at %i pixels", (width) => {
  it("a promoter downloads the QR code of a link for print and for screens", async () => {
    const email = `jane${width}@example.com`;
    const { body } = await pages.app.v1("/promoters/create", { email });
    const entrance = `/portal?auth_token=${(body as { auth_token: string }).auth_token}`;
    const portal = await pages.open(entrance, { width });
    await portal.waitForURL(`${pages.url}/portal`);
    const fileOf = async (kind: string) => {
      const [download] = await Promise.all([
        portal.waitForEvent("download"),
        portal
          .getByRole("button", { name: `${kind} file of the QR code` })
          .first()
          .click(),
      ]);
      return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
    };
    const svg = await fileOf("SVG");
    expect(svg.name).toMatch(/^qr-[\w-]+\.svg$/);
    expect(svg.bytes.toString()).toMatch(
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 (\d+) \1"/,
    );
    const png = await fileOf("PNG");
    expect(png.name).toMatch(/^qr-[\w-]+\.png$/);
    const { width: wide = 0, height = 0 } = imageSize(png.bytes);
    expect(wide).toBe(height);
    expect(wide).toBeGreaterThanOrEqual(1_000);
    expect(await faultsOf(portal)).toEqual([]);
  });
});
