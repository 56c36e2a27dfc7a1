// Drives one server from a separate process, so that no server shares its event loop with the load.
import autocannon from "autocannon";
import { randomUUID } from "node:crypto";

const options = JSON.parse(process.argv[2]);
const { url, method, path, headers, body, seconds, connections = 64, picks = [], known = 1 } = options;
let count = 0;
const pick = () => picks[Math.floor(Math.random() * picks.length)];
const fill = () =>
  body
    .replaceAll("{n}", `${process.pid}-${++count}`)
    .replaceAll("{known}", String(1 + Math.floor(Math.random() * known)))
    .replaceAll("{uuid}", randomUUID())
    .replaceAll("{pick}", pick);
const statuses = {};

const run = autocannon({
  url: url + path,
  connections,
  duration: seconds,
  method,
  headers: method === "GET" ? headers : { "content-type": "application/x-www-form-urlencoded", ...headers },
  setupClient: (client) => client.setBody(fill()),
});
run.on("response", (client, status) => {
  statuses[status] = (statuses[status] ?? 0) + 1;
  client.setBody(fill());
});
run.then((result) =>
  process.stdout.write(
    JSON.stringify({
      perSecond: result.requests.average,
      p50: result.latency.p50,
      p99: result.latency.p99,
      statuses,
      errors: result.errors,
    }),
  ),
);
