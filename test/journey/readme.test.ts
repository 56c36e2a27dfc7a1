import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ACCOUNT, KEY, startServer, temporaryFolder } from "../support/server.ts";

const README = readFileSync("README.md", "utf8");

/** The commands of a section, as they are printed. */
function commandsOf(section: string): string {
  const [, text = ""] = README.split(`## ${section}\n`);
  const [own = ""] = text.split("\n## ");
  return [...own.matchAll(/```sh\n([^]*?)```/g)].map(([, block]) => block).join("");
}

it("README's commands lead a fresh program to a paid promoter, typed as printed", async () => {
  const { folder, remove } = temporaryFolder();
  const server = await startServer(folder, {}, {});
  const visitor = `
    tid=5a7c3d4e-1f2b-4c3d-8e9f-0a1b2c3d4e5f
    site=(-H "Origin: ${server.url}" -A "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36")
    curl -s ${server.url}/t/click "\${site[@]}" -d cid=$ACCOUNT -d tid=$tid -d ref_id=jane -d url=${server.url}/demo
    curl -s ${server.url}/t/signup "\${site[@]}" -d cid=$ACCOUNT -d tid=$tid -d email=you@example.com`;
  const typed = [
    `tidemark() { node "${process.cwd()}/dist/server/cli.js" "$@"; }`,
    commandsOf("Try it").replace(/ACCOUNT=\S+ KEY=\S+/, `ACCOUNT=${ACCOUNT} KEY=${KEY}`),
    visitor,
    commandsOf("Sales"),
    commandsOf("Paying promoters"),
    "echo; echo; cat pay.csv",
  ].join("\n");
  const script = typed.replaceAll("http://127.0.0.1:3000", server.url);
  const env = { ...process.env, STORAGE_URL: `sqlite:${folder}` };
  const { stdout } = spawnSync("bash", ["-c", script], { cwd: folder, env, encoding: "utf8" });
  try {
    const answer = await fetch(`${server.url}/api/v2/company/payouts`, {
      headers: { authorization: `Bearer ${KEY}`, "account-id": ACCOUNT },
    });
    const data = (await answer.json()) as unknown[];
    expect({ data, end: stdout.split("\n\n").at(-1) }, stdout).toMatchObject({
      data: [{ status: "completed", total_incl_tax: 2_000 }],
      end: expect.stringContaining("jane@example.com,20.00,USD"),
    });
  } finally {
    await server.stop();
    remove();
  }
});
