import type { Operations } from "./entry.ts";

/** Operations of users and their sessions. */
export const USER_OPERATIONS: Operations = {
  "POST /api/v2/company/session": [
    "signIn",
    "Opens a session. The answer sets its cookie, which lasts until 14 days pass without a request. Attempts are limited by network and by e-mail address.",
  ],
  "GET /api/v2/company/session": ["getSession", "Shows the signed-in user and their account."],
  "DELETE /api/v2/company/session": ["signOut", "Ends the session and removes its cookie."],
  "POST /api/v2/company/session/link/check": [
    "checkUserLink",
    "Shows what a link is for that makes the owner, invites a user or resets a password. It does not use the link up.",
  ],
  "POST /api/v2/company/session/link": [
    "followUserLink",
    "Sets the password of the link's user, uses the link up, ends the user's other sessions and opens a new one.",
  ],
  "POST /api/v2/company/session/reset": [
    "requestPasswordReset",
    "Sends a link that sets a new password, if a user has the address and the server can send e-mails. The answer is always the same.",
  ],
  "PUT /api/v2/company/session": ["updateOwnName", "Changes the name of the signed-in user."],
  "PUT /api/v2/company/session/password": [
    "changeOwnPassword",
    "Changes the password of the signed-in user, who must know the one they have. All their other sessions end, and this one gets a new cookie.",
  ],
  "POST /api/v2/company/session/second_factor": [
    "beginSecondFactor",
    "Makes the secret for a program that shows codes. It counts once a code has confirmed it.",
  ],
  "POST /api/v2/company/session/second_factor/confirm": [
    "confirmSecondFactor",
    "Confirms the second factor with its first code. From then on signing in needs a code.",
  ],
  "DELETE /api/v2/company/session/second_factor": [
    "removeSecondFactor",
    "Removes the second factor of the signed-in user.",
  ],
  "GET /api/v2/company/session/sessions": [
    "listOwnSessions",
    "Lists the sessions of the signed-in user that have not ended.",
  ],
  "DELETE /api/v2/company/session/sessions/:id": [
    "endOwnSession",
    "Ends one of the signed-in user's sessions, for example on a lost device.",
  ],
  "GET /api/v2/company/users": ["listUsers", "Lists the people who sign in to the dashboard."],
  "POST /api/v2/company/users": [
    "inviteUser",
    "Adds a user and makes a link, good once and for seven days, by which they set a password.",
  ],
  "PUT /api/v2/company/users/:id": [
    "updateUser",
    "Changes a user's role or name. The role counts from their next request. The last owner stays an owner.",
  ],
  "PATCH /api/v2/company/users/:id": ["patchUser", "The same as `PUT`."],
  "DELETE /api/v2/company/users/:id": [
    "removeUser",
    "Removes a user. Their sessions and links end. The last owner can't be removed.",
  ],
  "POST /api/v2/company/users/:id/reset": [
    "resetUser",
    "Makes a link, good once and for a day, by which a user sets a new password. Their earlier links end.",
  ],
  "GET /api/v2/company/api_keys": ["listApiKeys", "Lists the account's API keys, valid and revoked."],
  "POST /api/v2/company/api_keys": ["createApiKey", "Makes an API key. Only this answer shows it."],
  "DELETE /api/v2/company/api_keys/:id": [
    "revokeApiKey",
    "Revokes an API key. Requests with it are refused from then on.",
  ],
  "GET /api/v2/company/account": ["getAccount", "Shows the account's settings."],
  "PUT /api/v2/company/account": [
    "updateAccount",
    "Changes the account's settings, all or none. What you leave out stays.",
    { name: "Acme", time_zone: "Europe/Berlin" },
  ],
  "PATCH /api/v2/company/account": ["patchAccount", "The same as `PUT`.", { net_payout_days: 14 }],
};
