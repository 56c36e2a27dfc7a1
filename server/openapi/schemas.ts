import { z } from "zod";

/** A JSON Schema of draft 2020-12, which OpenAPI 3.1 speaks. */
export type JsonSchema = Record<string, unknown>;

/** The JSON Schema of what goes into a zod schema, or of what comes out of it. */
export function schemaOf(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...described } = z.toJSONSchema(schema, {
    io,
    // What is computed has no shape of its own; it is described by what it is computed from.
    unrepresentable: "any",
  }) as JsonSchema;
  return described;
}

/** A parameter of a query. */
export interface Property {
  name: string;
  schema: JsonSchema;
  isRequired: boolean;
}

/** The properties of an object that goes in. */
export function propertiesOf(schema: z.ZodObject): Property[] {
  const { properties = {}, required = [] } = schemaOf(schema, "input") as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    schema: property,
    isRequired: required.includes(name),
  }));
}

/** Query parameters; what is nested is written in brackets. */
export function parametersOf(properties: Property[]) {
  return properties.map(({ name, schema, isRequired }) => ({
    name,
    in: "query",
    required: isRequired,
    schema,
    ...(schema["type"] === "object" && { style: "deepObject", explode: true }),
    ...(schema["type"] === "array" && { style: "form", explode: true }),
  }));
}
