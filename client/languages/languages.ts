import { setMessages } from "./messages.ts";

interface Language {
  /** In the language itself. */
  name: string;
  load: () => Promise<object>;
  isRightToLeft?: boolean;
}

/** The languages of the portal and of the sign-up page. A page loads the texts of one. A further language is a line here. */
export const LANGUAGES: Record<string, Language> = {
  en: { name: "English", load: async () => (await import("./en.ts")).en },
  de: { name: "Deutsch", load: async () => (await import("./de.ts")).de },
  fr: { name: "Français", load: async () => (await import("./fr.ts")).fr },
  es: { name: "Español", load: async () => (await import("./es.ts")).es },
  pt: { name: "Português", load: async () => (await import("./pt.ts")).pt },
  ja: { name: "日本語", load: async () => (await import("./ja.ts")).ja },
  he: { name: "עברית", load: async () => (await import("./he.ts")).he, isRightToLeft: true },
};

/** The language that the server has chosen by the browser's `Accept-Language`. */
export const served = document.documentElement.lang;

/** Changes the language of the page. An unknown one becomes English. */
export async function speak(code: string): Promise<void> {
  const known = code in LANGUAGES ? code : "en";
  const { load, isRightToLeft = false } = LANGUAGES[known]!;
  setMessages(known, await load(), localeOf(known));
  document.documentElement.lang = known;
  document.documentElement.dir = isRightToLeft ? "rtl" : "ltr";
}

/** The browser's own locale if it is one of the language, so that dates are 31/12/2026 in `en-GB`. */
function localeOf(code: string): string {
  return navigator.languages.find((each) => each === code || each.startsWith(`${code}-`)) ?? code;
}
