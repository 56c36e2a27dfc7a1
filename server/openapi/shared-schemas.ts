import { shareIn, type JsonSchema } from "./schemas.ts";

/** What holds the schema of a body. */
interface Content {
  schema: JsonSchema;
}

/**
 * Keeps each object that schemas repeat once, among the components, and leaves references. What a
 * field means stays with the field.
 */
export function shareSchemas(components: Record<string, JsonSchema>, contents: Content[]): void {
  const named = Object.keys(components);
  const uses = new Map<string, number>();
  for (const schema of [...Object.values(components), ...contents.map((content) => content.schema)]) {
    count(schema, uses);
  }
  const share = (schema: JsonSchema): JsonSchema =>
    mapFields(schema, (field, name) => {
      const { description, ...rules } = field;
      if (!isWorthSharing(rules, uses.get(JSON.stringify(rules)) ?? 0)) return share(field);
      const component = name.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase());
      const $ref = `#/components/schemas/${shareIn(components, component, share(rules))}`;
      return { $ref, ...(description !== undefined && { description }) };
    });
  for (const name of named) components[name] = share(components[name] ?? {});
  for (const content of contents) content.schema = share(content.schema);
}

/** A field within one that repeats is counted once, because it will stand there once. */
function count(schema: JsonSchema, uses: Map<string, number>): void {
  mapFields(schema, (field) => {
    const { description: _, ...rules } = field;
    const text = JSON.stringify(rules);
    const before = uses.get(text) ?? 0;
    uses.set(text, before + 1);
    if (before === 0) count(field, uses);
    return field;
  });
}

/** Only objects and lists of them are worth a reference. */
function isWorthSharing(rules: JsonSchema, usesCount: number): boolean {
  return usesCount > 1 && !("$ref" in rules) && JSON.stringify(rules).includes('"properties"');
}

/** A schema whose fields, at any depth outside of other fields, are replaced. */
function mapFields(schema: JsonSchema, replace: (field: JsonSchema, name: string) => JsonSchema): JsonSchema {
  const { properties, items, anyOf, additionalProperties } = schema as {
    properties?: Record<string, JsonSchema>;
    items?: JsonSchema | boolean;
    anyOf?: JsonSchema[];
    additionalProperties?: JsonSchema | boolean;
  };
  const within = (inner: JsonSchema) => mapFields(inner, replace);
  const fields = Object.entries(properties ?? {}).map(([name, field]) => [name, replace(field, name)]);
  return {
    ...schema,
    ...(properties !== undefined && { properties: Object.fromEntries(fields) as object }),
    ...(typeof items === "object" && { items: within(items) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map(within) }),
    ...(typeof additionalProperties === "object" && { additionalProperties: within(additionalProperties) }),
  };
}

/** Everything below that holds the schema of a body. */
export function contentsOf(value: unknown): Content[] {
  if (typeof value !== "object" || value === null) return [];
  const { content } = value as { content?: Record<string, Content> };
  return content === undefined ? Object.values(value).flatMap(contentsOf) : Object.values(content);
}
