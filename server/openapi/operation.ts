import type { DescribedRoute } from "./described-route.ts";
import { bodyExample, exampleOf } from "./example.ts";
import { pathParameters, queryParameters } from "./parameters.ts";
import { responsesOf } from "./responses.ts";
import type { Schemas } from "./schemas.ts";

/** The tag of each kind of caller. */
export const TAG_OF = { v1: "V1", v2: "V2", browser: "Browser", operator: "Operation" } as const;
const SECURITY = { v1: [{ apiKey: [] }], browser: [], operator: [] };
const BY_KEY = { bearer: [], accountId: [] };
const BY_SESSION = { session: [] };
/** The security of each access. The description of an operation says which role it needs. */
const ACCESS = {
  anyone: [],
  promoter: [{ portalToken: [] }, { portalSession: [] }],
  key: [BY_KEY],
  person: [BY_SESSION],
  viewer: [BY_KEY, BY_SESSION],
  manager: [BY_KEY, BY_SESSION],
  owner: [BY_KEY, BY_SESSION],
};

/**
 * An operation in OpenAPI's form. `first` is the first route that has it.
 *
 * @see OpenAPI 3.1, "Operation Object"
 */
export function describeOperation(route: DescribedRoute, first: DescribedRoute, schemas: Schemas) {
  const { operation, caller, path } = route;
  const { params } = operation;
  const { id, description } = introduced(route, first);
  const isForm = hasForm(route);
  const query = isForm || !params ? [] : queryParameters(schemas.describe(params, "input"));
  return {
    operationId: id,
    summary: operation.summary,
    description: [description, ...roleOf(route)].join(" "),
    tags: [TAG_OF[caller]],
    security: caller === "v2" ? ACCESS[route.access] : SECURITY[caller],
    parameters: [...pathParameters(path, operation.pathId, schemas), ...query] as object[],
    ...requestBody(route, id, schemas),
    responses: responsesOf(route, schemas),
  };
}

/** The second route of an operation is for clients that can't send the method of its first. */
function introduced({ operation, method }: DescribedRoute, first: DescribedRoute) {
  const { id, description } = operation;
  if (method === first.method) return { id, description };
  if (method === "PATCH") return { id: id.replace(/^update/, "patch"), description: "The same as `PUT`." };
  const reason = first.method === "GET" ? "for clients that send a form" : "for clients that can't send it";
  return {
    id: id.startsWith("get") ? id.replace(/^get/, "post") : `${id}ByPost`,
    description: `The same as \`${first.method}\`, ${reason}.`,
  };
}

function requestBody(route: DescribedRoute, id: string, schemas: Schemas) {
  const { operation } = route;
  if (operation.upload !== undefined) return { requestBody: fileBody(operation.upload) };
  const form = hasForm(route) ? operation.params : undefined;
  const input = form ?? operation.body;
  if (input === undefined) return {};
  const name = `${id.charAt(0).toUpperCase()}${id.slice(1)}${form ? "Form" : "Body"}`;
  const schema = schemas.refer(input, "input", name);
  const type = form ? "application/x-www-form-urlencoded" : "application/json";
  const shown = operation.example ?? exampleOf(schema, schemas.components);
  return { requestBody: { required: true, content: { [type]: { schema, ...bodyExample(shown) } } } };
}

/** A file, raw or in a form. */
function fileBody(type: string) {
  const text = "email,ref_id\r\njane@example.com,jane\r\n";
  const file = { type: "string", description: "The file.", examples: [text] };
  const form = { type: "object", required: ["file"], properties: { file } };
  return {
    required: true,
    content: {
      [type]: { schema: { type: "string" }, ...bodyExample(text) },
      "multipart/form-data": { schema: form, ...bodyExample({ file: text }) },
    },
  };
}

/** The required role, if it is not the one that the method implies. */
function roleOf({ access }: DescribedRoute): string[] {
  return access === "owner" ? ["A signed-in user needs the role `owner`."] : [];
}

/** V1 and browsers send their changes as a form. */
function hasForm({ caller, method }: DescribedRoute): boolean {
  return caller !== "v2" && method !== "GET" && method !== "DELETE";
}
