import { z } from "zod";
import {
  createSavedView,
  deleteSavedView,
  listSavedViews,
  SAVED_LISTS,
  updateSavedView,
  type SavedView,
} from "../../domain/access/saved-view.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";
import { readJson } from "../../http/parameters/json.ts";
import { oneOf, word } from "../../input/fields.ts";
import { shapeChanges, shapeInput } from "../../input/shape.ts";
import type { V2Operation, V2Row } from "../operation.ts";
import { readListing, readPathId } from "../params.ts";

const NAME_LENGTH = 100;
const MOST_FILTERS = 30;

const answer = z
  .object({
    id: recordId,
    list: field(z.enum(SAVED_LISTS), "The list of the dashboard."),
    name: field(z.string(), "Name of the view.", "To approve"),
    filters: field(z.record(z.string(), z.string()), "The list's filters and its order.", {
      status: "pending",
    }),
    created_at: createdAt,
    updated_at: field(z.iso.datetime(), "When the record was last changed."),
  })
  .meta({ id: "SavedView" });

const name = field(word(NAME_LENGTH).min(1, "can't be blank"), answer.shape.name);
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
const createBody = z.object({ list: field(oneOf(SAVED_LISTS), answer.shape.list), name, filters });
const updateBody = z.object({ name, filters }).partial();
const listParams = z.object({
  filters: field(
    z
      .object({ list: field(oneOf(SAVED_LISTS), "Only views of this list.") }, "is invalid")
      .partial()
      .default({}),
    "Only records that match.",
  ),
});

const listOperation: V2Operation = {
  id: "listSavedViews",
  summary: "List saved views",
  description: "Lists the filters of lists that the team has saved, by list and name.",
  params: listParams,
  answer: z.array(answer),
  refusals: ["invalid"],
  async handle(request) {
    const { account, context } = request;
    const { list } = readListing(request, listParams).params.filters;
    return (await listSavedViews(context.store, account.id, list)).map(json);
  },
};

const createOperation: V2Operation = {
  id: "createSavedView",
  summary: "Save a view of a list",
  description: "Saves filters of a list under a name, for everyone in the team.",
  body: createBody,
  answer,
  status: 201,
  refusals: ["invalid", "taken", "refused"],
  handle: async ({ event, account, context }) =>
    json(await createSavedView(context, account.id, shapeInput(createBody, await readJson(event)))),
};

const updateOperation: V2Operation = {
  id: "updateSavedView",
  summary: "Change a saved view",
  description: "Renames a view, or changes its filters. What you leave out stays.",
  example: { name: "To approve today" },
  body: updateBody,
  answer,
  refusals: ["not_found", "invalid", "taken"],
  async handle({ event, account, context }) {
    const changes = shapeChanges(updateBody, await readJson(event));
    return json(await updateSavedView(context, account.id, { id: readPathId(event), changes }));
  },
};

const deleteOperation: V2Operation = {
  id: "deleteSavedView",
  summary: "Delete a saved view",
  description: "Deletes a view for everyone in the team.",
  answer,
  refusals: ["not_found"],
  handle: async ({ event, account, context }) =>
    json(await deleteSavedView(context, account.id, readPathId(event))),
};

/** The paths are below `/api/v2/company`. */
export const SAVED_VIEW_OPERATIONS: V2Row[] = [
  ["GET", "/saved_views", listOperation],
  ["POST", "/saved_views", createOperation],
  ["PUT", "/saved_views/:id", updateOperation],
  ["DELETE", "/saved_views/:id", deleteOperation],
];

function json(view: SavedView): z.output<typeof answer> {
  return {
    id: view.id,
    list: view.list,
    name: view.name,
    filters: view.filters,
    created_at: view.created_at,
    updated_at: view.updated_at,
  };
}
