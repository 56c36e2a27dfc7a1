import { z } from "zod";

/** A JSON Schema of draft 2020-12, the dialect of OpenAPI 3.1. */
export type JsonSchema = Record<string, unknown>;

/** Whether a schema describes what the server reads or what it writes. */
export type Direction = "input" | "output";

/** The schemas of a document. A named schema is in the components only once. */
export interface Schemas {
  /** By name. */
  components: Record<string, JsonSchema>;
  /** Answers that operations share, by name. */
  responses: Record<string, object>;
  /** The schema of a value. */
  describe(schema: z.ZodType, direction: Direction): JsonSchema;
  /** A reference to the schema of a value. `name` names it if it has no name. */
  refer(schema: z.ZodType, direction: Direction, name: string): JsonSchema;
  /** A reference to an answer. If a name is taken, a number is appended. */
  share(name: string, response: object): { $ref: string };
}

/** Makes an empty document. */
export function newSchemas(): Schemas {
  const components: Record<string, JsonSchema> = {};
  /** The components as text, before their fields get examples. */
  const texts: Record<string, string> = {};
  const names = new Map<z.ZodType, string>();
  const known = { input: new Map<z.ZodType, JsonSchema>(), output: new Map<z.ZodType, JsonSchema>() };

  function put(name: string, schema: JsonSchema): void {
    const text = JSON.stringify(schema);
    if ((texts[name] ??= text) !== text) throw new Error(`Two different schemas are called ${name}`);
    components[name] ??= withExamples(schema);
  }

  /** Converts each schema once, because most errors and records appear in many operations. */
  function convert(schema: z.ZodType, direction: Direction): JsonSchema {
    const converted = known[direction].get(schema);
    if (converted !== undefined) return converted;
    const { $defs = {}, ...given } = jsonSchemaOf(schema, direction);
    for (const [name, inner] of Object.entries($defs as Record<string, JsonSchema>))
      put(name, plain(inner) as JsonSchema);
    const root = plain(given) as JsonSchema;
    known[direction].set(schema, root);
    return root;
  }

  function refer(schema: z.ZodType, direction: Direction, name: string): JsonSchema {
    const converted = convert(schema, direction);
    if (converted["$ref"] !== undefined) return converted;
    const given = names.get(schema) ?? name;
    names.set(schema, given);
    put(given, converted);
    return { $ref: referenceTo(given) };
  }

  const responses: Record<string, object> = {};

  return {
    components,
    responses,
    share: (name, response) => ({ $ref: `#/components/responses/${shareIn(responses, name, response)}` }),
    describe: (schema, direction) => withExamples(convert(schema, direction)),
    refer,
  };
}

/** Shares a part of the document under a name, and returns that name. If it is taken, a number is appended. */
export function shareIn<T extends object>(shared: Record<string, T>, name: string, part: T): string {
  const text = JSON.stringify(part);
  for (let count = 1; ; count++) {
    const numbered = count === 1 ? name : `${name}_${count}`;
    const kept = (shared[numbered] ??= part);
    if (kept === part || JSON.stringify(kept) === text) return numbered;
  }
}

/** The address of a named schema within the document. */
function referenceTo(name: string): string {
  return `#/components/schemas/${name}`;
}

function jsonSchemaOf(schema: z.ZodType, io: Direction): JsonSchema {
  const { $schema: _, ...described } = z.toJSONSchema(schema, {
    io,
    // A computed value has no own shape; the schema of its source describes it.
    unrepresentable: "any",
  }) as JsonSchema;
  return described;
}

/** Drops rules that are useless to readers, and replaces inputs by their `documentedAs`. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const { documentedAs, description, example, ...rules } = value as JsonSchema;
  const schema: JsonSchema = {
    ...(documentedAs ?? rules),
    ...(description !== undefined && { description }),
    ...(example !== undefined && { examples: [example] }),
  };
  // The format makes its pattern of several hundred characters redundant.
  if (schema["format"] !== undefined) delete schema["pattern"];
  if (schema["minimum"] === Number.MIN_SAFE_INTEGER) delete schema["minimum"];
  if (schema["maximum"] === Number.MAX_SAFE_INTEGER) delete schema["maximum"];
  if (typeof schema["default"] === "object") delete schema["default"];
  // `maxItems` says the same, and linters take `false` for a list without items.
  if (schema["items"] === false) schema["items"] = {};
  // Python can't compile the name of the control characters.
  if (typeof schema["pattern"] === "string")
    schema["pattern"] = schema["pattern"].replace("\\p{Cc}", "\\x00-\\x1f\\x7f-\\x9f");
  if (typeof schema["$ref"] === "string") {
    return {
      $ref: referenceTo(schema["$ref"].replace(/^.*\//, "")),
      ...(description !== undefined && { description }),
    };
  }
  return describedOutside(
    Object.fromEntries(
      Object.entries(schema).map(([name, inner]) => [
        name,
        name === "properties" ? plainEach(inner) : plain(inner),
      ]),
    ),
  );
}

/** The fields of an object. They may have names such as `default`, which mean something in a schema. */
function plainEach(properties: unknown): unknown {
  return Object.fromEntries(
    Object.entries(properties as object).map(([name, field]) => [name, plain(field)]),
  );
}

/** Moves the description of a nullable field from the alternative to the field. */
function describedOutside(schema: JsonSchema): JsonSchema {
  const [field, other, ...more] = (schema["anyOf"] ?? []) as JsonSchema[];
  if (field === undefined || more.length > 0 || other?.["type"] !== "null") return schema;
  const { description, examples, ...rules } = field;
  if (description === undefined) return schema;
  const { anyOf: _, ...outside } = schema;
  const isPlain = typeof rules["type"] === "string" && Object.keys(rules).length === 1;
  return {
    ...(isPlain ? { type: [rules["type"], "null"] } : { anyOf: [rules, other] }),
    description,
    ...(examples !== undefined && { examples }),
    ...outside,
  };
}

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
function withExamples(schema: JsonSchema): JsonSchema {
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
