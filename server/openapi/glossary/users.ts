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
  time_zone: [
    "IANA name of the time zone of payout periods, holds and due dates. The dashboard shows days in it.",
    "Europe/Berlin",
  ],
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
  "RequestPasswordResetBody.email": ["The user's e-mail address.", "alex@acme.example"],
  "UpdateOwnNameBody.name": ["Your name. null: you show by your e-mail address.", "Alex Kim"],
  current_password: ["The password that you have now.", "correct horse battery"],
  "OwnSession.id": ["Id of the session.", 204],
  device: [
    "The browser's `User-Agent`. null: it sent none.",
    "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0",
  ],
  seen_at: "When the session was last used, to the hour.",
  is_current: "Whether this request belongs to the session.",
  "User.email": ["The user's e-mail address. It is unique in the whole server.", "alex@acme.example"],
  "User.name": ["The user's name, or the e-mail address if they gave none.", "Alex Kim"],
  "InviteUserBody.email": ["The new user's e-mail address.", "alex@acme.example"],
  "InviteUserBody.name": ["The new user's name.", "Alex Kim"],
  "UpdateUserBody.name": ["The user's name. null: they show by their e-mail address.", "Alex Kim"],
  has_password: "Whether the user has set a password. false: the invitation is open.",
  last_sign_in_at: "When the user last signed in. null: never.",
  "UserWithLink.link": [
    "The link that sets the user's password, once. Hand it over yourself. null: it was sent by e-mail.",
    "https://track.example.com/admin/welcome#q3kPz0Yc8Vw1Rb6Xn5Tj2Ms9Lf4Hd7Ga",
  ],
  is_mailed: "Whether the link was sent to the user by e-mail.",
  "ApiKey.name": ["What the key is for.", "Shop"],
  "NewApiKey.name": ["What the key is for.", "Shop"],
  "CreateApiKeyBody.name": ["What the key is for.", "Shop"],
  revoked_at: "When the key was revoked. null: it works.",
  key: ["The key. It is shown only once.", "tdm_q3kPz0Yc8Vw1Rb6Xn5Tj2Ms9Lf4Hd7Ga"],
  "Account.id": ["The public id of the account: the `Account-ID` of keys, and the script's `cid`.", "acme"],
  "Account.name": ["The company's name, which e-mails show.", "Acme"],
  "UpdateAccountBody.name": ["The company's name, which e-mails show.", "Acme"],
  "Account.currency": ["ISO 4217 code of amounts.", "USD"],
  "UpdateAccountBody.currency": ["ISO 4217 code of amounts. It can change only before there are any.", "EUR"],
  default_campaign_id: ["The campaign that promoters join unless another one is named.", 1],
  honours_privacy_control: "Whether visitors whose browser sends Global Privacy Control are not tracked.",
  portal_origins: [
    "The sites of yours that may show the portal in a frame. Empty: none.",
    ["https://app.example.com"],
  ],
  requires_second_factor: "Whether users can do nothing before they have set up a second factor.",
  remove_second_factor: "Whether to remove the user's second factor too, because it was lost.",
  "SignInBody.code": ["A code of the second factor, or a recovery code, if the user has one.", "492039"],
  "FollowUserLinkBody.code": [
    "A code of the second factor, or a recovery code, if the user has one.",
    "492039",
  ],
  "ConfirmSecondFactorBody.code": ["A code that the program shows.", "492039"],
  "beginSecondFactor.secret": [
    "The secret for a program that shows codes, in base32.",
    "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
  ],
  "beginSecondFactor.address": [
    "The same as an address for a QR code.",
    "otpauth://totp/Acme:alex%40acme.example?issuer=Acme&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
  ],
  recovery_codes: [
    "Codes that each work once in place of the second factor. They are shown only now.",
    ["492039471185"],
  ],
  mail_sender: [
    "The sender of e-mails to promoters. null: the server's usual sender.",
    "Acme <partners@acme.example>",
  ],
  max_auto_approve: ["Cash commissions above this amount wait for approval. null: none does.", 50000],
  commission_base:
    "What sales of Stripe and Paddle count of a payment: what was paid, less these parts. It applies to later payments.",
  less_tax: "Whether tax is left out.",
  less_shipping: "Whether shipping, without its tax, is left out.",
  fee_percentage: ["A percentage of the rest that is left out for fees.", 2.9],
  payout_cycle: "The period of a payout.",
  net_payout_days: ["Days from the end of a payout's period to its due date.", 30],
  min_payment: ["Cash payouts of a promoter below this amount wait for the next period.", 5000],
  min_paying_customers: ["Promoters with fewer active customers are not paid yet.", 1],
  requires_payout_method: "Whether promoters are paid only after they have chosen a payout method.",
  requires_invoice_details: "Whether promoters are paid only with approved invoice details.",
  tracker: "The names by which pages use the browser script.",
  global: ["The global function.", "svc"],
  data_global: ["A second global with the visitor id as `data.tid`. null: none.", "FPROM"],
  cookie: ["The prefix of the cookies' names.", "_svc"],
  script: ["A second file name for the script. null: only `svc.js`.", "fpr.js"],
  reads_fragment: "Whether ref ids are also read from fragments, as in `#/pricing?via=jane`.",
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
