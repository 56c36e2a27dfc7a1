import { shareIn, type JsonSchema } from "./schemas.ts";

/** What holds the schema of a body. */
interface Content {
  schema: JsonSchema;
}

/**
 * Moves repeated objects to the components, and leaves references. The description of a field stays with the field.
 */
export function shareSchemas(components: Record<string, JsonSchema>, contents: Content[]): void {
  const named = Object.keys(components);
  const uses = new Map<string, number>();
  for (const schema of [...Object.values(components), ...contents.map((content) => content.schema)]) {
    count(schema, uses);
  }
  /** The names of the shared objects, by field and text. */
  const places = new Map<string, string>();
  const share = (schema: JsonSchema, owner: string): JsonSchema =>
    mapFields(schema, (field, name) => {
      const { description, ...rules } = field;
      if (!isWorthSharing(rules, uses.get(JSON.stringify(rules)) ?? 0)) return share(field, owner);
      const own = name.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase());
      const part = share(rules, owner);
      const text = JSON.stringify(part);
      // The field's name may be taken, by the whole record or by another record's object.
      const names = [own, `${own}Summary`, owner + own];
      const free = names.find((each) => JSON.stringify(components[each] ?? part) === text);
      const component = places.get(own + text) ?? shareIn(components, free ?? own, part);
      places.set(own + text, component);
      return {
        $ref: `#/components/schemas/${component}`,
        ...(description !== undefined && { description }),
      };
    });
  for (const name of named) components[name] = share(components[name] ?? {}, name);
  for (const content of contents) content.schema = share(content.schema, "");
}

/** A field within a repeated object is counted once, because the object will be shared. */
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

/** Replaces the outermost fields of a schema, at any depth. */
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

/** All parts of a value with the schema of a body. */
export function contentsOf(value: unknown): Content[] {
  if (typeof value !== "object" || value === null) return [];
  const { content } = value as { content?: Record<string, Content> };
  return content === undefined ? Object.values(value).flatMap(contentsOf) : Object.values(content);
}
