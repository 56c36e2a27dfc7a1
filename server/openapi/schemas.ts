import { z } from "zod";
import { gloss } from "./gloss.ts";

/** A JSON Schema of draft 2020-12, the dialect of OpenAPI 3.1. */
export type JsonSchema = Record<string, unknown>;

/** Whether a schema describes what the server reads or what it writes. */
export type Direction = "input" | "output";

/** The schemas of one document. A named schema is written once, in the components. */
export interface Schemas {
  /** By name. */
  components: Record<string, JsonSchema>;
  /** Answers that many operations share, by name. */
  responses: Record<string, object>;
  /** The schema of a value. `owner` names it if it has no name. */
  describe(schema: z.ZodType, direction: Direction, owner: string): JsonSchema;
  /** A reference to the schema of a value. `name` names it if it has no name. */
  refer(schema: z.ZodType, direction: Direction, name: string): JsonSchema;
}

/** Makes an empty document. */
export function newSchemas(): Schemas {
  const components: Record<string, JsonSchema> = {};
  /** The components as text, before their fields get descriptions. */
  const texts: Record<string, string> = {};
  const names = new Map<z.ZodType, string>();
  const known = { input: new Map<z.ZodType, JsonSchema>(), output: new Map<z.ZodType, JsonSchema>() };

  function put(name: string, schema: JsonSchema): void {
    const text = JSON.stringify(schema);
    if ((texts[name] ??= text) !== text) throw new Error(`Two different schemas are called ${name}`);
    components[name] ??= gloss(schema, [name]);
  }

  /** Converts each schema once, because most errors and records appear in many operations. */
  function convert(schema: z.ZodType, direction: Direction): JsonSchema {
    const converted = known[direction].get(schema);
    if (converted !== undefined) return converted;
    const { $defs = {}, ...root } = plain(jsonSchemaOf(schema, direction)) as JsonSchema;
    for (const [name, inner] of Object.entries($defs as Record<string, JsonSchema>)) put(name, inner);
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

  return {
    components,
    responses: {},
    describe: (schema, direction, owner) => gloss(convert(schema, direction), [owner]),
    refer,
  };
}

/** The address of a named schema within the document. */
function referenceTo(name: string): string {
  return `#/components/schemas/${name}`;
}

function jsonSchemaOf(schema: z.ZodType, io: Direction): JsonSchema {
  const { $schema: _, ...described } = z.toJSONSchema(schema, {
    io,
    // A computed value has no shape of its own; the schema of its source describes it.
    unrepresentable: "any",
  }) as JsonSchema;
  return described;
}

/** Drops what tells readers nothing, and shows inputs in the form of `documentedAs`. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const { documentedAs, ...schema } = value as JsonSchema;
  if (documentedAs !== undefined) return documentedAs;
  // The format says the same as its pattern of several hundred characters.
  if (schema["format"] !== undefined) delete schema["pattern"];
  if (schema["minimum"] === Number.MIN_SAFE_INTEGER) delete schema["minimum"];
  if (schema["maximum"] === Number.MAX_SAFE_INTEGER) delete schema["maximum"];
  if (typeof schema["default"] === "object") delete schema["default"];
  if (typeof schema["$ref"] === "string") schema["$ref"] = referenceTo(schema["$ref"].replace(/^.*\//, ""));
  return Object.fromEntries(Object.entries(schema).map(([name, inner]) => [name, plain(inner)]));
}
