import type { H3Event } from "h3";
import { z } from "zod";
import { findAccount } from "../domain/program/account/account.ts";
import { unsubscribe } from "../domain/events/email.ts";
import { Failure } from "../failure.ts";
import { id, text } from "../input/fields.ts";
import { readQuery } from "../http/parameters/form.ts";
import { shapeInput } from "../input/shape.ts";
import { newContext, type Services } from "../request/services.ts";
import { paragraph, plainPage, question } from "./plain-page.ts";

const linkParams = z.object({ cid: text, promoter: id, token: text });

/** `GET /unsubscribe` only asks for confirmation, because mail filters open links. */
export function unsubscribePage(event: H3Event): Response {
  return plainPage(event, {
    title: "page.emails",
    content: (say) => question([say("page.emails.ask")], say("page.emails.stop")),
  });
}

/** `POST /unsubscribe`, by the page's button or by the mail program. @see RFC 8058 */
export function unsubscribeByLink(services: Services) {
  return async (event: H3Event): Promise<Response> => {
    try {
      const { cid, promoter, token } = shapeInput(linkParams, readQuery(event));
      const account = await findAccount(services.store, cid);
      if (account === null) return invalid(event);
      await unsubscribe(newContext(services), account, { promoterId: promoter, token });
      return plainPage(event, {
        title: "page.emails",
        content: (say) => paragraph(say, "page.emails.stopped"),
      });
    } catch (error) {
      if (error instanceof Failure && error.kind !== "unavailable") return invalid(event);
      throw error;
    }
  };
}

function invalid(event: H3Event): Response {
  return plainPage(event, {
    title: "page.emails",
    content: (say) => paragraph(say, "page.link.invalid"),
    status: 404,
  });
}
