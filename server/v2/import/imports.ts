import { setImmediate } from "node:timers/promises";
import type { H3Event } from "h3";
import { z } from "zod";
import { withoutLog } from "../../domain/access/audit/audited-store.ts";
import { Failure } from "../../failure.ts";
import { field } from "../../http/fields.ts";
import { readBytes } from "../../http/parameters/body.ts";
import { readNestedQuery } from "../../http/parameters/form.ts";
import { bodyType, nest, type Query } from "../../http/parameters/pairs.ts";
import { flag, jsonObject, oneOf, text } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import { actorOf } from "../../request/caller.ts";
import { CERTAINTIES, type ChosenColumns } from "../../transfer/csv/columns.ts";
import { KIND_NAMES, KINDS, previewOf } from "../../transfer/csv/kinds.ts";
import { drawPlan, readRows } from "../../transfer/csv/plan.ts";
import { startImport } from "../../transfer/csv/run.ts";
import { DATE_ORDERS } from "../../transfer/csv/writing.ts";
import { BATCH, batchAnswer } from "../batch/batch-processes.ts";
import type { V2Operation, V2Request } from "../operation.ts";

/** About 200,000 lines. For larger files there is `tidemark import-csv`. */
const MOST_BYTES = 20 * 1024 * 1024;

const params = z.object({
  kind: field(
    oneOf(KIND_NAMES),
    "What the lines are. Import promoters first, then leads or customers, then sales and commissions.",
  ),
  dry_run: field(
    flag.optional(),
    "`true` imports nothing. The answer shows how the file was understood, and what would happen.",
    true,
  ),
  columns: field(
    jsonObject
      .pipe(z.record(z.string(), z.string("is invalid").nullable(), "is not an object of fields by title"))
      .optional(),
    'Which field each column is, by its title, as a JSON object. A blank field ignores the column. Columns that are not named are detected. `{"Their mail": "email", "Rating": ""}`',
    { "Their mail": "email" },
  ),
  words: field(
    jsonObject
      .pipe(z.record(z.string(), z.string("is invalid"), "is not an object of meanings by word"))
      .optional(),
    'What words of states mean, as a JSON object. It is needed for words that are not known. `{"Ausgezahlt": "paid"}`',
    { Ausgezahlt: "paid" },
  ),
  delimiter: field(
    text.length(1, "must be one character").optional(),
    "The separator. Default: detected.",
    ";",
  ),
  date_order: field(
    oneOf(DATE_ORDERS).optional(),
    "Whether `5/6/2024` begins with the day or with the month. Default: detected.",
    "dmy",
  ),
  file_name: field(text.optional(), "The name of the file, for the audit log.", "promoters.csv"),
});

const column = z
  .object({
    title: field(z.string(), "Its title in the file.", "Their mail"),
    field: field(z.string().nullable(), "The field that it fills, or null if it is ignored.", "email"),
    certainty: field(
      z.enum(CERTAINTIES).nullable(),
      "How sure that is (`chosen` if you said so), or null if the column is ignored.",
      "likely",
    ),
    reason: field(z.string(), "Why.", "its values are e-mail addresses"),
    examples: field(z.array(z.string()), "Some of its values.", ["jane@example.com"]),
  })
  .meta({ id: "ImportColumn" });
const word = z
  .object({
    field: field(z.string(), "The field of its column.", "status"),
    word: field(z.string(), "The word in the file.", "Ausgezahlt"),
    meaning: field(z.string().nullable(), "What it means, or null if you must say it.", null),
    meanings: field(z.array(z.string()), "What it can mean.", ["pending", "approved", "denied", "paid"]),
  })
  .meta({ id: "ImportWord" });
const line = z
  .object({
    line: field(z.int(), "Number of the line in the file. The header is line 1.", 2),
    values: field(
      z.record(z.string(), z.string()).nullable(),
      "Its values by field, as they would be kept, or null if the line is bad.",
      { email: "jane@example.com" },
    ),
    fault: field(z.string().nullable(), "Why the line is bad, or null if it is not.", null),
  })
  .meta({ id: "ImportLine" });

