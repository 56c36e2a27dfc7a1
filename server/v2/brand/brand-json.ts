import { z } from "zod";
import type { Account } from "../../domain/program/account/account.ts";
import { shownBrand } from "../../domain/program/account/brand.ts";
import { field } from "../../http/fields.ts";

const hex = (meaning: string, example: string) => field(z.string(), meaning, example);

const schemeColors = z.object({
  link: hex("Links and marks: your colour, or one near it that can be read.", "#b34700"),
  link_hover: hex("The same under the pointer.", "#863500"),
  soft: hex("The background of the chosen page in the navigation.", "#ffefe6"),
});

export const colorsAnswer = z
  .object({
    button: hex("The background of buttons: your colour.", "#ff6600"),
    button_hover: hex("The same under the pointer.", "#ff8533"),
    on_button: hex("The text on buttons: black or white, which is easier to read.", "#000000"),
    light: field(schemeColors, "On light pages, and in e-mails."),
    dark: field(schemeColors, "On dark pages."),
  })
  .meta({ id: "BrandColors" });

export const shownBrandAnswer = z
  .object({
    name: field(z.string(), "The company's name for promoters.", "Acme"),
    logo_url: field(
      z.string().nullable(),
      "Where the logo is, or null if there is none.",
      "https://track.example.com/uploads/q3kPz0Yc8Vw1Rb6Xn5Tj2M.png",
    ),
    favicon_url: field(
      z.string().nullable(),
      "Where the icon of the pages is, or null if there is none.",
      "https://track.example.com/uploads/Xn5Tj2Mq3kPz0Yc8Vw1Rb6.png",
    ),
    colors: field(colorsAnswer.nullable(), "The colours of the pages, or null for the usual ones."),
  })
  .meta({ id: "ShownBrand" });

/** A company's brand as promoters see it. */
export function shownBrandJson(account: Account, publicUrl: string): z.output<typeof shownBrandAnswer> {
  const { name, logoUrl, faviconUrl, colors } = shownBrand(account, publicUrl);
  return {
    name,
    logo_url: logoUrl,
    favicon_url: faviconUrl,
    colors: colors && colorsJson(colors),
  };
}

/** A brand's colours. */
export function colorsJson({
  button,
  buttonHover,
  onButton,
  light,
  dark,
}: NonNullable<ReturnType<typeof shownBrand>["colors"]>): z.output<typeof colorsAnswer> {
  return {
    button,
    button_hover: buttonHover,
    on_button: onButton,
    light: { link: light.link, link_hover: light.linkHover, soft: light.soft },
    dark: { link: dark.link, link_hover: dark.linkHover, soft: dark.soft },
  };
}
