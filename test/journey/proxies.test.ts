import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, type ClientHttp2Session } from "node:http2";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { selfSigned } from "../support/certificate.ts";
import { freePort } from "../support/free-port.ts";
import { KEY, startServer, temporaryFolder, v1, type Server } from "../support/server.ts";

const OWNER = { email: "owner@acme.example", password: "correct horse battery" };

/** The programs that the guide shows, each with how it is started on a folder. */
const PROXIES: Record<string, (folder: string) => string[]> = {
  nginx: (folder) => ["-p", folder, "-e", "error.log", "-c", join(folder, "config")],
  caddy: (folder) => ["run", "--adapter", "caddyfile", "--config", join(folder, "config")],
};

describe.skipIf(!hasProxies()).each(Object.keys(PROXIES))("behind %s, as the guide sets it up", (name) => {
  const { folder, remove } = temporaryFolder();
  let server: Server;
  let proxy: ChildProcess;
  let publicUrl: string;
  beforeAll(async () => {
    const port = await freePort();
    publicUrl = `https://127.0.0.1:${port}/partners`;
    server = await startServer(folder, {
      PUBLIC_URL: publicUrl,
      TRUST_PROXY: "1",
      TIDEMARK_OWNER_EMAIL: OWNER.email,
      TIDEMARK_OWNER_PASSWORD: OWNER.password,
    });
    for (const email of ["jane@example.com", "bob@example.com"])
      await v1(server, "/promoters/create", { email });
    writeFileSync(join(folder, "config"), configOf(name, { folder, port, upstream: server.port }));
    proxy = spawn(name, PROXIES[name]!(folder), {
      env: { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      stdio: "ignore",
    });
    await vi.waitFor(async () => expect(await reaches(port)).toBe(true), { timeout: 60_000 });
  });
  afterAll(async () => {
    proxy.kill("SIGTERM");
    await server.stop();
    remove();
  });

  let session: ClientHttp2Session;
  beforeEach(() => {
    session = connect(new URL(publicUrl).origin, { rejectUnauthorized: false });
  });
  afterEach(() => session.close());
  const send = (path: string, headers: Record<string, string> = {}, body?: string) =>
    request(session, { ":path": `/partners${path}`, ...headers }, body);

  it("serves the dashboard and its files over HTTP/2", async () => {
    const { status, body } = await send("/admin");
    const [, script = ""] = /<script type="module" src="\/partners(\/assets\/[^"]+)"/.exec(body) ?? [];
    expect([status, (await send(script)).status]).toEqual([200, 200]);
    expect((await send("/svc.js")).status).toBe(200);
  });

  it("serves the script to a browser with 20 kB of the site's cookies", async () => {
    const cookies = Array.from({ length: 5 }, (_, at) => `shop${at}=`.padEnd(4_000, "x"));
    expect((await send("/svc.js", { cookie: cookies.join("; ") })).status).toBe(200);
  });

  it("signs in by a cookie that only its path gets", async () => {
    const json = { ":method": "POST", "content-type": "application/json", origin: new URL(publicUrl).origin };
    const signedIn = await send("/api/v2/company/session", json, JSON.stringify(OWNER));
    const [cookie = ""] = signedIn.headers["set-cookie"] ?? [];
    expect([signedIn.status, cookie]).toEqual([
      201,
      expect.stringContaining("; Path=/partners/api/v2/company; HttpOnly; Secure"),
    ]);
    const [pair = ""] = cookie.split(";");
    expect((await send("/api/v2/company/session", { cookie: pair })).status).toBe(200);
  });

  it("links with its public address, whatever forwarding headers say", async () => {
    const { headers } = await send("/api/v1/promoters/list?per_page=1", {
      "x-api-key": KEY,
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "http",
      "x-forwarded-prefix": "/evil",
      forwarded: "host=evil.example;proto=http",
    });
    expect(headers["link"]).toBe(
      `<${publicUrl}/api/v1/promoters/list?per_page=1&page=2>; rel="last", ` +
        `<${publicUrl}/api/v1/promoters/list?per_page=1&page=2>; rel="next"`,
    );
  });

  it("counts wrong keys of one visitor together, whatever address they claim", async () => {
    const statuses = new Set<number>();
    for (let attempt = 0; attempt < 40; attempt++) {
      const forged = { "x-api-key": `guess-${attempt}`, "x-forwarded-for": `203.0.113.${attempt}` };
      statuses.add((await send("/api/v1/promoters/list", forged)).status);
    }
    expect([...statuses]).toEqual([401, 429]);
  });
});

