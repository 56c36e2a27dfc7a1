import { z } from "zod";
import { PROGRAMS } from "../../domain/program/migration/source-id.ts";
import {
  loadMigration,
  loadMigrationReport,
  MIGRATION_STATUSES,
  migrations,
  orderMigration,
} from "../../domain/program/migration/migration.ts";
import { field, recordId } from "../../http/fields.ts";
import { flag, oneOf } from "../../input/fields.ts";
import { shown } from "../../resource/answer.ts";
import { listed } from "../../resource/list.ts";
import { readPathId } from "../../resource/listing.ts";
import { lists, makes, reads } from "../../resource/operations.ts";
import type { V2Operation, V2Row } from "../operation.ts";
import { Failure } from "../../failure.ts";

/** Enough for two keys of a few hundred characters. */
const MOST_KEY_LENGTH = 4_000;

const createBody = z.object({
  program: field(oneOf(PROGRAMS), "The program to import from."),
  key: field(
    z.string("is invalid").trim().min(1, "can't be blank").max(MOST_KEY_LENGTH, "is too long").optional(),
    "The program's API key; if it has two parts, one on each line. It is deleted when the migration ends.",
    "key_4711",
  ),
  from_archive: field(
    flag.optional(),
    "`true` imports what the program answered last, without asking it again. Default: `false`.",
  ),
  dry_run: field(flag.optional(), "`true` tries everything without writing anything. Default: `false`."),
});

const migrationAnswer = shown(migrations)("Migration", {
  id: recordId,
  program: field(z.enum(PROGRAMS), createBody.shape.program),
  status: field(
    z.enum(MIGRATION_STATUSES),
    "`waiting`: it starts within seconds. `running`: see `progress`. `done`: see the counts. `failed`: see `error`.",
  ),
  dry_run: [field(z.boolean(), "Whether nothing is written."), ({ is_dry_run }) => is_dry_run],
  progress: [
    field(
      z
        .object({
          step: field(z.string(), "`fetched`, `imported` or `compared`.", "imported"),
          count: field(z.int(), "How many records so far.", 1200),
          total: field(z.int().nullable(), "How many in total, or null if unknown.", 5000),
        })
        .nullable(),
      "The progress, or null if it has not begun or has ended.",
    ),
    ({ progress }) => progress && { step: progress.what, count: progress.count, total: progress.total },
  ],
  error: field(z.string().nullable(), "Why it failed, or null if it did not.", null),
  counts: [
    field(
      z.record(z.string(), z.record(z.string(), z.int())),
      "How many records of each kind were `added`, `changed`, `known`, `found` here before, `edited` there and here, or `left_out`.",
      { promoter: { added: 12 } },
    ),
    ({ result }) => result?.counts ?? {},
  ],
  remarks: [
    field(z.array(z.string()), "What differs from the program: the first thousand differences.", [
      "commission cm_1: its customer is unknown",
    ]),
    ({ result }) => result?.remarks ?? [],
  ],
  remarks_count: [
    field(z.int(), "How many remarks there are.", 2),
    ({ result }) => result?.remarks_count ?? 0,
  ],
  promoters_compared: [
    field(z.int(), "How many promoters were compared.", 12),
    ({ result }) => result?.compared_count ?? 0,
  ],
  promoters_that_differ: [
    field(z.int(), "How many of them have different figures here.", 0),
    ({ result }) => result?.differing_count ?? 0,
  ],
  differences: [
    field(
      z.array(
        z.object({
          email: field(z.string(), "The promoter's e-mail address.", "jane@example.com"),
          promoter_id: field(
            z.int().nullable(),
            "Id of the promoter, or null if they were not imported.",
            17,
          ),
          texts: field(z.array(z.string()), "What differs.", ["paid: $10.00 there, $9.00 here"]),
        }),
      ),
      "The first thousand promoters whose figures differ.",
    ),
    ({ result }) => result?.differences ?? [],
  ],
  created_at: field(z.iso.datetime(), "When it was requested."),
  finished_at: field(z.iso.datetime().nullable(), "When it ended, or null if it has not."),
});

export const createMigrationOperation: V2Operation = makes(migrationAnswer, {
  id: "createMigration",
  summary: "Import everything from another program",
  description:
    "Reads another program with its API key and imports everything with its history, in the background. Each record is imported once, so it can be repeated. Only one migration runs at a time. An extension of Tidemark.",
  example: { program: "rewardful", key: "key_4711", dry_run: true },
  body: createBody,
  status: 200,
  refusals: ["invalid", "refused"],
  run(tx, { account, context }, { program, key = null, from_archive = false, dry_run = false }) {
    if (key === null && !from_archive) {
      const fields = { key: ["can't be blank without from_archive"] };
      throw new Failure("invalid", "Validation failed: key can't be blank without from_archive", fields);
    }
    return orderMigration(tx, context, account.id, {
      program,
      is_dry_run: dry_run,
      is_from_archive: from_archive,
      key: from_archive ? null : key,
    });
  },
});

export const listMigrationsOperation: V2Operation = lists(migrationAnswer, {
  id: "listMigrations",
  summary: "List migrations, newest first",
  description: "Lists the migrations from another program, newest first. An extension of Tidemark.",
  list: listed(migrations, { isNewestFirst: true })(),
  refusals: [],
});

export const getMigrationOperation: V2Operation = reads(migrationAnswer, {
  id: "getMigration",
  summary: "Show a migration",
  description: "Shows the progress and results of a migration. An extension of Tidemark.",
  load: loadMigration,
});

export const downloadMigrationOperation: V2Operation = {
  id: "downloadMigrationReport",
  summary: "Download the comparison of a migration as a CSV file",
  description:
    "One line per promoter, with clicks, leads, customers, earned, paid and owed, in both programs. An extension of Tidemark.",
  answer: z.string(),
  media: "text/csv",
  refusals: ["not_found"],
  async handle({ event, account, context, headers }) {
    const id = readPathId(event);
    const csv = await loadMigrationReport(context.store, account.id, id);
    headers["content-disposition"] = `attachment; filename="migration-${id}.csv"`;
    return csv;
  },
};

/** The operations of migrations. The paths are below `/api/v2/company`. */
export const MIGRATION_OPERATIONS: V2Row[] = [
  ["GET", "/migrations", listMigrationsOperation, "owner"],
  ["POST", "/migrations", createMigrationOperation, "owner"],
  ["GET", "/migrations/:id", getMigrationOperation, "owner"],
  ["GET", "/migrations/:id/report", downloadMigrationOperation, "owner"],
];
