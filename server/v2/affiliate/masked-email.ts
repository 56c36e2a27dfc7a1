/**
 * An e-mail address that its owner recognises and nobody else can use: `sam@example.net` becomes `s***@example.net`.
 * null: there is none.
 */
export function maskedEmail(email: string | null): string | null {
  return email && email.replace(/^(.)[^@]*/u, "$1***");
}

/** A uid, unless the company uses e-mail addresses as uids: those are masked as well. */
export function maskedUid(uid: string | null): string | null {
  return uid !== null && uid.includes("@") ? maskedEmail(uid) : uid;
}
