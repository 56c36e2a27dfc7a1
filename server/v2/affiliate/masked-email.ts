/**
 * An e-mail address that its owner recognises and nobody else can use: `sam@example.net` becomes `s***@example.net`.
 * null: there is none.
 */
export function maskedEmail(email: string | null): string | null {
  return email && email.replace(/^(.)[^@]*/u, "$1***");
}
