import { expect } from "vitest";
import { EMAIL_TEXTS } from "../../server/outbox/email-template.ts";
import { newDispatcher, type Dispatcher } from "../../server/outbox/dispatcher.ts";
import { newLease } from "../../server/process/lease.ts";
import type { OutboxParts } from "../../server/outbox/parts.ts";
import { describedEvents } from "../../server/app.ts";
import type { TestApp } from "./app.ts";

/** The dispatcher of a test app, on its store and its clock. */
export function appOutbox(app: TestApp, over: Partial<OutboxParts> & { holder?: string } = {}): Dispatcher {
  const { store, clock, chance, log, logOutage, public_url, post } = app.services;
  const lease = newLease(
    { store, elapsedMs: () => clock().getTime() },
    { name: "outbox", holder: over.holder ?? "test", durationMs: 10_000 },
  );
  const templates = () => EMAIL_TEXTS;
  const parts = { store, clock, chance, log, logOutage, post, public_url, mailer: null, templates, lease };
  return newDispatcher({ ...parts, ...over });
}

/** Works until nothing is left to do at this time. Returns the number of rounds with work. */
export async function workOff(dispatcher: Dispatcher): Promise<number> {
  for (let turns = 0; ; turns++) {
    const work = await dispatcher.pass();
    await dispatcher.settle();
    if (work === 0) return turns;
  }
}

/** Checks that a posted body is exactly as the interface describes it. */
export function expectAsDescribed(body: Record<string, unknown>): void {
  const isTest = (body["data"] as { test?: boolean }).test === true;
  const { type } = (body["event"] ?? { type: body["event_type"] }) as { type: string };
  // zod drops what a schema does not list, so that a body which says more differs from itself.
  if (!isTest) expect(describedEvents().bodyOf(type).parse(body)).toEqual(body);
}
