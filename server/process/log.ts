import { pino, type Logger } from "pino";
import type { Config } from "../config.ts";

const MAIL_ADDRESS = /[^\s@"'<>(),;]+(@|%40)[^\s@"'<>(),;]+/gi;
/** Parsers quote text that they could not read. It may be personal data. */
const QUOTED = /"[^"]*"/g;

/**
 * Makes the log of a process: JSON lines on standard error.
 *
 * No line contains request data: the route replaces the path, and parameters, headers and network addresses
 * are left out. Errors keep what a programmer needs, without the text that they quote.
 */
export function newLog({ logLevel }: Pick<Config, "logLevel">): Logger {
  const destination = pino.destination({ dest: 2, sync: true });
  // A full disk that can't take log lines is no reason to stop.
  for (const stream of [destination, process.stderr]) stream.on("error", () => {});
  return pino({ level: logLevel, base: { pid: process.pid }, serializers: { err: errorLine } }, destination);
}

/** An error in the form for the log. */
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
