import type { ShownBrand } from "../domain/program/account/brand.ts";
import { CATALOGUES, type Language } from "../languages/languages.ts";

/** How an e-mail shows the company. */
export interface EmailLook {
  brand: ShownBrand;
  /** The label of buttons, in the e-mail's language. */
  open: string;
}

/** A brand in e-mails of a language. */
export function lookIn(brand: ShownBrand, language: Language): EmailLook {
  return { brand, open: CATALOGUES[language].frame.open };
}

/** The colours of brands that have none. */
const USUAL = { button: "#0b6e69", onButton: "#ffffff", link: "#0b6e69" };

/** Paragraphs that are nothing but a link become buttons, except the promoter's own link, which is to be copied. */
const LONE_LINK =
  /<p><a href="\{\{\s*(sign_in_url|portal_url|password_url|not_me_url)\s*\}\}">\{\{\s*\1\s*\}\}<\/a><\/p>/g;
const PLAIN_LINK = /<a href="([^"]*)">/g;

/**
 * The content of an e-mail in the look of a brand, still with placeholders. Mail programs know no style sheets. The
 * background is set with the text's colour, so that the contrast stays in mail programs with a dark theme.
 */
export function dressed(content: string, { brand, open }: EmailLook): string {
  const { button, onButton, link } =
    brand.colors === null ? USUAL : { ...brand.colors, link: brand.colors.light.link };
  const buttonStyle =
    `display:inline-block;padding:12px 20px;border-radius:8px;background-color:${button};` +
    `color:${onButton};font-weight:bold;text-decoration:none`;
  const body = content
    .replace(
      LONE_LINK,
      (_, name: string) =>
        `<p><a href="{{${name}}}" style="${buttonStyle}">${open}</a></p>\n` +
        // Some readers want to see where a button leads, or to copy the address.
        `<p><small><a href="{{${name}}}">{{${name}}}</a></small></p>`,
    )
    .replace(PLAIN_LINK, `<a href="$1" style="color:${link}">`);
  const head =
    brand.logoUrl === null
      ? `<p style="font-size:18px;font-weight:bold">{{brand_name}}</p>`
      : `<p><img src="{{brand_logo}}" alt="{{brand_name}}" height="40"></p>`;
  const frame =
    "max-width:600px;margin:0 auto;padding:24px;background-color:#ffffff;color:#14201f;" +
    // Long addresses would widen it. Mail programs know the older name of `overflow-wrap`.
    "font-family:sans-serif;font-size:16px;line-height:1.5;word-wrap:break-word";
  return `<div style="${frame}">\n${head}\n${body}\n</div>`;
}

/** The values of the placeholders that `dressed` adds. */
export function lookValues({ brand }: EmailLook): Record<string, string> {
  return { brand_name: brand.name, brand_logo: brand.logoUrl ?? "" };
}
