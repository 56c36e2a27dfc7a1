/**
 * Who may call an operation of V2.
 *
 * - `anyone`: no sign-in is needed
 * - `key`: a program with an API key
 * - `person`: a signed-in user, on their own behalf
 * - `viewer`, `manager`, `owner`: a signed-in user with this role or a higher one, or a program with an API key
 */
export type Access = "anyone" | "key" | "person" | "viewer" | "manager" | "owner";
