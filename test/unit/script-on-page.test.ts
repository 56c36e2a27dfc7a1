import { expect, it } from "vitest";
import { scriptOnPage } from "../../server/domain/program/account/script-on-page.ts";
import type { Account } from "../../server/domain/program/account/account.ts";

const account = { public_id: "acme" } as Account;
const tag = (id: string) =>
  `<html><head><script async src="https://track.acme.example/svc.js" data-cid="${id}"></script></head>`;
const snippet = `<script>(function(w){w.svc=w.svc||function(){(w.svc.q=w.svc.q||[]).push(arguments)}})(window);
  svc("init", { cid: 'acme' }); svc("click");</script><script src="/t/svc.0123456789ab.js" async></script>`;

it.each([
  ["the tag", tag("acme"), "found", null],
  [
    "the tag without quotes",
    "<script src=//t.acme.example/svc.js data-cid=acme async></script>",
    "found",
    null,
  ],
  ["the snippet", snippet, "found", null],
  ["two tags, one of which is right", tag("other") + tag("acme"), "found", null],
  ["the tag of another account", tag("globex"), "other_account", "globex"],
  ["the script without an account", `<script src="/svc.js"></script>`, "other_account", null],
  ["an account without the script", `<div data-cid="acme"></div>`, "not_found", null],
  ["a tag that is commented out", `<!-- ${tag("acme")} --><p>Hello</p>`, "not_found", null],
  ["a tag in a comment without an end", `<p>Hello</p><!-- ${tag("acme")}`, "not_found", null],
  ["a script with a longer name", `<script src="/js/mysvc.js" data-cid="acme"></script>`, "not_found", null],
  [
    "a tag manager",
    `<script src="https://www.googletagmanager.com/gtm.js?id=GTM-ABC123"></script>`,
    "tag_manager",
    null,
  ],
  [
    "a tag manager beside the tag",
    `${tag("acme")}<script src="https://www.googletagmanager.com/gtag/js"></script>`,
    "found",
    null,
  ],
  ["nothing", "", "not_found", null],
] as const)("%s", (_, html, state, otherId) => {
  expect(scriptOnPage(html, account)).toEqual({ state, otherId });
});

it("the account's own name for the script stands for the account", () => {
  const named = { ...account, tracker: { script: "fpr.js" } } as Account;
  expect(scriptOnPage(`<script src="https://t.acme.example/fpr.js"></script>`, named).state).toBe("found");
  expect(scriptOnPage(`<script src="/fpr.0123456789ab.js"></script>`, named).state).toBe("found");
  expect(scriptOnPage(`<script src="https://t.acme.example/fpr.js"></script>`, account).state).toBe(
    "not_found",
  );
});
