/** The names of fields with credentials. */
const SECRETS = new Set(["auth_token", "temp_password", "password_setup_url", "secret_key"]);

/**
 * Replaces all secrets in an answer by null. It goes by field names, so that a new operation can't forget it. The values
 * of a webhook's headers are replaced too, because they often contain the receiver's password.
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
