/** What has no width, and comes along where links are copied from. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]/g;
/** What stands around links in sentences. */
const SURROUNDINGS = /^[\s/.)@,]+|[\s/.)@,]+$/g;

/** The ref ids in a list with commas, written as they are kept. The browser script compares them the same way. */
export function refIds(list: string): string[] {
  return list
    .split(",")
    .map((text) => text.replace(INVISIBLE, "").replace(SURROUNDINGS, "").toLowerCase())
    .filter((refId) => refId !== "");
}