export const importOperation: V2Operation = {
  id: "importRecords",
  summary: "Import a CSV file of another program",
  description: `Reads a CSV file of up to ${MOST_BYTES / 1024 ** 2} MiB and detects the separator and the columns from titles and values. Known records stay unchanged, so a file may be sent again. Imported records are history: no e-mails or webhooks are sent. Short files are complete when the answer comes; longer ones are finished in the background, and \`GET /batch_processes/{id}\` shows the progress. ${BATCH} Its \`meta\` counts the lines by outcome, and each error begins with the line's number. An extension of Tidemark.`,
  params,
  upload: "text/csv",
  answer: z
    .object({
      kind: field(z.enum(KIND_NAMES), "What the lines are."),
      dry_run: field(z.boolean(), "Whether nothing is kept.", true),
      delimiter: field(z.string(), "The separator.", ","),
      columns: field(z.array(column), "The columns of the file, in its order."),
      words: field(z.array(word), "The words of states in the first lines."),
      fields: field(z.array(z.string()), "All fields that a column can be.", ["email", "ref_id"]),
      problems: field(
        z.array(z.string()),
        "Why the file can't be imported like this, in sentences. Only a dry run answers with any.",
        [],
      ),
      preview: field(z.array(line), "The first lines as they would be kept."),
      batch: field(batchAnswer.schema.nullable(), "What became of the lines, or null if there are problems."),
    })
    .meta({ id: "Import" }),
  refusals: ["invalid", "refused"],
  handle: importFile,
};

async function importFile({ event, account, caller, context: given }: V2Request) {
  const { bytes, values } = await readUpload(event);
  const input = shapeInput(params, { ...readNestedQuery(event), ...values });
  const isDryRun = input.dry_run ?? false;
  // The audit log has one entry for the file, not one per record.
  const { store, now, chance } = withoutLog(given);
  const context = { store, now, chance };
  const file = () => inPieces(bytes);
  const kind = KINDS[input.kind];
  const saying = {
    delimiter: input.delimiter ?? null,
    dateOrder: input.date_order ?? null,
    chosen: chosenOf(input.columns ?? {}),
    words: new Map(Object.entries(input.words ?? {})),
  };
  const { plan, columns, words, faults } = await drawPlan(store, account, { file, kind, saying });
  if (faults.length > 0 && !isDryRun) throw new Failure("invalid", faults.join(". "), { columns: faults });
  const preview = await previewOf(kind, account, readRows(file, plan, account));
  const sent = {
    kind: input.kind,
    is_dry_run: isDryRun,
    name: input.file_name ?? null,
    file,
    plan,
    actor: actorOf(caller),
  };
  const batch = faults.length > 0 ? null : await startImport(context, account, sent);
  return {
    kind: input.kind,
    dry_run: isDryRun,
    delimiter: plan.delimiter,
    columns,
    words: words.map(({ field: name, ...found }) => ({
      field: name,
      ...found,
      meanings: [...new Set(Object.values(kind.words?.[name] ?? {}))],
    })),
    fields: kind.columns.map(([name = ""]) => name),
    problems: faults,
    preview,
    batch: batch && batchAnswer.json(batch),
  };
}

/** A piece of a file. */
const PIECE_BYTES = 256 * 1024;

/** A large file comes in pieces, and other requests have their turn between them. */
async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes.subarray(0, PIECE_BYTES);
  for (let at = PIECE_BYTES; at < bytes.length; at += PIECE_BYTES) {
    await setImmediate();
    yield bytes.subarray(at, at + PIECE_BYTES);
  }
}

function chosenOf(columns: Record<string, string | null>): ChosenColumns {
  return new Map(Object.entries(columns).map(([title, name]) => [title, name === "" ? null : name]));
}

/** Reads a file that is the body or a field of a form. The form's other fields are parameters. */
async function readUpload(event: H3Event): Promise<{ bytes: Uint8Array; values: Query }> {
  const body = await readBytes(event, MOST_BYTES);
  if (bodyType(event) !== "multipart/form-data") return { bytes: body, values: {} };
  const form = await parseForm(body, event.req.headers.get("content-type") ?? "");
  const file = [...form.values()].find((value) => typeof value !== "string");
  if (file === undefined) throw new Failure("invalid", "The form has no file", { file: ["can't be blank"] });
  const pairs = [...form].filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return {
    bytes: new Uint8Array(await file.arrayBuffer()),
    values: { file_name: file.name, ...nest(pairs) },
  };
}

async function parseForm(body: Uint8Array, type: string): Promise<FormData> {
  try {
    return await new Response(body as Uint8Array<ArrayBuffer>, {
      headers: { "content-type": type },
    }).formData();
  } catch {
    throw new Failure("malformed", "The body is not valid multipart/form-data");
  }
}
