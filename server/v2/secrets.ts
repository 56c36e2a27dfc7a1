/** The names of fields that let somebody in. */
const SECRETS = new Set(["auth_token", "temp_password", "password_setup_url", "secret_key"]);

/**
 * An answer with null in place of its secrets, wherever they are in it. It goes by the names, so that a new answer
 * can't forget. The headers of a webhook often carry a password of its receiver, so their values go as well.
 */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, hidden(name, inner)]));
}

function hidden(name: string, value: unknown): unknown {
  if (SECRETS.has(name)) return null;
  if (name !== "headers") return withoutSecrets(value);
  return Object.fromEntries(Object.keys(value ?? {}).map((header) => [header, ""]));
}
