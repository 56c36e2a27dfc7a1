import { exampleOfLeaf, isComposed } from "./example.ts";
import { findField } from "./glossary/find.ts";
import type { JsonSchema } from "./schemas.ts";

/**
 * Adds the glossary's descriptions to the fields of a schema. `owners` are the names above the field, the
 * nearest first.
 */
export function gloss(schema: JsonSchema, owners: string[]): JsonSchema {
  const glossed = { ...schema };
  const { properties, items, anyOf } = schema as {
    properties?: Record<string, JsonSchema>;
    items?: JsonSchema;
    anyOf?: JsonSchema[];
  };
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(([name, field]) => [name, glossField(field, name, owners)]);
    glossed["properties"] = Object.fromEntries(fields);
  }
  if (items !== undefined) glossed["items"] = gloss(items, owners);
  if (anyOf !== undefined) glossed["anyOf"] = anyOf.map((choice) => gloss(choice, owners));
  return glossed;
}

/** A field with its description and, unless it consists of other fields, an example. */
export function glossField(schema: JsonSchema, name: string, owners: string[]): JsonSchema {
  const { description, example } = findField(name, owners);
  const inner = gloss(schema, [name, ...owners]);
  const own = example === undefined || "const" in inner ? exampleOfLeaf(inner) : example;
  const shown = isComposed(inner) ? undefined : own;
  return {
    ...inner,
    ...(description !== undefined && { description }),
    ...(shown !== undefined && { examples: [shown] }),
  };
}
