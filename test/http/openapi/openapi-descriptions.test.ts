import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { newDocument, type JsonSchema, type OpenApi, type OpenApiContent } from "../../support/openapi.ts";

const addFormats = ajvFormats as unknown as (ajv: Ajv2020) => Ajv2020;
const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true }));
const raw = newDocument();
/** Has parameters and responses instead of references to them. Schemas stay references. */
const document = { ...raw, ...withoutShared(raw) };
ajv.addSchema(raw, "document");

/** A field or a parameter with its place in the document. */
interface Field {
  /** The name of a schema and of its field, such as `V1Promoter.email`. */
  place: string;
  description: unknown;
  /** undefined: there is none. */
  example: unknown;
  /** Whether it consists of fields that have examples of their own. */
  isComposed: boolean;
  schema: JsonSchema;
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    route: `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
    ...operation,
  })),
);
const postings = Object.entries(document.webhooks).map(([type, { post }]) => ({
  route: `event ${type}`,
  ...post,
}));

const parameters: Field[] = [...operations, ...postings].flatMap((operation) =>
  operation.parameters.map(({ name, description, example, schema }) => ({
    place: `${operation.operationId}.${name}`,
    description,
    example,
    isComposed: false,
    schema,
  })),
);
const fields: Field[] = [
  ...Object.entries(document.components.schemas).flatMap(([name, schema]) => fieldsOf(schema, name)),
  ...[...operations, ...postings].flatMap(({ operationId, requestBody, responses }) =>
    [...Object.values(responses), ...(requestBody ? [requestBody] : [])]
      .flatMap(({ content = {} }) => Object.values(content))
      .flatMap(({ schema }) => fieldsOf(schema, operationId)),
  ),
];

describe("the OpenAPI document", () => {
  it("gives every operation a readable id of its own, and a description", () => {
    const missing = operations
      .filter(({ operationId, description }) => !description || !/^[a-z][A-Za-z0-9]+$/.test(operationId))
      .map(({ route }) => `${route}: its operation needs an id and a description`);
    expect(missing).toEqual([]);
    const silent = postings.filter(({ description }) => !description);
    expect(silent.map(({ route }) => `${route}: its type needs a meaning`)).toEqual([]);
    const ids = [...operations, ...postings].map(({ operationId }) => operationId);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  it("describes every parameter and field", () => {
    const missing = [...parameters, ...fields].filter(({ description }) => !description);
    expect(hints(missing, "a description")).toEqual([]);
  });

  it("has an example for every parameter and field", () => {
    const missing = [...parameters, ...fields].filter(
      ({ example, isComposed }) => example === undefined && !isComposed,
    );
    expect(hints(missing, "an example")).toEqual([]);
  });

  it("has examples that fit their schemas", () => {
    const faults = [...parameters, ...fields]
      .filter(({ example }) => example !== undefined)
      .flatMap(({ place, example, schema }) => faultsOf(place, schema, example));
    expect([...new Set(faults)]).toEqual([]);
  });

  it("has a complete example for every body, and each fits", () => {
    const faults = [...operations, ...postings].flatMap(({ operationId, requestBody, responses }) =>
      [["body", requestBody] as const, ...Object.entries(responses)].flatMap(([name, holder]) =>
        Object.values((holder?.content ?? {}) as Record<string, OpenApiContent>).flatMap(
          ({ schema, examples }) => {
            const example = examples === undefined ? composed(schema) : examples.usual.value;
            const isComplete = example !== undefined && !JSON.stringify(example).includes(NO_EXAMPLE);
            return isComplete
              ? faultsOf(`${operationId}, ${name}`, schema, example)
              : [`${operationId}, ${name}: no example`];
          },
        ),
      ),
    );
    expect(faults).toEqual([]);
  });
});

function fieldsOf(schema: JsonSchema, owner: string): Field[] {
  const { properties, items, anyOf } = schema as {
    properties?: Record<string, JsonSchema>;
    items?: JsonSchema;
    anyOf?: JsonSchema[];
  };
  const own = Object.entries(properties ?? {}).flatMap(([name, field]) => [
    {
      place: `${owner}.${name}`,
      description: field["description"],
      example: (field["examples"] as unknown[] | undefined)?.[0],
      isComposed: isComposed(field),
      schema: field,
    },
    ...fieldsOf(field, `${owner}.${name}`),
  ]);
  return [...own, ...[items ?? [], anyOf ?? []].flat().flatMap((inner) => fieldsOf(inner, owner))];
}

function isComposed(schema: JsonSchema): boolean {
  const { items, anyOf = [] } = schema as { items?: JsonSchema; anyOf?: JsonSchema[] };
  if ("$ref" in schema || "properties" in schema) return true;
  return (items !== undefined && isComposed(items)) || anyOf.some(isComposed);
}

const NO_EXAMPLE = "no example";

/** The example of a body, composed of those of its fields, as viewers do it. */
function composed(schema: JsonSchema): unknown {
  const { $ref, properties, items, anyOf } = schema as {
    $ref?: string;
    properties?: Record<string, JsonSchema>;
    items?: JsonSchema;
    anyOf?: JsonSchema[];
  };
  if (Array.isArray(schema["examples"])) return schema["examples"][0] as unknown;
  if ($ref !== undefined) return composed(raw.components.schemas[$ref.replace(/^.*\//, "")]!);
  if (anyOf !== undefined) return composed(anyOf[0]!);
  if (items !== undefined) return [composed(items)];
  if (properties === undefined) return "const" in schema ? schema["const"] : NO_EXAMPLE;
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, composed(field)]));
}

const compiled = new Map<string, ValidateFunction>();

function faultsOf(place: string, schema: JsonSchema, example: unknown): string[] {
  const text = JSON.stringify(schema, rulesOnly).replaceAll('"#/components', '"document#/components');
  const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text) as JsonSchema);
  compiled.set(text, validate);
  return validate(example)
    ? []
    : [`${place}: the example ${JSON.stringify(example)} does not fit: ${ajv.errorsText(validate.errors)}`];
}

/** Leaves descriptions and examples out, so that many fields have the same schema, which is compiled once. */
function rulesOnly(name: string, value: unknown): unknown {
  const isText = name === "description" && typeof value === "string";
  return isText || (name === "examples" && Array.isArray(value)) ? undefined : value;
}

/** Gives one line per name, with one of its places. */
function hints(missing: Field[], what: string): string[] {
  const places = new Map(
    missing.map(({ place }) => [place.replace(/\]$/, "").replace(/^.*[.[]/, ""), place]),
  );
  return [...places].map(
    ([name, place]) => `${place}: add ${what} where the schema declares "${name}", by field()`,
  );
}

/** Puts shared parameters and responses in the place of their references. */
function withoutShared({ paths, webhooks, components }: OpenApi): Pick<OpenApi, "paths" | "webhooks"> {
  const shared = { ...components.parameters, ...components.responses };
  const text = JSON.stringify({ paths, webhooks }).replaceAll(
    /\{"\$ref":"#\/components\/(?:parameters|responses)\/(\w+)"\}/g,
    (_, name: string) => JSON.stringify(shared[name]),
  );
  return JSON.parse(text) as Pick<OpenApi, "paths" | "webhooks">;
}