describe.skipIf(!hasProxies())("two servers behind nginx, as the guide sets it up", () => {
  it("answer every request while one after the other is restarted", async () => {
    const { folder, remove } = temporaryFolder();
    const [port, ...upstreams] = await Promise.all([freePort(), freePort(), freePort()]);
    const start = (at: number) => startServer(folder, { PORT: String(upstreams[at]) });
    const servers = [await start(0), await start(1)];
    mkdirSync(join(folder, "temporary"));
    writeFileSync(join(folder, "config"), nginxConfig(folder, rollingSite(port, upstreams)));
    const proxy = spawn("nginx", PROXIES["nginx"]!(folder), { stdio: "ignore" });
    onTestFinished(async () => {
      proxy.kill("SIGTERM");
      await Promise.all(servers.map((server) => server.stop()));
      remove();
    });
    const ask = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
    await vi.waitFor(async () => expect(await ask()).toBe(200), { timeout: 60_000 });
    const statuses = new Set<number>();
    const askAll = async () => {
      for (let count = 0; count < 20; count++) statuses.add(await ask());
    };
    for (const at of [0, 1]) {
      await servers[at]!.stop();
      await askAll();
      servers[at] = await start(at);
      await askAll();
    }
    expect([...statuses]).toEqual([200]);
  });
});

/** The guide's second block for nginx with this machine's ports. */
function rollingSite(port: number, [first, second]: number[]): string {
  const [, block = ""] =
    /```nginx\n(upstream [^]*?)```/.exec(readFileSync("docs/operators.md", "utf8")) ?? [];
  return block
    .replace("127.0.0.1:3000", `127.0.0.1:${first}`)
    .replace("127.0.0.1:3001", `127.0.0.1:${second}`)
    .replace("listen 80", `listen 127.0.0.1:${port}`);
}

/** The block of the guide with this machine's ports and files. */
function configOf(
  name: string,
  { folder, port, upstream }: { folder: string; port: number; upstream: number },
): string {
  const guide = readFileSync("docs/operators.md", "utf8");
  const [, block = ""] = new RegExp(`\`\`\`${name}\n([^]*?)\`\`\``).exec(guide) ?? [];
  const { key, cert } = selfSigned("127.0.0.1");
  writeFileSync(join(folder, "key.pem"), key);
  writeFileSync(join(folder, "cert.pem"), cert);
  mkdirSync(join(folder, "temporary"));
  const local = block.replace("127.0.0.1:3000", `127.0.0.1:${upstream}`);
  if (name === "caddy") {
    const files = `tls ${join(folder, "cert.pem")} ${join(folder, "key.pem")}`;
    return `{\nadmin off\nauto_https disable_redirects\n}\n${local.replace(
      "example.com {",
      `https://127.0.0.1:${port} {\n${files}\n`,
    )}`;
  }
  const site = local
    .replace("443", `127.0.0.1:${port}`)
    .replace("/etc/ssl/example.com.pem", join(folder, "cert.pem"))
    .replace("/etc/ssl/example.com.key", join(folder, "key.pem"));
  return nginxConfig(folder, site);
}

/** A configuration of nginx that writes only to a folder. */
function nginxConfig(folder: string, site: string): string {
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const paths = kinds.map((kind) => `${kind}_temp_path ${join(folder, "temporary", kind)};`);
  return `daemon off; master_process off; pid ${join(folder, "nginx.pid")}; events {}\nhttp { access_log off; ${paths.join(" ")}\n${site}}`;
}

interface Answer {
  status: number;
  headers: Record<string, string> & { "set-cookie"?: string[] };
  body: string;
}

function request(
  session: ClientHttp2Session,
  headers: Record<string, string>,
  body?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers);
    let text = "";
    let got: Record<string, unknown> = {};
    stream.once("response", (answered) => (got = answered));
    stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
    stream.once("end", () =>
      resolve({ status: Number(got[":status"]), headers: got as Answer["headers"], body: text }),
    );
    stream.once("error", reject);
    stream.end(body);
  });
}

/** Whether a TLS server answers on a port. */
async function reaches(port: number): Promise<boolean> {
  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  try {
    return await new Promise((resolve) => {
      session.once("connect", () => resolve(true));
      session.once("error", () => resolve(false));
    });
  } finally {
    session.destroy();
  }
}

function hasProxies(): boolean {
  try {
    execFileSync("nginx", ["-v"], { stdio: "ignore" });
    execFileSync("caddy", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    if (process.env.CI) throw new Error("CI tests behind nginx and Caddy, and found them not");
    console.warn("Tests behind proxies are left out: nginx and Caddy are not both installed");
    return false;
  }
}
