/** Invisible characters, which are copied along with links. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]/g;
/** Punctuation that surrounds links in sentences. */
const SURROUNDINGS = /^[\s/.)@,]+|[\s/.)@,]+$/g;

/**
 * The ref ids in a comma-separated list, in the form that is stored. The browser script compares them in the
 * same form.
 */
export function refIds(list: string): string[] {
  return list
    .split(",")
    .map((text) => text.replace(INVISIBLE, "").replace(SURROUNDINGS, "").toLowerCase())
    .filter((refId) => refId !== "");
}
