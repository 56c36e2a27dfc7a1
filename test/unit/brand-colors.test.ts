import fc from "fast-check";
import { expect, it } from "vitest";
import { brandColors } from "../../server/domain/program/account/brand.ts";

/** The contrast of two colours by the formula of WCAG 2.2. */
function contrast(one: string, other: string): number {
  const [a = 0, b = 0] = [one, other].map(luminance);
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, "0")}`);

it("every colour makes texts that can be read", () => {
  fc.assert(
    fc.property(color, (given) => {
      const { button, buttonHover, onButton, light, dark } = brandColors(given);
      expect(button).toBe(given);
      const pairs = [
        [onButton, button],
        [onButton, buttonHover],
        ...["#ffffff", "#f7f8f8", "#f0f2f2", light.soft].map((ground) => [light.link, ground]),
        ...["#ffffff", "#f7f8f8", "#f0f2f2"].map((ground) => [light.linkHover, ground]),
        ...["#0e1414", "#151d1d", "#1c2626", dark.soft].map((ground) => [dark.link, ground]),
        ...["#0e1414", "#151d1d", "#1c2626"].map((ground) => [dark.linkHover, ground]),
        // The faintest text of the pages, on the chosen page in the navigation.
        ["#5f6e6c", light.soft],
        ["#93a19f", dark.soft],
      ];
      const unreadable = pairs.filter(([text = "", ground = ""]) => contrast(text, ground) < 4.5);
      expect(unreadable).toEqual([]);
    }),
    { examples: [["#000000"], ["#ffffff"], ["#ffff00"], ["#0b6e69"], ["#777777"]] },
  );
});

it("a colour that can be read stays as it is", () => {
  expect(brandColors("#0b6e69").light.link).toBe("#0b6e69");
  expect(brandColors("#5cc7bd").dark.link).toBe("#5cc7bd");
});
