import { start } from "./second.ts";
import { state } from "./state.ts";

export { svc, type Svc } from "./svc.ts";
export type { Callback, Options, Outcome, Visitor } from "./state.ts";

// Here the parts are one file.
state.load = (done) => {
  start();
  done();
};
