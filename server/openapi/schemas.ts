import { z } from "zod";
import { withExamples } from "./example.ts";

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
