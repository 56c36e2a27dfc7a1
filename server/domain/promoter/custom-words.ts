import { digest } from "../../storage/digests.ts";

/** They enclose a value, and the mark of a field before and after its values. No value has them. */
const [VALUE, FIELD] = ["\u001f", "\u001e"];

/**
 * The values of a promoter's custom fields in lower case, each list of values between two marks of its field. So a pattern
 * finds a value within one field. null: there are none.
 */
export function customWords(customFields: Record<string, unknown> | null): string | null {
  const fields = Object.entries(customFields ?? {});
  if (fields.length === 0) return null;
  return fields
    .map(
      ([key, value]) =>
        `${markOf(key)}${[value]
          .flat()
          .map((each) => enclosed(textOf(each)))
          .join("")}${endOf(key)}`,
    )
    .join("");
}

/** The pattern, for `like`, of a field with a value, or with a value that contains a text. */
export function fieldPattern(key: string, text: string, isPartial: boolean): string {
  const value = isPartial ? plain(text) : enclosed(text);
  return `%${markOf(key)}%${value.replace(/[\\%_]/g, "\\$&")}%${endOf(key)}%`;
}

function textOf(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function enclosed(text: string): string {
  return `${VALUE}${plain(text)}${VALUE}`;
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(VALUE, " ").replaceAll(FIELD, " ");
}

/** By hash, because keys are compared exactly and `like` may ignore case. */
function markOf(key: string): string {
  return `${FIELD}${hashOf(key)}${FIELD}`;
}

function endOf(key: string): string {
  return `${FIELD}/${hashOf(key)}${FIELD}`;
}

function hashOf(key: string): string {
  return digest(key).slice(0, 16);
}
