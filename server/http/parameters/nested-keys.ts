type Values = Record<string, unknown>;

/** `name[inner]`, `name[inner][more]`. */
const NESTED_KEY = /^([^[\]]+)((?:\[[^[\]]+\]){1,3})$/;

/**
 * Reads keys that are written as in a form: `{"profile[first_name]": "Jane"}` is `{"profile": {"first_name":
 * "Jane"}}`. An automation tool sends them so. A key that contradicts another one stays as it is.
 */
export function nestKeys(values: Values): Values {
  const keys = Object.keys(values).filter((key) => NESTED_KEY.test(key));
  if (keys.length === 0) return values;
  const nested: Values = { ...values };
  for (const key of keys) {
    const place = placeOf(nested, key);
    if (place === null) continue;
    delete nested[key];
    define(place.within, place.name, values[key]);
  }
  return nested;
}

/**
 * The object that a key's value belongs into. It is created if it is missing. null: something else is in its
 * place.
 */
function placeOf(root: Values, key: string): { within: Values; name: string } | null {
  const [, first = "", brackets = ""] = NESTED_KEY.exec(key) ?? [];
  const path = [first, ...brackets.slice(1, -1).split("][")];
  let within = root;
  for (const name of path.slice(0, -1)) {
    const known = Object.hasOwn(within, name) ? within[name] : {};
    if (typeof known !== "object" || known === null || Array.isArray(known)) return null;
    const copy = { ...known } as Values;
    define(within, name, copy);
    within = copy;
  }
  const name = path.at(-1) ?? "";
  return Object.hasOwn(within, name) ? null : { within, name };
}

/** Sets a property of any name. An assignment to `__proto__` would do something else. */
function define(within: Values, name: string, value: unknown): void {
  Object.defineProperty(within, name, { value, enumerable: true, writable: true, configurable: true });
}
