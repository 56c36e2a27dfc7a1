import { daily } from "../../server/domain/people/daily.ts";
import { isHidden } from "../../server/storage/marks.ts";
import { sqlName } from "../../server/storage/sql.ts";
import { tableNamed } from "../../server/tables.ts";

/** The tables that operators ask, by their names in the code. */
const NOUNS = [
  "account",
  "campaign",
  "promoter",
  "promoter-campaign",
  "origin",
  "visitor",
  "lead",
  "product",
  "sale",
  "refund",
  "commission",
  "payout",
];
/** Columns for searches and unique values. They may change with any release. */
const OWN =
  /(^|_)(words|names|hash|list)$|^(claimed|folded|proposed|nameless|has|sorted)_|^(email|username|coupon|cust_id)_key$|^(script|direct_url|is_proposed|rewarded_products)$/;

interface Shown {
  name: string;
  key: readonly string[];
  /** The columns that are a promise, with their types. */
  columns: [name: string, type: string][];
}

/** The tables and columns that stay as they are. Every table has `account_id` too. */
function shownTables(): Shown[] {
  const nouns = NOUNS.map((noun): Shown => {
    const table = tableNamed(noun)!;
    const isShown = (name: string) =>
      table.fields[name]?.type !== "json" &&
      !OWN.test(name) &&
      !(name in table.fields && isHidden(table, name));
    const columns = Object.entries(table.columns).filter(([name]) => isShown(name));
    return { name: sqlName(table), key: table.key, columns };
  });
  const sums = daily.sums.map((name): [string, string] => [name, "integer"]);
  return [
    ...nouns,
    { name: daily.name, key: Object.keys(daily.by), columns: [...Object.entries(daily.by), ...sums] },
  ];
}

/** The schema as a diagram that Mermaid draws. */
export function schemaPicture(): string {
  const shown = shownTables();
  const named = new Map(NOUNS.map((noun) => [`${noun.replaceAll("-", "_")}_id`, sqlName(tableNamed(noun)!)]));
  const boxes = shown.flatMap(({ name, key, columns }) => [
    `  ${name} {`,
    ...columns.map(([column, type]) => {
      const marks = [key.includes(column) ? ["PK"] : [], targetOf(column, named) === null ? [] : ["FK"]];
      return `    ${[type, column, marks.flat().join(", ")].join(" ").trimEnd()}`;
    }),
    "  }",
  ]);
  const arrows = shown.flatMap(({ name, columns }) => {
    const isInCampaign = columns.some(([column]) => column === "promoter_campaign_id");
    return columns.flatMap(([column]) => {
      const target = targetOf(column, named);
      if (target === null || (isInCampaign && ["promoter_id", "campaign_id"].includes(column))) return [];
      return `  ${target} ||--o{ ${name} : ${column}`;
    });
  });
  return ["erDiagram", ...boxes, ...arrows, ""].join("\n");
}

/** The table that a column leads to, by the end of its name: `parent_promoter_id` leads to promoters. */
function targetOf(column: string, named: ReadonlyMap<string, string>): string | null {
  if (column === "source_key" || column === "page_key") return "origins";
  const ends = [...named.keys()].filter((end) => column === end || column.endsWith(`_${end}`));
  const longest = ends.toSorted((one, other) => other.length - one.length)[0];
  return longest === undefined ? null : named.get(longest)!;
}

/** The statements that let a role read these columns, and nothing else. */
export function grants(role: string): string {
  return shownTables()
    .map(({ name, columns }) => {
      const names = ["account_id", ...columns.map(([column]) => column)];
      return `grant select (${names.join(", ")}) on ${name} to ${role};\n`;
    })
    .join("");
}
