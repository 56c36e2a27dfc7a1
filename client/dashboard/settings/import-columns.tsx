import { StateBadge, type Shown } from "../../ui/feedback/badge.tsx";
import type { ImportAnswer } from "./import.tsx";

/** A column with more words does not hold states. */
const MOST_WORDS = 50;

type Column = ImportAnswer["columns"][number];

const CERTAINTIES: Record<NonNullable<Column["certainty"]>, Shown> = {
  chosen: { words: "Chosen", tone: "good" },
  certain: { words: "Certain", tone: "good" },
  likely: { words: "Likely", tone: "warn" },
  guess: { words: "A guess", tone: "warn" },
};

/** The columns with their fields, which can be changed, and a preview of the first lines. */
export function Columns({
  found,
  choose,
}: {
  found: ImportAnswer;
  choose: (title: string, field: string) => void;
}) {
  return (
    <>
      <section class="card stack">
        <h2>Columns</h2>
        <div class="table-scroll" tabIndex={0} role="region" aria-label="Columns">
          <table>
            <thead>
              <tr>
                <th scope="col">In the file</th>
                <th scope="col">Is</th>
                <th scope="col">How sure</th>
                <th scope="col">For example</th>
              </tr>
            </thead>
            <tbody>
              {found.columns.map((column, at) => (
                <ColumnRow key={at} column={column} fields={found.fields} choose={choose} />
              ))}
            </tbody>
          </table>
        </div>
      </section>
      <Preview lines={found.preview} />
    </>
  );
}

function ColumnRow({
  column: { title, field, certainty, reason, examples },
  fields,
  choose,
}: {
  column: Column;
  fields: string[];
  choose: (title: string, field: string) => void;
}) {
  const sure = certainty === null ? null : CERTAINTIES[certainty];
  return (
    <tr>
      <th scope="row">{title || <span class="soft">no title</span>}</th>
      <td>
        <select
          class="input auto"
          aria-label={`What ${title || "the column without a title"} is`}
          value={field ?? ""}
          onChange={(event) => choose(title, event.currentTarget.value)}
        >
          <option value="">ignored</option>
          {fields.map((name) => (
            <option key={name} value={name} selected={name === field}>
              {name.replaceAll("_", " ")}
            </option>
          ))}
        </select>
      </td>
      <td>
        <div class="stack tight">
          {sure && (
            <span>
              <StateBadge of={sure} />
            </span>
          )}
          <span class="small soft">{reason}</span>
        </div>
      </td>
      <td class="small said">{examples.join(", ")}</td>
    </tr>
  );
}

/** The words of states with their meanings. Unknown ones must be said. */
export function Words({
  words,
  say,
}: {
  words: ImportAnswer["words"];
  say: (word: string, meaning: string) => void;
}) {
  if (words.length === 0) return null;
  return (
    <section class="card stack">
      <h2>Words</h2>
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Words">
        <table>
          <thead>
            <tr>
              <th scope="col">In the file</th>
              <th scope="col">Means</th>
            </tr>
          </thead>
          <tbody>
            {words.slice(0, MOST_WORDS).map(({ field, word, meaning, meanings }) => (
              <tr key={`${field} ${word}`}>
                <th scope="row">{word}</th>
                <td>
                  <select
                    class="input auto"
                    aria-label={`What the ${field.replaceAll("_", " ")} ${word} means`}
                    value={meaning ?? ""}
                    onChange={(event) => say(word, event.currentTarget.value)}
                  >
                    {meaning === null && (
                      <option value="" disabled>
                        please choose
                      </option>
                    )}
                    {meanings.map((name) => (
                      <option key={name} value={name} selected={name === meaning}>
                        {name}
                      </option>
                    ))}
                  </select>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Preview({ lines }: { lines: ImportAnswer["preview"] }) {
  const names = [...new Set(lines.flatMap(({ values }) => Object.keys(values ?? {})))];
  if (lines.length === 0) return null;
  return (
    <section class="card stack">
      <h2>The first lines, as they would be imported</h2>
      <div class="table-scroll" tabIndex={0} role="region" aria-label="The first lines">
        <table>
          <thead>
            <tr>
              <th scope="col">Line</th>
              {names.map((name) => (
                <th key={name} scope="col">
                  {name.replaceAll("_", " ")}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.map(({ line, values, fault }) => (
              <tr key={line}>
                <th scope="row">{line}</th>
                {values === null ? (
                  <td colSpan={Math.max(1, names.length)}>
                    <span class="fault">{fault}</span>
                  </td>
                ) : (
                  names.map((name) => <td key={name}>{values[name]}</td>)
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
