import { useSignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { answer, api, made } from "../../ui/api/client.ts";
import { asRefusal, type Refusal } from "../../ui/api/refusal.ts";
import type { components } from "../../ui/api/types.ts";
import { Notice } from "../../ui/feedback/notice.tsx";
import { count, several } from "../../ui/format.ts";
import { Page } from "../../ui/shell/page.tsx";
import { Columns, Words } from "./import-columns.tsx";
import { Result, saveFaults } from "./import-result.tsx";

export type ImportAnswer = components["schemas"]["Import"];
type Batch = components["schemas"]["BatchProcess"];
type Kind = ImportAnswer["kind"];
type DateOrder = "dmy" | "mdy";

const KINDS: [Kind, string][] = [
  ["promoters", "Promoters"],
  ["leads", "Leads"],
  ["customers", "Customers: leads who have bought"],
  ["sales", "Sales"],
  ["commissions", "Commissions"],
];
/** Files are often named after their content. */
const GUESSES: [RegExp, Kind][] = [
  [/commission|reward/i, "commissions"],
  [/sale|transaction|invoice|order/i, "sales"],
  [/customer/i, "customers"],
  [/lead|referral|signup/i, "leads"],
];
/** How often the progress of a long import is polled. */
const LOOK_MS = 1_000;

/** The user's choices so far. */
interface Chosen {
  kind: Kind;
  file: File;
  /** Fields by title. A blank field ignores the column. */
  columns: Record<string, string>;
  /** What words of states mean. */
  words: Record<string, string>;
  dateOrder: DateOrder | null;
}

/** `/admin/settings/import` */
export function Import() {
  const chosen = useSignal<Chosen | null>(null);
  const found = useSignal<ImportAnswer | null>(null);
  const kept = useSignal<Batch | null>(null);
  const refusal = useSignal<Refusal | null>(null);
  const isBusy = useSignal(false);

  const send = async (next: Chosen, isDryRun: boolean) => {
    chosen.value = next;
    refusal.value = null;
    isBusy.value = true;
    try {
      const sent = isDryRun ? answer(request(next, true)) : made(request(next, false));
      const got = await sent;
      // The user may have chosen something else meanwhile.
      if (chosen.value !== next) return;
      if (isDryRun) found.value = got;
      else kept.value = got.batch;
    } catch (error) {
      if (chosen.value !== next) return;
      refusal.value = asRefusal(error);
      if (isDryRun) found.value = null;
    }
    isBusy.value = false;
  };
  const choose = (file: File, kind: Kind) => {
    found.value = null;
    kept.value = null;
    return send({ kind, file, columns: {}, words: {}, dateOrder: null }, true);
  };

  return (
    <Page title="Import">
      <div class="stack wide">
        <Choice
          chosen={chosen.value}
          isBusy={isBusy.value}
          choose={(file, kind) => void choose(file, kind)}
        />
        {refusal.value && <Notice refusal={refusal.value} />}
        {kept.value ? (
          <Kept batch={kept} name={chosen.value?.file.name ?? "file"} />
        ) : (
          found.value &&
          chosen.value && (
            <Found
              found={found.value}
              chosen={chosen.value}
              isBusy={isBusy.value}
              onChange={(changes) => void send({ ...chosen.value!, ...changes }, true)}
              onBatch={(batch) => (found.value = found.value && { ...found.value, batch })}
              onImport={() => void send(chosen.value!, false)}
            />
          )
        )}
      </div>
    </Page>
  );
}

function request({ kind, file, columns, words, dateOrder }: Chosen, isDryRun: boolean) {
  const query = {
    kind,
    dry_run: isDryRun,
    file_name: file.name,
    ...(Object.keys(columns).length > 0 && { columns: JSON.stringify(columns) }),
    ...(Object.keys(words).length > 0 && { words: JSON.stringify(words) }),
    ...(dateOrder && { date_order: dateOrder }),
  };
  return api.POST("/api/v2/company/imports", {
    params: { query },
    // The file is sent unchanged, and the server inspects its bytes.
    body: file as unknown as string,
    bodySerializer: (body: unknown) => body as Blob,
    headers: { "content-type": "text/csv" },
  });
}

function Choice({
  chosen,
  isBusy,
  choose,
}: {
  chosen: Chosen | null;
  isBusy: boolean;
  choose: (file: File, kind: Kind) => void;
}) {
  const kind = useSignal<Kind>("promoters");
  const take = (file: File | undefined) => {
    if (file === undefined) return;
    kind.value = GUESSES.find(([name]) => name.test(file.name))?.[1] ?? kind.value;
    choose(file, kind.value);
  };
  return (
    <section
      class="card stack"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        take(event.dataTransfer?.files[0]);
      }}
    >
      <h2>A CSV file of another program</h2>
      <p>
        Begin with promoters, then leads or customers, then sales and commissions. Nothing is imported until
        you have seen what would happen, known records stay unchanged, and no e-mails are sent.
      </p>
      <div class="grid">
        <div class="field">
          <label htmlFor="import-kind">What is in it</label>
          <select
            id="import-kind"
            class="input"
            value={kind.value}
            onChange={(event) => {
              kind.value = event.currentTarget.value as Kind;
              if (chosen) choose(chosen.file, kind.value);
            }}
          >
            {KINDS.map(([value, words]) => (
              <option key={value} value={value} selected={value === kind.value}>
                {words}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label htmlFor="import-file">The file: choose it, or drop it here</label>
          <input
            id="import-file"
            class="input"
            type="file"
            accept=".csv,.tsv,.txt,text/csv"
            onChange={(event) => take(event.currentTarget.files?.[0])}
          />
        </div>
      </div>
      <p class="small soft" aria-live="polite">
        {isBusy ? "Reading the file …" : chosen ? chosen.file.name : "Up to 20 MB."}
      </p>
    </section>
  );
}

interface FoundProps {
  found: ImportAnswer;
  chosen: Chosen;
  isBusy: boolean;
  onChange: (changes: Partial<Chosen>) => void;
  onBatch: (batch: Batch) => void;
  onImport: () => void;
}

/** What the server understood, and what would happen. */
function Found({ found, chosen, isBusy, onChange, onBatch, onImport }: FoundProps) {
  const { batch, problems } = found;
  const isTried = batch !== null && batch.status === "completed";
  return (
    <>
      <Columns
        found={found}
        choose={(title, field) => onChange({ columns: { ...chosen.columns, [title]: field } })}
      />
      <Words
        words={found.words}
        say={(word, meaning) => onChange({ words: { ...chosen.words, [word]: meaning } })}
      />
      <section class="card stack">
        <div class="row spread">
          <h2>What would happen</h2>
          <DateOrderChoice value={chosen.dateOrder} onChange={(dateOrder) => onChange({ dateOrder })} />
        </div>
        {problems.map((problem) => (
          <p key={problem} class="notice bad" role="alert">
            {problem}.
          </p>
        ))}
        {batch && <Progress batch={batch} title="Trying the lines" onBatch={onBatch} />}
        {isTried && <Result batch={batch} name={chosen.file.name} />}
        <div>
          <button
            class="button main"
            aria-disabled={isBusy || !isTried}
            onClick={() => isTried && !isBusy && onImport()}
          >
            {isTried ? `Import ${several(batch.processed_count, "line")}` : "Import"}
          </button>
        </div>
      </section>
    </>
  );
}

function DateOrderChoice({
  value,
  onChange,
}: {
  value: DateOrder | null;
  onChange: (order: DateOrder | null) => void;
}) {
  return (
    <label class="row tight small">
      Dates like 5/6/2024
      <select
        class="input auto"
        value={value ?? ""}
        onChange={(event) => onChange((event.currentTarget.value || null) as DateOrder | null)}
      >
        <option value="">are detected automatically</option>
        <option value="dmy">begin with the day</option>
        <option value="mdy">begin with the month</option>
      </select>
    </label>
  );
}

function Kept({ batch, name }: { batch: Signal<Batch | null>; name: string }) {
  const value = batch.value;
  if (value === null) return null;
  return (
    <section class="card stack">
      <h2>{value.status === "completed" ? "Imported" : "Importing"}</h2>
      <Progress batch={value} title="Importing the lines" onBatch={(next) => (batch.value = next)} />
      {value.status === "completed" ? (
        <Result batch={value} name={name} />
      ) : (
        <p class="small soft">You may leave this page: the server continues on its own.</p>
      )}
    </section>
  );
}

/** A progress bar for a long file, which polls the server. */
function Progress({
  batch,
  title,
  onBatch,
}: {
  batch: Batch;
  title: string;
  onBatch: (batch: Batch) => void;
}) {
  const isUnderWay = batch.status !== "completed";
  useEffect(() => {
    if (!isUnderWay) return;
    const look = async () => {
      const params = { path: { id: String(batch.id) as never } };
      // The next request may succeed.
      const next = await answer(api.GET("/api/v2/company/batch_processes/{id}", { params })).catch(
        () => null,
      );
      if (next !== null) onBatch(next);
    };
    const timer = setInterval(() => void look(), LOOK_MS);
    return () => clearInterval(timer);
  }, [batch.id, isUnderWay]);
  if (!isUnderWay) return null;
  const done = batch.processed_count + batch.failed_count;
  return (
    <div class="stack tight">
      <progress aria-label={title} max={Math.max(1, batch.total)} value={done} />
      <span class="small soft" aria-hidden="true">
        {count(done)} of about {count(batch.total)} lines
      </span>
      {batch.failed_count > 0 && (
        <div>
          <button class="button little" onClick={() => saveFaults(batch, "file")}>
            Download the faults so far
          </button>
        </div>
      )}
    </div>
  );
}
