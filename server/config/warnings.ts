import { distance } from "fastest-levenshtein";
import { SECRET_SETTINGS, SETTINGS } from "./environment.ts";

const KNOWN = [...SETTINGS, ...SECRET_SETTINGS.map((name) => `${name}_FILE`)];
/** A variable whose name begins so is meant for us. `MAIL` alone is every shell's. */
const OURS = /^(TIDEMARK|STORAGE|RATE_LIMIT|METRICS|SMTP|WEBHOOK)(?:_|$)|^(MAIL|DEMO)_/;
/** Kubernetes sets these for each service, also for one with the name "tidemark". */
const OF_KUBERNETES = /_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP)(_|$)/;
const LIST = new Intl.ListFormat("en-GB", { type: "disjunction" });

/** A sentence about each variable that looks like a setting of ours and is none, for example a mistyped one. */
export function settingWarnings(variables: Record<string, string | undefined> = process.env): string[] {
  return Object.entries(variables).flatMap(([name, value]) => {
    if (value === undefined || value.trim() === "" || KNOWN.includes(name)) return [];
    if (OF_KUBERNETES.test(name) || /^(tcp|udp):/.test(value)) return [];
    const meant = meantBy(name.toUpperCase());
    if (meant.length === 0) return [];
    return [`${name} is no setting, so it has no effect. Did you mean ${LIST.format(meant)}?`];
  });
}

/** The settings that a name may have been meant for. Empty: it is another program's. */
function meantBy(name: string): string[] {
  const bare = name.replace(/^TIDEMARK_/, "").replace(/_FILE$/, "");
  const same = KNOWN.filter((known) => known === name || known === bare);
  if (same.length > 0) return same;
  const [nearest = Infinity] = KNOWN.map((known) => distance(known, name)).sort((a, b) => a - b);
  if (nearest <= allowedDistance(name)) return KNOWN.filter((known) => distance(known, name) === nearest);
  const [, long, short] = OURS.exec(name) ?? [];
  const prefix = long ?? short;
  return prefix === undefined ? [] : SETTINGS.filter((known) => known.startsWith(`${prefix}_`));
}

/** How many characters may differ. Short names of other programs resemble ours by accident, like `POST` and `PORT`. */
function allowedDistance({ length }: string): number {
  if (length < 6) return 0;
  return length < 8 ? 1 : 2;
}
