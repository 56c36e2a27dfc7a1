import { signal } from "@preact/signals";
import type { components } from "./api/types.ts";

export type ShownBrand = components["schemas"]["ShownBrand"];
type Colors = components["schemas"]["BrandColors"];

/** The brand that the page shows. Null in the dashboard, and while it is unknown whose portal this is. */
export const brand = signal<ShownBrand | null>(null);

/** Shows a brand: its colours, its icon, and its name and logo wherever they appear. */
export function wear(shown: ShownBrand): void {
  brand.value = shown;
  const { style } = document.documentElement;
  for (const name of Object.keys(properties(USUAL))) style.removeProperty(name);
  // The policy of the pages forbids styles in the HTML, but not those that scripts set.
  const given = shown.colors === null ? [] : Object.entries(properties(shown.colors));
  for (const [name, value] of given) style.setProperty(name, value);
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (icon !== null) icon.href = shown.favicon_url ?? "data:,";
}

/** The colours of brands that have none, as in `tokens.css`. */
export const USUAL: Colors = {
  button: "#0b6e69",
  button_hover: "#08534f",
  on_button: "#ffffff",
  light: { link: "#0b6e69", link_hover: "#08534f", soft: "#e3f1ef" },
  dark: { link: "#5cc7bd", link_hover: "#82d8d0", soft: "#16302e" },
};

/** The custom properties that `tokens.css` reads. */
function properties({ button, button_hover, on_button, light, dark }: Colors): Record<string, string> {
  return {
    "--brand-button": button,
    "--brand-button-hover": button_hover,
    "--brand-on-button": on_button,
    "--brand-light": light.link,
    "--brand-light-hover": light.link_hover,
    "--brand-light-soft": light.soft,
    "--brand-dark": dark.link,
    "--brand-dark-hover": dark.link_hover,
    "--brand-dark-soft": dark.soft,
  };
}

// The server knows whose page it is if the store has one account.
const served = document.querySelector<HTMLMetaElement>("meta[name=tidemark-brand]");
if (served !== null) wear(JSON.parse(served.content) as ShownBrand);
