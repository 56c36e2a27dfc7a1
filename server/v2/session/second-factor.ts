import { z } from "zod";
import { beginSecondFactor, confirmSecondFactor } from "../../domain/user/user.ts";
import { removeSecondFactor, requirePassword } from "../../domain/user/users.ts";
import { readJson } from "../../http/parameters/json.ts";
import { shapeInput } from "../../input/shape.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { factorCode, password, signedIn } from "./session.ts";
import { sessionAnswer, sessionJson } from "./session-json.ts";

const passwordBody = z.object({ current_password: password });
const codeBody = z.object({ code: factorCode });

/** `POST /api/v2/company/session/second_factor` */
export const beginSecondFactorOperation: V2Operation = {
  summary: "Begin a second factor",
  body: passwordBody,
  answer: z.object({ secret: z.string(), address: z.string() }),
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
  summary: "Confirm a second factor with its first code",
  body: codeBody,
  answer: z.object({ recovery_codes: z.array(z.string()) }),
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
  summary: "Remove your second factor",
  body: passwordBody,
  answer: sessionAnswer,
  refusals: ["invalid", "refused", "busy"],
  handle: async (request) => {
    await checkPassword(request);
    const { account, caller, context } = request;
    return sessionJson(await removeSecondFactor(context, account, signedIn(caller).user), account);
  },
};

/** Somebody at an unlocked computer must not be able to lock its owner out. */
async function checkPassword({ event, caller, context, limit }: V2Request): Promise<void> {
  const body = shapeInput(passwordBody, await readJson(event));
  const { user } = signedIn(caller);
  await limit(user.email);
  await requirePassword(context, user, body.current_password);
}
