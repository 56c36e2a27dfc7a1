import { z } from "zod";
import { beginSecondFactor, confirmSecondFactor } from "../../domain/access/user/user.ts";
import { removeSecondFactor, requirePassword } from "../../domain/access/user/users.ts";
import { readJson } from "../../http/parameters/json.ts";
import { shapeInput } from "../../input/shape.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { factorCode, password, signedIn } from "./session.ts";
import { sessionAnswer, sessionJson } from "./session-json.ts";
import { field } from "../../http/fields.ts";

const passwordBody = z.object({
  current_password: field(password, "The current password. Not needed if there is none.", "s3cret-start"),
});
const codeBody = z.object({ code: field(factorCode, "A code from the authenticator app.", "492039") });

/** `POST /api/v2/company/session/second_factor` */
export const beginSecondFactorOperation: V2Operation = {
  id: "beginSecondFactor",
  summary: "Begin a second factor",
  description: "Makes the secret for an authenticator app. It applies once a code has confirmed it.",
  body: passwordBody,
  answer: z.object({
    secret: field(
      z.string(),
      "The secret for an authenticator app, in base32.",
      "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
    ),
    address: field(
      z.string(),
      "The same as an address for a QR code.",
      "otpauth://totp/Acme:alex%40acme.example?issuer=Acme&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
    ),
  }),
  status: 201,
  refusals: ["invalid", "refused", "busy"],
  handle: async (request) => {
    await checkPassword(request);
    const { account, caller, context } = request;
    return beginSecondFactor(context, account, signedIn(caller).user);
  },
};

/** `POST /api/v2/company/session/second_factor/confirm`. Only this answer shows the recovery codes. */
export const confirmSecondFactorOperation: V2Operation = {
  id: "confirmSecondFactor",
  summary: "Confirm a second factor with its first code",
  description: "Confirms the second factor with its first code. From then on, signing in needs a code.",
  body: codeBody,
  answer: z.object({
    recovery_codes: field(
      z.array(z.string()),
      "Codes that each work once in place of the second factor. They are shown only now.",
      ["492039471185"],
    ),
  }),
  status: 201,
  refusals: ["invalid", "refused"],
  handle: async ({ event, caller, context, limit }) => {
    const body = shapeInput(codeBody, await readJson(event));
    const { user } = signedIn(caller);
    await limit(user.email);
    const { recoveryCodes } = await confirmSecondFactor(context, user, body.code);
    return { recovery_codes: recoveryCodes };
  },
};

/** `DELETE /api/v2/company/session/second_factor` */
export const removeSecondFactorOperation: V2Operation = {
  id: "removeSecondFactor",
  summary: "Remove your second factor",
  description: "Removes the second factor of the signed-in user.",
  body: passwordBody,
  answer: sessionAnswer,
  refusals: ["invalid", "refused", "busy"],
  handle: async (request) => {
    await checkPassword(request);
    const { account, caller, context } = request;
    return sessionJson(await removeSecondFactor(context, account, signedIn(caller).user), account);
  },
};

/** A stranger at an unlocked computer must not be able to lock its owner out. */
async function checkPassword({ event, caller, context, limit }: V2Request): Promise<void> {
  const body = shapeInput(passwordBody, await readJson(event));
  const { user } = signedIn(caller);
  await limit(user.email);
  await requirePassword(context, user, body.current_password);
}
