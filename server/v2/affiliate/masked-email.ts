/**
 * Masks an e-mail address so that only people who know it recognise it: `sam@example.net` becomes `s***@example.net`.
 */
export function maskedEmail(email: string | null): string | null {
  return email && email.replace(/^(.)[^@]*/u, "$1***");
}

/** Returns a uid, masked if it is an e-mail address. */
export function maskedUid(uid: string | null): string | null {
  return uid !== null && uid.includes("@") ? maskedEmail(uid) : uid;
}
