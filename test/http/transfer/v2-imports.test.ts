import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newJobs } from "../../../server/process/jobs.ts";
import { KEY, NOW, startApp, STORAGES, type TestApp } from "../../support/app.ts";
import { IS_LONG } from "../../support/rounds.ts";
import { addUser, callAs } from "../../support/users.ts";
import { join } from "../../support/v2.ts";

const CSV = { "content-type": "text/csv" };

describe.each(STORAGES)("POST /api/v2/company/imports on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => void (app = await startApp(storage)));
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  async function send(
    query: Record<string, string>,
    body: string | FormData | Buffer,
    headers: object = CSV,
  ) {
    const response = await app.request(`/api/v2/company/imports?${new URLSearchParams(query)}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${KEY}`,
        "account-id": "acme",
        ...(body instanceof FormData ? {} : headers),
      },
      body: body as string,
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }
  const runJobs = async (times: number) => {
    const jobs = newJobs(app.services);
    for (let pass = 0; pass < times; pass++) await jobs.pass();
    await jobs.stop();
  };
  const batch = async () => (await app.v2("GET", "/batch_processes/1")).body as Record<string, unknown>;
  const emails = async () => (await app.records.all("promoter")).map(({ email }) => email);

  const FILE = "E-Mail;Name;Ref ID;Joined\njane@example.com;Jane;JANE;5/13/2024\nno address;X;x;5/14/2024\n";
  const found = {
    kind: "promoters",
    delimiter: ";",
    columns: [
      {
        title: "E-Mail",
        field: "email",
        certainty: "certain",
        reason: "the title says so",
        examples: ["jane@example.com", "no address"],
      },
      {
        title: "Name",
        field: "name",
        certainty: "certain",
        reason: "the title says so",
        examples: ["Jane", "X"],
      },
      {
        title: "Ref ID",
        field: "ref_id",
        certainty: "certain",
        reason: "the title says so",
        examples: ["JANE", "x"],
      },
      {
        title: "Joined",
        field: "created_at",
        certainty: "chosen",
        reason: "you have chosen it",
        examples: ["5/13/2024", "5/14/2024"],
      },
    ],
    fields: [
      "email",
      "first_name",
      "last_name",
      "name",
      "ref_id",
      "cust_id",
      "promo_code",
      "campaign_id",
      "state",
      "parent_email",
      "website",
      "company_name",
      "country",
      "wallet_email",
      "landing_url",
      "note",
      "created_at",
    ],
    words: [],
    problems: [],
    preview: [
      {
        line: 2,
        values: {
          email: "jane@example.com",
          name: "Jane",
          ref_id: "jane",
          created_at: "2024-05-13T00:00:00.000Z",
        },
        fault: null,
      },
      { line: 3, values: null, fault: "email is invalid" },
    ],
  };
  const done = {
    id: 1,
    status: "completed",
    total: 2,
    selected_total: 2,
    processed_count: 1,
    failed_count: 1,
    action_label: "import/promoters",
    created_at: NOW,
    updated_at: NOW,
    progress: 100,
    processing_errors: ["3: email is invalid"],
  };
  const columns = JSON.stringify({ Joined: "created_at" });

  it("says what it understood and what would happen, keeps nothing, and then does it", async () => {
    const meta = { kind: "promoters", file: "p.csv", added: 1, changed: 0, known: 0, bad: 1 };
    const query = { kind: "promoters", columns, file_name: "p.csv" };
    expect(await send({ ...query, dry_run: "true" }, FILE)).toEqual({
      status: 200,
      body: { ...found, dry_run: true, batch: { ...done, meta: { ...meta, dry_run: true } } },
    });
    expect(await emails()).toEqual([]);
    expect(await send(query, FILE)).toEqual({
      status: 200,
      body: { ...found, dry_run: false, batch: { ...done, id: 2, meta: { ...meta, dry_run: false } } },
    });
    expect(await emails()).toEqual(["jane@example.com"]);
    const log = (await app.v2("GET", "/audit_log")).body as object[];
    expect(log).toMatchObject([
      {
        action: "imported",
        entity: "promoter",
        entity_id: "all",
        after: { kind: "promoters", file: "p.csv", lines: 2 },
      },
    ]);
  });

  it("takes the file in a form, with its other fields", async () => {
    const form = new FormData();
    form.set("kind", "promoters");
    form.set("file", new Blob(["email\njane@example.com\n"]), "people.csv");
    expect(await send({}, form)).toMatchObject({
      status: 200,
      body: { batch: { processed_count: 1, meta: { file: "people.csv", added: 1 } } },
    });
    form.delete("file");
    expect(await send({}, form)).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining("no file") },
    });
  });

  it("tries lines that depend on those above them", async () => {
    await join(app, "jane@example.com", { ref_id: "jane" });
    const file = [
      "email,ref_id,parent_email",
      "joe@example.com,joe,",
      "joe@example.com,joe2,",
      "kim@example.com,joe,",
      "lee@example.com,,Joe@example.com",
      "max@example.com,,nobody@example.com",
      "jane@example.com,,",
      "tom@example.com,jane,",
    ].join("\n");
    const faults = ["6: Parent promoter not found.", "8: ref_id has already been taken"];
    expect((await send({ kind: "promoters", dry_run: "1" }, file)).body["batch"]).toMatchObject({
      meta: { added: 2, known: 2, bad: 3 },
      processing_errors: ["4: ref_id is in an earlier line, too", ...faults],
    });
    expect((await send({ kind: "promoters" }, file)).body["batch"]).toMatchObject({
      meta: { added: 2, known: 2, bad: 3 },
      processing_errors: ["4: ref_id has already been taken", ...faults],
    });
  });

  it.each(IS_LONG ? ["true", "false"] : ["false"])(
    "goes on by itself with a long file, also after a kill (dry run: %s)",
    async (dry_run) => {
      const lines = Array.from({ length: 1_500 }, (_, at) => (at === 1_000 ? "bad" : `p${at}@example.com`));
      const { status, body } = await send({ kind: "promoters", dry_run }, `email\n${lines.join("\n")}\n`);
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { batch: { status: "in_progress", total: 1_500, processed_count: 200, progress: 13 } },
      });
      const listed = async (state: string) =>
        ((await app.v2("GET", `/batch_processes?filters[status]=${state}`)).body as unknown[]).length;
      expect([await listed("in_progress"), await listed("completed")]).toEqual([1, 0]);
      await runJobs(1);
      expect(await batch()).toMatchObject({ status: "in_progress", progress: dry_run === "true" ? 33 : 46 });
      await runJobs(5);
      expect(await batch()).toMatchObject({
        status: "completed",
        total: 1_500,
        processed_count: 1_499,
        failed_count: 1,
        progress: 100,
        processing_errors: ["1002: email is invalid"],
        meta: { added: 1_499, known: 0, bad: 1 },
      });
      expect([await listed("in_progress"), await listed("completed")]).toEqual([0, 1]);
      expect((await emails()).length).toBe(dry_run === "true" ? 0 : 1_499);
      expect([await app.records.all("csvImport"), await app.records.all("csvPart")]).toEqual([[], []]);
    },
  );

  it("shows columns without which nothing can be imported, and refuses to import then", async () => {
    const file = "when,what\n05/06/2024,x\n";
    const query = { kind: "commissions", columns: '{"when":"created_at","what":"note"}' };
    const sentence = '"note" is not one of id, ref_id, promoter_email, email, uid, amount, ';
    expect(await send(query, file)).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining(sentence) },
    });
    const chosen = { kind: "commissions", columns: '{"when":"created_at","what":"ref_id"}' };
    const problems = [
      "No column is called amount",
      'The dates of "when" may begin with the day or with the month: say which of dmy and mdy',
    ];
    expect(await send({ ...chosen, dry_run: "true" }, file)).toMatchObject({
      status: 200,
      body: { problems, batch: null },
    });
    expect(await send(chosen, file)).toMatchObject({ status: 422, body: { errors: { columns: problems } } });
  });

  it.each<[string, Record<string, string>, string | Buffer, number, string]>([
    ["no kind", {}, "email\n", 422, "kind can't be blank"],
    ["another kind", { kind: "cats" }, "email\n", 422, "kind is not one of promoters, leads"],
    [
      "columns that are no object",
      { kind: "leads", columns: "[1]" },
      "email\n",
      422,
      "columns is not a JSON object",
    ],
    [
      "a long separator",
      { kind: "leads", delimiter: ",," },
      "email\n",
      422,
      "delimiter must be one character",
    ],
    ["nothing", { kind: "leads" }, "", 422, "The file is empty"],
    ["no known column", { kind: "leads" }, "a,b\n1,2\n", 422, "No column is known"],
    // Such a line would keep all other requests waiting while it is parsed.
    [
      "a line that is far too long",
      { kind: "leads" },
      `email,note\nann@example.com,${"a".repeat(250_000)}\n`,
      422,
      "The file has a line of more than 250,000 characters",
    ],
    [
      "more than 20 MiB",
      { kind: "leads" },
      Buffer.alloc(20 * 1024 * 1024 + 1, "a"),
      413,
      "The body is larger than 20 MiB",
    ],
  ])("refuses a file with %s in a sentence", async (_, query, file, status, sentence) => {
    expect(await send(query, file)).toMatchObject({
      status,
      body: { message: expect.stringContaining(sentence) },
    });
  });

  // Each took minutes, in which the server did nothing else.
  it.runIf(IS_LONG).each([
    ["millions of blank lines", "email\n" + "\n".repeat(3_000_000), 0],
    ["a quote that stays open", `email,name\n"jane@example.com,Jane\n${"x,y,z\n".repeat(300_000)}`, 200],
  ])("looks at a file with %s as fast as at others", async (_, file, count) => {
    const { status, body } = await send({ kind: "promoters", dry_run: "true" }, file);
    expect([status, body["batch"]]).toMatchObject([200, { processed_count: 0, failed_count: count }]);
  });

  it.runIf(IS_LONG)("refuses an eleventh long file while ten are under way", async () => {
    const file = `email\n${Array.from({ length: 300 }, (_, at) => `p${at}@example.com`).join("\n")}\n`;
    const query = { kind: "promoters", dry_run: "true" };
    for (let sent = 0; sent < 10; sent++) expect((await send(query, file)).status).toBe(200);
    expect(await send(query, file)).toMatchObject({
      status: 422,
      body: { message: "10 imports are under way; wait until one of them is done" },
    });
  });

  it("is for managers and owners", async () => {
    for (const [role, status] of [
      ["viewer", 403],
      ["manager", 422],
      ["owner", 422],
    ] as const) {
      const call = await callAs(app, await addUser(app, role));
      expect((await call("POST /imports?kind=leads", "", CSV)).status).toBe(status);
    }
  });
});
