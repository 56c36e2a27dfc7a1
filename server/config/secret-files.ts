import { readFileSync } from "node:fs";
import { SECRET_SETTINGS } from "./environment.ts";

/** Reads the files that `NAME_FILE` names into `NAME`. Faults name variables only, never a value or a path. */
export function readSecretFiles(variables: Record<string, string | undefined>): {
  values: Record<string, string | undefined>;
  faults: string[];
} {
  const values = { ...variables };
  const faults: string[] = [];
  for (const name of SECRET_SETTINGS) {
    const file = variables[`${name}_FILE`];
    if (file === undefined) continue;
    const text = readText(file);
    if (values[name] !== undefined) {
      faults.push(`${name}_FILE and ${name} are both set, so it is unclear which one holds: remove one`);
    } else if ("code" in text) faults.push(`${name}_FILE names a file that can't be read (${text.code})`);
    else if (text.text === "") faults.push(`${name}_FILE names an empty file`);
    else values[name] = text.text;
  }
  return { values, faults };
}

function readText(file: string): { text: string } | { code: string } {
  try {
    return { text: readFileSync(file, "utf8").trim() };
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code ?? "unknown error" };
  }
}
