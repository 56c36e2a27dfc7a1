import { Failure, type FieldErrors } from "../failure.ts";
import { v2Error, type ErrorShape } from "../http/errors.ts";
import { describe } from "../input/shape.ts";

/** Renames the fields of field errors from the domain's names to V2's, and writes them with `shape`. */
export function recordError(names: Record<string, string>, shape: ErrorShape = v2Error): ErrorShape {
  return (failure, headers) => {
    if (Object.keys(failure.fields).length === 0) return shape(failure, headers);
    const fields: FieldErrors = {};
    for (const [name, messages] of Object.entries(failure.fields)) fields[names[name] ?? name] = messages;
    return shape(new Failure(failure.kind, describe(fields), fields), headers);
  };
}
