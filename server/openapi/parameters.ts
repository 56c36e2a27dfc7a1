import { glossField } from "./gloss.ts";
import type { JsonSchema } from "./schemas.ts";

const SPELLINGS = (name: string) =>
  `Several: \`${name}=a&${name}=b\`, \`${name}[]=a&${name}[]=b\` or \`${name}[0]=a&${name}[1]=b\`, all the same.`;

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
 * Parameters of a query. Nested ones are listed one by one (`filters[status]`), because OpenAPI has no style
 * for a list within an object.
 */
export function queryParameters(schema: JsonSchema): Parameter[] {
  return fieldsOf(schema).flatMap(([name, field, isRequired]) => flatten(name, field, isRequired));
}

/**
 * The parameters of a path like `/webhooks/:webhook_id`. `isText`: the value may be another attribute than an
 * id.
 */
export function pathParameters(path: string, owner: string, { isText }: { isText: boolean }): Parameter[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => {
    const schema: JsonSchema = isText ? { type: "string" } : { type: "integer", minimum: 1 };
    return { ...parameter(name, glossField(schema, name, [owner, "path"])), in: "path", required: true };
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
