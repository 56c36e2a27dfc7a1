import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callCli } from "../support/cli.ts";
import { temporaryFolder } from "../support/server.ts";

const LINK = /^https:\/\/track\.acme\.example\/admin\/welcome#[\w-]{43}$/;
const ENVIRONMENT = { PUBLIC_URL: "https://track.acme.example" };

let folder: string;
let remove: () => void;
beforeEach(async () => {
  ({ folder, remove } = temporaryFolder());
  await run("account", "create", "Acme", "--landing-url", "https://www.acme.example/", "--id", "acme");
});
afterEach(() => remove());

const run = async (...words: string[]) => {
  const { code, stdout, stderr } = await callCli(folder, words, ENVIRONMENT);
  return { code, stderr, shown: stdout === "" ? null : (JSON.parse(stdout) as unknown) };
};
const user = (email: string, role: string) => ({
  id: expect.any(Number),
  email,
  name: null,
  role,
  has_password: false,
  has_second_factor: false,
  created_at: expect.any(String),
  last_sign_in_at: null,
});

describe("tidemark user", () => {
  it("invites with a link, lists, resets and removes", async () => {
    const jo = user("jo@acme.example", "owner");
    const max = user("max@acme.example", "manager");
    expect(await run("user", "invite", "jo@acme.example", "--role", "owner")).toEqual({
      code: 0,
      stderr: "",
      shown: { ...jo, link: expect.stringMatching(LINK), is_mailed: false },
    });
    await run("user", "invite", "max@acme.example");
    expect((await run("user", "list")).shown).toEqual([jo, max]);
    expect((await run("user", "reset", "MAX@acme.example")).shown).toEqual({
      ...max,
      link: expect.stringMatching(LINK),
      is_mailed: false,
    });
    expect((await run("user", "remove", "max@acme.example")).shown).toEqual(max);
    expect((await run("user", "list")).shown).toEqual([jo]);
  });

  it.each([
    [["invite", "nobody"], '"nobody" is not an e-mail address\n'],
    [["reset", "nobody@acme.example"], "No user has the e-mail address nobody@acme.example\n"],
    [["remove", "nobody@acme.example"], "No user has the e-mail address nobody@acme.example\n"],
    [["list", "--account", "other"], "Account other was not found\n"],
  ])("refuses %j", async (words, stderr) => {
    expect(await run("user", ...words)).toEqual({ code: 1, stderr, shown: null });
  });

  it("asks for the account if there are several", async () => {
    await run("account", "create", "Other", "--landing-url", "https://www.other.example/", "--id", "other");
    expect(await run("user", "list")).toEqual({
      code: 1,
      stderr: "The store has several accounts: name one with --account\n",
      shown: null,
    });
    expect((await run("user", "list", "--account", "other")).shown).toEqual([]);
  });
});
