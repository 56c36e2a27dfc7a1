import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ratesFor } from "../../server/domain/ledger/rate.ts";
import { callCli, useAccountOnDisk } from "../support/cli.ts";
import { storeAt } from "../support/records.ts";

const folder = useAccountOnDisk();

async function importFile(text: string, ...options: string[]) {
  const file = join(folder(), "rates");
  writeFileSync(file, text);
  const { code, stdout, stderr } = await callCli(folder(), ["rates", "import", file, ...options]);
  return { code, stderr, result: stdout === "" ? null : JSON.parse(stdout) };
}

async function stored(day: string) {
  const store = await storeAt(`sqlite:${folder()}`);
  const found: unknown[] = [];
  for await (const { account_id, day: on, base, rates } of ratesFor(store, 1, new Date(day))) {
    found.push({ account_id, day: on, base, rates });
  }
  await store.close();
  return found;
}

const ECB = (days: string) => `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
	<gesmes:subject>Reference rates</gesmes:subject>
	<gesmes:Sender>
		<gesmes:name>European Central Bank</gesmes:name>
	</gesmes:Sender>
	<Cube>${days}</Cube>
</gesmes:Envelope>`;
const DAY = `<Cube time='2026-03-04'>
			<Cube currency='USD' rate='1.0842'/>
			<Cube currency='JPY' rate='163.20'/>
		</Cube>`;
const OLD = `<Cube time="1999-01-04"><Cube currency="USD" rate="1.1789"/><Cube currency="CYP" rate="0.58231"/></Cube>`;

it("imports the daily file of the European Central Bank, for all accounts", async () => {
  expect(await importFile(ECB(DAY))).toEqual({
    code: 0,
    stderr: "",
    result: {
      days: 1,
      from: "2026-03-04",
      to: "2026-03-04",
      bad: 0,
      unknown_currencies: [],
      recorded_events: 0,
    },
  });
  const rates = { USD: "1.0842", JPY: "163.20" };
  expect(await stored("2026-03-06")).toEqual([{ account_id: 0, day: "2026-03-04", base: "EUR", rates }]);
});

it("imports the historical file, without currencies that are gone", async () => {
  expect(await importFile(ECB(DAY + OLD))).toEqual({
    code: 0,
    stderr: "",
    result: {
      days: 2,
      from: "1999-01-04",
      to: "2026-03-04",
      bad: 0,
      unknown_currencies: ["CYP"],
      recorded_events: 0,
    },
  });
  const day = { account_id: 0, day: "1999-01-04", base: "EUR", rates: { USD: "1.1789" } };
  expect(await stored("1999-01-04")).toEqual([day]);
});

it("imports a CSV file for one account, and names each bad line", async () => {
  const lines = [
    "date,base,currency,rate",
    "2026-03-04,USD,EUR,0.9223",
    "2026-03-04,usd,gbp,0.774",
    "2026-03-04,EUR,GBP,0.8",
    "2026-02-30,USD,EUR,1",
    "2026-03-05,USD,EUR,nine",
    "2026-03-05,USDT,EUR,1",
    "2026-03-05,USD,,1",
  ];
  expect(await importFile(lines.join("\n"), "--account", "acme")).toEqual({
    code: 1,
    stderr: [
      "rates:4: has the base EUR, but lines before it have USD for 2026-03-04",
      "rates:5: 2026-02-30 is not a date",
      "rates:6: nine is not a positive decimal number",
      "rates:7: USDT is not an ISO 4217 currency",
      "rates:8: has no currency",
      "",
    ].join("\n"),
    result: {
      days: 1,
      from: "2026-03-04",
      to: "2026-03-04",
      bad: 5,
      unknown_currencies: [],
      recorded_events: 0,
    },
  });
  const rates = { EUR: "0.9223", GBP: "0.774" };
  expect(await stored("2026-03-04")).toEqual([{ account_id: 1, day: "2026-03-04", base: "USD", rates }]);
});

it("imports a file from a web server, or one of FILES_URL", async () => {
  const server = createServer((request, response) => {
    response.statusCode = request.url === "/stats/daily.xml" ? 200 : 404;
    response.end(ECB(DAY));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}/stats`;
  mkdirSync(join(folder(), "files/rates"), { recursive: true });
  writeFileSync(join(folder(), "files/rates/daily.xml"), ECB(DAY));
  const load = (...words: string[]) => callCli(folder(), ["rates", "import", ...words]);
  for (const words of [[`${site}/daily.xml`], ["daily.xml", "--stored"]]) {
    const { code, stdout } = await load(...words);
    expect([code, JSON.parse(stdout)["days"]]).toEqual([0, 1]);
  }
  expect(await load(`${site}/none.xml`)).toMatchObject({
    code: 1,
    stderr: `${site}/none.xml can't be read: its server answers 404\n`,
  });
  server.close();
  expect(await load(`${site}/daily.xml`)).toMatchObject({
    code: 1,
    stderr: `${site}/daily.xml can't be reached\n`,
  });
  expect(await load("none.xml", "--stored")).toMatchObject({
    code: 1,
    stderr: "There is no file rates/none.xml in FILES_URL\n",
  });
  expect(await stored("2026-03-04")).toHaveLength(1);
});

it.each([
  [
    "<html><body>Not found</body></html>",
    "The file does not hold exchange rates of the European Central Bank",
  ],
  ["<a", "The file does not hold exchange rates of the European Central Bank"],
  ["a,b\n1,2\n", "No column is known; these are possible: date, base, currency, rate"],
  ["", "The file is empty"],
  ["date,base,currency,rate\n", "The file has no exchange rates"],
  [
    ECB('<Cube time="2026-03-04"></Cube>'),
    "The file does not hold exchange rates of the European Central Bank",
  ],
])("refuses another file: %s", async (text, message) => {
  expect(await importFile(text)).toEqual({ code: 1, stderr: `${message}\n`, result: null });
});

it("refuses a file that isn't there", async () => {
  const { code, stdout, stderr } = await callCli(folder(), ["rates", "import", "rates.csv"]);
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: "There is no file rates.csv\n" });
});

it("sets an account's currency", async () => {
  const set = async (code: string) => {
    const { code: exit, stdout, stderr } = await callCli(folder(), ["account", "currency", "acme", code]);
    return [exit, stdout === "" ? stderr : JSON.parse(stdout)];
  };
  expect(await set("eur")).toEqual([0, { account_id: "acme", currency: "EUR" }]);
  expect(await set("euro")).toEqual([1, "euro is not an ISO 4217 currency\n"]);
});
