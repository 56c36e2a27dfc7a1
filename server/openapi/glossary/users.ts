import type { Fields, Operations } from "./entry.ts";

/** Fields of users and their sessions. */
export const USER_FIELDS: Fields = {
  user: "The person who is signed in.",
  "user.name": ["The user's name, or the e-mail address if they gave none.", "Alex Kim"],
  "user.email": ["The user's e-mail address.", "alex@acme.example"],
  "user.id": ["Id of the user.", 3],
  role: "`viewer`: reads. `manager`: also changes. `owner`: also pays and manages users, keys and the account.",
  has_second_factor: "Whether the user signs in with a code as well.",
  account: "The account that the user belongs to.",
  "account.id": ["The public id of the account: the `Account-ID` of keys, and the script's `cid`.", "acme"],
  "account.name": ["The company's name.", "Acme"],
  "account.currency": ["ISO 4217 code of the account's currency.", "USD"],
  time_zone: ["IANA name of the time zone in which the dashboard shows days.", "Europe/Berlin"],
  password: ["The password.", "correct horse battery"],
  token: ["The token of the link: the part of its address after `#`.", "q3kPz0Yc8Vw1Rb6Xn5Tj2Ms9Lf4Hd7Ga"],
  "checkUserLink.kind":
    "`owner`: makes the first owner, who gives an e-mail address. `invitation`: sets the first password of an invited user. `reset`: sets a new password.",
  "checkUserLink.email": [
    "The e-mail address of the user. null: the user gives one with the password.",
    "alex@acme.example",
  ],
  "FollowUserLinkBody.name": ["The user's name.", "Alex Kim"],
  "FollowUserLinkBody.email": [
    "The e-mail address of the first owner. Other links have their user and ignore it.",
    "alex@acme.example",
  ],
};

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
};
