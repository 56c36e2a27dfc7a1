import type { z } from "zod";
import { shareIn, type JsonSchema, type Schemas } from "./schemas.ts";

const SPELLINGS = (name: string) =>
  `Several: \`${name}=a&${name}=b\`, \`${name}[]=a&${name}[]=b\` or \`${name}[0]=a&${name}[1]=b\`, all the same.`;

const number = (description: string, example: number): JsonSchema => ({
  type: "integer",
  minimum: 1,
  description,
  examples: [example],
});

/** The parameters of paths, by name. */
const PATH_FIELDS: Record<string, JsonSchema> = {
  id: number("Id of the record.", 17),
  webhook_id: number("Id of the webhook.", 4),
  campaign: number("Id of the campaign.", 5),
};

/** A parameter of the path or of the query. */
export interface Parameter {
  name: string;
  in: "path" | "query";
  required: boolean;
  description?: unknown;
  example?: unknown;
  style?: "form";
  explode?: boolean;
  schema: JsonSchema;
}

/**
 * Parameters of a query. Nested ones are listed one by one (`filters[status]`), because OpenAPI has no style for lists
 * within an object.
 */
export function queryParameters(schema: JsonSchema): Parameter[] {
  return fieldsOf(schema).flatMap(([name, field, isRequired]) => flatten(name, field, isRequired));
}

/** The parameters of a path like `/webhooks/:webhook_id`. `pathId` describes `id` if it is not only a number. */
export function pathParameters(path: string, pathId: z.ZodType | undefined, schemas: Schemas): Parameter[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => {
    const known =
      name === "id" && pathId !== undefined ? schemas.describe(pathId, "input") : PATH_FIELDS[name];
    if (known === undefined) throw new Error(`The parameter ${name} of ${path} has no description`);
    return { ...parameter(name, known), in: "path", required: true };
  });
}

function flatten(name: string, schema: JsonSchema, isRequired: boolean): Parameter[] {
  if (schema["properties"] === undefined) return [{ ...parameter(name, schema), required: isRequired }];
  return fieldsOf(schema).flatMap(([inner, field, isInnerRequired]) =>
    flatten(`${name}[${inner}]`, field, isRequired && isInnerRequired),
  );
}

function fieldsOf(schema: JsonSchema): [name: string, field: JsonSchema, isRequired: boolean][] {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, field]) => [name, field, required.includes(name)]);
}

function parameter(name: string, schema: JsonSchema): Parameter {
  const { description, examples, ...rest } = schema;
  const isList = rest["type"] === "array";
  return {
    name,
    in: "query",
    required: false,
    ...(description !== undefined && {
      description: isList ? `${String(description)} ${SPELLINGS(name)}` : description,
    }),
    ...(Array.isArray(examples) && { example: examples[0] as unknown }),
    ...(isList && { style: "form", explode: true }),
    schema: rest,
  };
}

/** Moves parameters that several operations share to the components, and leaves references. */
export function shareParameters(operations: { parameters: object[] }[]): Record<string, object> {
  const uses = new Map<string, number>();
  const all = operations.flatMap(({ parameters }) => parameters);
  for (const text of all.map((each) => JSON.stringify(each))) uses.set(text, (uses.get(text) ?? 0) + 1);
  const shared: Record<string, object> = {};
  for (const operation of operations) {
    operation.parameters = operation.parameters.map((each) => {
      if (uses.get(JSON.stringify(each)) === 1) return each;
      const name = (each as Parameter).name.match(/\w+/g)!.join("_");
      return { $ref: `#/components/parameters/${shareIn(shared, name, each)}` };
    });
  }
  return shared;
}
