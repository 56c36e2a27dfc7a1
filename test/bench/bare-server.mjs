// The baseline: node:http alone, which parses the same form and answers with JSON of the same size.
import { createServer } from "node:http";

const answer = { filler: "" };
const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    if (form.has("answer_bytes")) {
      answer.filler = "x".repeat(
        Math.max(0, Number(form.get("answer_bytes")) - JSON.stringify({ filler: "" }).length),
      );
    }
    const body = JSON.stringify(answer);
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    });
    response.end(body);
  });
});
server.listen(0, "127.0.0.1", () =>
  process.stdout.write(`listens on http://127.0.0.1:${server.address().port}\n`),
);
