import compile from "icu-minify/compile";
import { setMessages } from "../../client/languages/messages.ts";
import { en } from "../../client/languages/en.ts";

/** The texts of a language as the build makes them. */
export function compiled(texts: Record<string, string>) {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, compile(text)]));
}

/** Lets functions of pages speak English, as after the first lines of a page. */
export function speakEnglish(): void {
  setMessages("en", compiled(en));
}
