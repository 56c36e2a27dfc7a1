import { z } from "zod";
import {
  AUDIT_ACTIONS,
  AUDITED,
  auditEntries,
  scanAuditEntries,
  type AuditEntry,
} from "../../domain/access/audit/audit.ts";
import { entryNames } from "../../domain/reports/audit-names.ts";
import { ACTOR_KINDS } from "../../domain/context.ts";
import { id, oneOf, word } from "../../input/fields.ts";
import type { Line } from "../../csv.ts";
import { csvPages } from "../export/csv-pages.ts";
import type { View } from "../../storage/store.ts";
import { orderedJson } from "../../storage/digests.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { shown } from "../../resource/answer.ts";
import { listed } from "../../resource/list.ts";
import { period } from "../../resource/listing.ts";
import { lists } from "../../resource/operations.ts";
import { field } from "../../http/fields.ts";

const ENTITIES = Object.values(AUDITED);

const auditList = listed(auditEntries, { newestBy: "at" })({
  filters: {
    actor: [field(oneOf(ACTOR_KINDS), "Only changes by this kind of actor."), "actor_kind"],
    actor_id: field(id, "Only changes by this user or promoter.", 3),
    action: field(oneOf(AUDIT_ACTIONS), "Only changes of this kind."),
    entity: field(oneOf(ENTITIES), "Only changes of this kind of record."),
    entity_id: field(word(100), "Only changes of the record with this id.", "17"),
    at: period,
  },
});

const fieldsAnswer = z.record(z.string(), z.unknown()).nullable();

const entryAnswer = shown(auditEntries, entryNames)("AuditEntry", {
  id: field(z.int(), "Id of the entry.", 4711),
  at: field(z.iso.datetime(), "When it was changed.", "2026-03-04T05:06:07.890Z"),
  actor: field(
    z.object({
      kind: field(
        z.enum(ACTOR_KINDS),
        "`user`: a user of the dashboard. `key`: a program with an API key. `promoter`: a promoter in the portal. `command_line`: a command run on the server. `process`: the server itself.",
      ),
      id: field(z.int().nullable(), "Id of the user or promoter. Null for all others.", 3),
      name: field(
        z.string().nullable(),
        "E-mail address of the user or promoter, or the name of the key.",
        "alex@acme.example",
      ),
    }),
    "Who changed it.",
  ),
  action: field(
    z.enum(AUDIT_ACTIONS),
    "What happened to the record. `erased`: all personal data was removed. `viewed`: a user looked at a promoter's portal. `exported`: a user downloaded all records of the kind. `let_in`: a user made a sign-in link or a first password for a promoter.",
  ),
  entity: field(z.enum(ENTITIES), "The kind of the record."),
  entity_id: field(z.string(), "Id of the record, as text.", "17"),
  entity_name: [
    field(
      z.string().nullable(),
      "The record's current name: its own, or that of the person it is about. Null if it has none or was deleted.",
      "Jane Doe",
    ),
    (_, { name }) => name,
  ],
  before: field(
    fieldsAnswer,
    "The changed fields before the change; secrets show only `hidden`. Null if the record is new or the person was erased.",
    { status: "pending" },
  ),
  after: field(
    fieldsAnswer,
    "The changed fields after the change; secrets show only `hidden`. Null if the record was deleted or the person was erased.",
    { status: "approved" },
  ),
});

export const listAuditLog: V2Operation = lists(entryAnswer, {
  id: "listAuditLog",
  summary: "List who changed what, newest first",
  description:
    "Lists who changed settings, people, money and keys, with the values before and after. Clicks, sign-ups and sales have their own records and are not listed here.",
  list: auditList,
});

/** Oldest first, so that it can be streamed. */
export const downloadAuditLog: V2Operation = {
  id: "downloadAuditLog",
  summary: "Download who changed what as a CSV file",
  description: "All entries as a CSV file, oldest first, with `before` and `after` as JSON.",
  params: z.object({ filters: auditList.filters }),
  answer: z.string(),
  media: "text/csv",
  refusals: ["invalid"],
  handle: download,
};

async function download(request: V2Request) {
  const { account, context, headers } = request;
  const { store } = context;
  const entries = scanAuditEntries(store, account.id, auditList.conditions(request));
  const day = context.now.toISOString().slice(0, 10);
  headers["content-disposition"] = `attachment; filename="audit-log-${day}.csv"`;
  return csvPages(COLUMNS, linesOf(store, entries));
}

async function* linesOf(view: View, pages: AsyncIterable<AuditEntry[]>): AsyncGenerator<Line[]> {
  for await (const entries of pages) {
    const shown = await entryAnswer.showAll(view, entries);
    yield shown.map(({ actor, before, after, ...rest }) => {
      const [actor_kind, actor_id, actor_name] = [actor.kind, actor.id, actor.name];
      return { ...rest, actor_kind, actor_id, actor_name, before: text(before), after: text(after) };
    });
  }
}

const COLUMNS = [
  "id",
  "at",
  "actor_kind",
  "actor_id",
  "actor_name",
  "action",
  "entity",
  "entity_id",
  "entity_name",
  "before",
  "after",
];

function text(fields: object | null): string {
  return fields === null ? "" : orderedJson(fields);
}
