import { start } from "./more.ts";
import { link } from "./rest.ts";

export { svc, type Svc } from "./call.ts";
export type { Options } from "./options.ts";
export type { Callback, Outcome } from "./result.ts";
export type { Visitor } from "./visitor.ts";

// Here the parts are one file.
link.load = (done) => {
  start();
  done();
};
