import { pino, type Logger } from "pino";
import type { Config } from "../config.ts";

const MAIL_ADDRESS = /[^\s@"'<>(),;]+(@|%40)[^\s@"'<>(),;]+/gi;
/** Parsers quote the text that they could not read, which may be anybody's. */
const QUOTED = /"[^"]*"/g;

/**
 * Makes the log of a process: JSON lines on standard error.
 *
 * No line holds what a request said: neither its path (a route stands for it), nor its parameters,
 * headers or network address. Of an error stands what a programmer needs, without what it quotes.
 */
export function newLog({ logLevel }: Pick<Config, "logLevel">): Logger {
  const destination = pino.destination({ dest: 2, sync: true });
  // Lines that a full disk has no room for are no reason to stop.
  for (const stream of [destination, process.stderr]) stream.on("error", () => {});
  return pino({ level: logLevel, base: { pid: process.pid }, serializers: { err: errorLine } }, destination);
}

/** An error as it may stand in the log. */
export function errorLine(error: unknown): unknown {
  if (!(error instanceof Error)) return error === undefined ? undefined : { type: typeof error };
  const { name, message, stack = "" } = error;
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  return {
    type: name,
    code,
    message: message.replace(QUOTED, '"…"').replace(MAIL_ADDRESS, "…"),
    stack: frames.join("\n"),
    cause: errorLine(error.cause),
  };
}
