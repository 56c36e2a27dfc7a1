/**
 * Who may call an operation of V2.
 *
 * - `anyone`: no sign-in is needed
 * - `promoter`: a promoter who is signed in to the portal
 * - `key`: a program with an API key
 * - `person`: a signed-in user, on their own behalf
 * - `viewer`, `manager`, `owner`: a signed-in user with this role or a higher one, or a program with an API key
 */
export type Access = "anyone" | "promoter" | "key" | "person" | "viewer" | "manager" | "owner";
