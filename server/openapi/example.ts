import type { JsonSchema } from "./schemas.ts";

const INSTANT = "2026-03-01T09:30:00.000Z";
const DATE = "2026-03-01";

/**
 * An example of a value, built from the examples of its fields. For an input with required fields, it has only these. It
 * is undefined if a field has no example.
 */
export function exampleOf(schema: JsonSchema, components: Record<string, JsonSchema>): unknown {
  const { $ref, properties, items, anyOf, required } = schema as {
    $ref?: string;
    properties?: Record<string, JsonSchema>;
    items?: JsonSchema;
    anyOf?: JsonSchema[];
    required?: string[];
  };
  if ("examples" in schema) return (schema["examples"] as unknown[])[0];
  if ($ref !== undefined) return exampleOf(components[$ref.replace(/^.*\//, "")] ?? {}, components);
  if (anyOf !== undefined) return exampleOf(anyOf[0] ?? {}, components);
  if (items !== undefined) {
    const item = exampleOf(items, components);
    return item === undefined ? undefined : [item];
  }
  if (properties === undefined) return exampleOfLeaf(schema);
  const shown = Object.entries(properties).filter(([name]) => required?.includes(name) ?? true);
  return Object.fromEntries(shown.map(([name, field]) => [name, exampleOf(field, components)]));
}

/**
 * A body's example. It has a name, because the viewer of /docs would mistake the fields of a bare one for names of
 * examples.
 */
export function bodyExample(value: unknown) {
  return { examples: { usual: { value } } };
}

/** Adds examples to the fields of a schema where their own schemas imply one. */
export function withExamples(schema: JsonSchema): JsonSchema {
  const { properties, items, anyOf } = schema as {
    properties?: Record<string, JsonSchema>;
    items?: JsonSchema;
    anyOf?: JsonSchema[];
  };
  const fields = Object.entries(properties ?? {}).map(([name, field]) => [name, fieldWithExample(field)]);
  return {
    ...schema,
    ...(properties !== undefined && { properties: Object.fromEntries(fields) as object }),
    ...(items !== undefined && { items: withExamples(items) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map(withExamples) }),
  };
}

/** A field with an example, unless it consists of other fields. */
function fieldWithExample(field: JsonSchema): JsonSchema {
  const { examples, ...schema } = withExamples(field);
  if (isComposed(schema)) return schema;
  const implied = exampleOfLeaf(schema);
  const shown = examples === undefined || "const" in schema ? implied : (examples as unknown[])[0];
  return { ...schema, ...(shown !== undefined && { examples: [shown] }) };
}

/** The example that a schema implies, or undefined. */
function exampleOfLeaf(schema: JsonSchema): unknown {
  if ("const" in schema) return schema["const"];
  if ("default" in schema) return schema["default"];
  const {
    enum: words,
    format,
    anyOf,
    items,
  } = schema as {
    enum?: unknown[];
    format?: string;
    anyOf?: JsonSchema[];
    items?: JsonSchema;
  };
  if (words !== undefined) return words[0];
  if (anyOf !== undefined) return exampleOfLeaf(anyOf[0] ?? {});
  if (items !== undefined) {
    const item = exampleOfLeaf(items);
    return item === undefined ? undefined : [item];
  }
  if (format === "date-time") return INSTANT;
  if (format === "date") return DATE;
  const types = [schema["type"]].flat();
  if (types.includes("boolean")) return true;
  return types[0] === "null" ? null : undefined;
}

/** Whether a value consists of fields that have examples of their own. */
function isComposed(schema: JsonSchema): boolean {
  const { $ref, properties, items, anyOf } = schema as {
    $ref?: string;
    properties?: object;
    items?: JsonSchema;
    anyOf?: JsonSchema[];
  };
  if ($ref !== undefined || properties !== undefined) return true;
  if (items !== undefined) return isComposed(items);
  return anyOf?.some(isComposed) ?? false;
}
