import { readFileSync } from "node:fs";

/** The groups of people that have pages of their own. */
const APPS = ["dashboard", "portal", "join"] as const;
type App = (typeof APPS)[number];

/** The files of an app that its pages begin with. */
export interface AppFiles {
  script: string;
  /** Files that the script imports at once. */
  preloads: string[];
  style: string;
}

/** The files that the build made for browsers, except the tracker. */
export interface BuiltPages {
  apps: Record<App, AppFiles>;
  /** All files by name. */
  texts: Map<string, string>;
}

/** Reads the pages that the build put into a folder. */
export function readBuiltPages(folder: URL): BuiltPages {
  const read = (name: string) => readFileSync(new URL(name, folder), "utf8");
  const texts = new Map<string, string>();
  const apps = APPS.map((app) => {
    const { files, ...own } = JSON.parse(read(`${app}.json`)) as AppFiles & { files: string[] };
    for (const name of files) texts.set(name, read(name));
    return [app, own];
  });
  return { apps: Object.fromEntries(apps) as BuiltPages["apps"], texts };
}
