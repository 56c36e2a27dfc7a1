import type { H3Event } from "h3";
import { z } from "zod";
import { holdPayouts } from "../domain/ledger/payout-method/hold.ts";
import { findAccount } from "../domain/program/account/account.ts";
import { Failure } from "../failure.ts";
import { id, text } from "../input/fields.ts";
import { readQuery } from "../http/parameters/form.ts";
import { shapeInput } from "../input/shape.ts";
import type { TextKey } from "../languages/languages.ts";
import { newContext, type Services } from "../request/services.ts";
import { paragraph, plainPage, question } from "./plain-page.ts";

const TITLE = "page.method";

const linkParams = z.object({ cid: text, promoter: id, at: z.iso.datetime(), token: text });

/** `GET /not-me`: only asks, because mail filters open links on their own. */
export function notMePage(event: H3Event): Response {
  return plainPage(event, {
    title: TITLE,
    content: (say) => question([say("page.method.ask")], say("page.method.not_me")),
  });
}

/** `POST /not-me`: a promoter says that someone else has changed their payout method. */
export function holdByLink(services: Services) {
  return async (event: H3Event): Promise<Response> => {
    try {
      const { cid, promoter, at, token } = shapeInput(linkParams, readQuery(event));
      const account = await findAccount(services.store, cid);
      if (account === null) return page(event, 404, "page.link.invalid");
      const context = newContext(services, { kind: "promoter", id: promoter, name: null });
      await holdPayouts(context, account, { promoterId: promoter, changedAt: at, token });
      return page(event, 200, "page.method.held");
    } catch (error) {
      if (!(error instanceof Failure) || error.kind === "unavailable") throw error;
      return error.kind === "refused"
        ? page(event, 410, "page.link.used")
        : page(event, 404, "page.link.invalid");
    }
  };
}

function page(event: H3Event, status: number, text: TextKey): Response {
  return plainPage(event, { title: TITLE, content: (say) => paragraph(say, text), status });
}
