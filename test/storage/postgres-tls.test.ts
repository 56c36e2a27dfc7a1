import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readItem, writeItem } from "../../server/storage/items.ts";
import { openEngine } from "../../server/storage/open.ts";
import { selfSigned } from "../support/certificate.ts";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { temporaryFolder } from "../support/server.ts";

describe.skipIf(POSTGRES_FOLDER === null)("a Postgres that requires TLS", () => {
  const { folder, remove } = temporaryFolder();
  const own = join(folder, "own.crt");
  const other = join(folder, "other.crt");
  let cluster: Cluster;
  beforeAll(async () => {
    const certificate = selfSigned("localhost");
    writeFileSync(own, certificate.cert);
    writeFileSync(other, selfSigned("localhost").cert);
    cluster = await startCluster({ certificate });
  });
  afterAll(async () => {
    await cluster.remove();
    remove();
  });

  const url = (host: string, parameters: string) =>
    `postgres://tidemark@${host}:${cluster.port}/postgres?${parameters}`;

  it("is used over TLS, with its certificate checked", async () => {
    const engine = await openEngine(url("localhost", `sslmode=verify-full&sslrootcert=${own}`), {
      tables: [],
    });
    await engine.transact((session) => writeItem(session, "a", "{}"));
    expect(await readItem(engine.reads, "a")).toBe("{}");
    await engine.close();
  });

  it.each([
    ["without TLS", () => url("localhost", "sslmode=disable"), "no encryption"],
    [
      "with a certificate of someone else",
      () => url("localhost", `sslmode=verify-full&sslrootcert=${other}`),
      "self-signed certificate",
    ],
    [
      "under a name that its certificate does not hold",
      () => url("127.0.0.1", `sslmode=verify-full&sslrootcert=${own}`),
      "does not match certificate",
    ],
  ])("is refused %s", async (_, address, reason) => {
    await expect(openEngine(address(), { tables: [] })).rejects.toThrow(reason);
  });
});
