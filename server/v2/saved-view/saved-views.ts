import { z } from "zod";
import {
  createSavedView,
  deleteSavedView,
  listSavedViews,
  SAVED_LISTS,
  savedViews,
  updateSavedView,
} from "../../domain/access/saved-view.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";
import { oneOf, word } from "../../input/fields.ts";
import { readListing } from "../../resource/listing.ts";
import { changes, does, makes } from "../../resource/operations.ts";
import { shown } from "../../resource/answer.ts";
import type { V2Operation, V2Row } from "../operation.ts";

const NAME_LENGTH = 100;
const MOST_FILTERS = 30;

const savedViewAnswer = shown(savedViews)("SavedView", {
  id: recordId,
  list: field(z.enum(SAVED_LISTS), "The list of the dashboard."),
  name: field(z.string(), "Name of the view.", "To approve"),
  filters: field(z.record(z.string(), z.string()), "The list's filters and its order.", {
    status: "pending",
  }),
  created_at: createdAt,
  updated_at: field(z.iso.datetime(), "When the record was last changed."),
});
const { shape } = savedViewAnswer.schema;

const name = field(word(NAME_LENGTH).min(1, "can't be blank"), shape.name);
const filters = field(
  z
    .record(word(50), word(500), "is invalid")
    .refine(
      (value) => Object.keys(value).length <= MOST_FILTERS,
      `is too long (maximum is ${MOST_FILTERS} filters)`,
    ),
  "The list's filters and its order, as the address of its page has them. A search text (`q`) is left out, because it may name people.",
  { status: "pending" },
);
const listParams = z.object({
  filters: field(
    z
      .object({ list: field(oneOf(SAVED_LISTS), "Only views of this list.") }, "is invalid")
      .partial()
      .default({}),
    "Only records that match.",
  ),
});

/** All of them, because a page shows them all. */
const listOperation: V2Operation = {
  id: "listSavedViews",
  summary: "List saved views",
  description: "Lists the filters of lists that the team has saved, by list and name.",
  params: listParams,
  answer: z.array(savedViewAnswer.schema),
  refusals: ["invalid"],
  async handle(request) {
    const { store } = request.context;
    const { list } = readListing(request, listParams).params.filters;
    return savedViewAnswer.showAll(store, await listSavedViews(store, request.account.id, list));
  },
};

/** The paths are below `/api/v2/company`. */
export const SAVED_VIEW_OPERATIONS: V2Row[] = [
  ["GET", "/saved_views", listOperation],
  [
    "POST",
    "/saved_views",
    makes(savedViewAnswer, {
      id: "createSavedView",
      summary: "Save a view of a list",
      description: "Saves filters of a list under a name, for everyone in the team.",
      body: z.object({ list: field(oneOf(SAVED_LISTS), shape.list), name, filters }),
      refusals: ["invalid", "taken", "refused"],
      run: (tx, { account, context }, body) => createSavedView(tx, context, account.id, body),
    }),
  ],
  [
    "PUT",
    "/saved_views/:id",
    changes(savedViewAnswer, {
      id: "updateSavedView",
      summary: "Change a saved view",
      description: "Renames a view, or changes its filters. What you leave out stays.",
      example: { name: "To approve today" },
      body: z.object({ name, filters }).partial(),
      refusals: ["not_found", "invalid", "taken"],
      run: (tx, { account, context }, given) => updateSavedView(tx, context, account.id, given),
    }),
  ],
  [
    "DELETE",
    "/saved_views/:id",
    does(savedViewAnswer, {
      id: "deleteSavedView",
      summary: "Delete a saved view",
      description: "Deletes a view for everyone in the team.",
      run: (tx, { account }, id) => deleteSavedView(tx, account.id, id),
    }),
  ],
];
