// Makes a large store on SQLite: a seed, whose records are then written many times over by SQL, in the order of time.
import { DatabaseSync } from "@photostructure/sqlite";
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { compile, startTidemark } from "./servers.mjs";

const run = promisify(execFile);

const PEOPLE = ["campaigns", "promoters", "promoter_campaigns", "ref_tokens", "payout_methods"];
const FACTS = [
  "leads",
  "sales",
  "refunds",
  "cancellations",
  "commissions",
  "payouts",
  "visitors",
  "past_clicks",
];
const COPIED = [...PEOPLE, ...FACTS];
/** Ids that all copies share. */
const SHARED =
  /^(account|reward|referral_reward|product|promo_code|custom_status|run|claimed_run|payments_batch|upgrade_campaign)_id$/;
/** Texts that no two copies may share. E-mail addresses change as well. */
const OWN =
  /^(uid|claimed_uid|event_id|event_hash|cust_id|cust_id_key|auth_token|tid|nameless_tid|ref_token|token|\w*coupon|coupon_key|direct_url)$/;
/** The account names its first campaign, whose first copy therefore keeps its id. */
const CAMPAIGN_STEP = 1_000;

/** Seeds a store in a folder, and writes its records `copies` times. */
export async function makeLargeStore(folder, { promoters, leads, copies, environment }) {
  mkdirSync(folder, { recursive: true });
  const first = await startTidemark(`sqlite:${folder}`, { environment });
  first.child.kill("SIGTERM");
  await first.ended;
  const size = ["--promoters", promoters, "--leads", leads, "--sales", leads].map(String);
  await run(process.execPath, ["dist/server/cli.js", "seed", "bench", ...size], {
    env: { ...process.env, STORAGE_URL: `sqlite:${folder}` },
  });
  // Statements keep a connection that is closed, and its locks, until they are collected as garbage. So this has a process of
  // its own.
  if (copies > 1) await run(process.execPath, [import.meta.filename, folder, String(copies)]);
}

async function multiply(folder, copies) {
  const file = join(folder, "tidemark.db");
  copyFileSync(file, `${file}.one`);
  const db = new DatabaseSync(file);
  // WAL mode can only be left for `delete`.
  db.exec("pragma journal_mode = delete; pragma journal_mode = off");
  db.exec("pragma synchronous = off; pragma cache_size = -1000000");
  db.exec(`attach '${file}.one' as one`);
  db.exec(`create temp table copies as
    with recursive n(k) as (select 0 union all select k + 1 from n where k < ${copies - 1}) select k from n`);
  const names = [...COPIED, "audits"].map((name) => `'${name}'`).join();
  const indexes = db
    .prepare(
      `select name, sql from main.sqlite_master where type = 'index' and sql <> '' and tbl_name in (${names})`,
    )
    .all();
  for (const { name } of indexes) db.exec(`drop index main.${name}`);
  for (const name of COPIED) copyTable(db, name, copies);
  await sealPayoutMethods(db, { copies, keys: readFileSync(`${folder}.key`, "utf8") });
  copyDays(db, copies);
  logCommissions(db);
  db.exec(`update main.ids set next = (next + 1) * ${copies}`);
  for (const { sql } of indexes) db.exec(sql);
  // An index takes its statistics along when it is dropped.
  db.exec("delete from main.sqlite_stat1; insert into main.sqlite_stat1 select * from one.sqlite_stat1");
  db.exec("detach one; pragma journal_mode = wal");
  db.close();
  rmSync(`${file}.one`);
}

function copyTable(db, table, copies) {
  const columns = db.prepare(`select name, lower(type) as type from pragma_table_info('${table}')`).all();
  const copyOf = ({ name, type }) => {
    if (name === "campaign_id" || (name === "id" && table === "campaigns"))
      return `${name} + k * ${CAMPAIGN_STEP}`;
    if (type === "integer" && /^(\w+_)?id$/.test(name) && !SHARED.test(name))
      return `case ${name} when 0 then 0 else ${name} * ${copies} + k end`;
    if (OWN.test(name)) return `iif(k = 0, ${name}, ${name} || '-' || k)`;
    return type.endsWith("text") ? `replace(${name}, '@', iif(k = 0, '@', '.' || k || '@'))` : name;
  };
  const rows = columns.map(copyOf);
  db.exec(`delete from main.${table}`);
  db.exec(
    `insert into main.${table} select ${rows.join(", ")} from one.${table} as old join copies order by old.rowid, k`,
  );
}

/** A sealed text can't be opened in a copy of its record. */
async function sealPayoutMethods(db, { copies, keys }) {
  compile("server", ["failure", "seal"]);
  const { newSeal, readKeys } = await import("../../dist/test/seal.js");
  const seal = newSeal(readKeys(keys));
  const placeOf = (...place) => JSON.stringify(["payout-method", ...place]);
  db.function("sealed_again", (sealed, account, id, promoter, oldId, oldPromoter) =>
    seal.close(seal.open(sealed, placeOf(account, oldId, oldPromoter)), placeOf(account, id, promoter)),
  );
  db.exec(`update main.payout_methods as copy
    set sealed = sealed_again(old.sealed, copy.account_id, copy.id, copy.promoter_id, old.id, old.promoter_id)
    from one.payout_methods as old where old.id = copy.id / ${copies} and old.sealed is not null`);
}

/** Promoters and campaigns get days of their own. Of sources and pages there are no more than before. */
function copyDays(db, copies) {
  const columns = db.prepare("select name from pragma_table_info('daily')").all();
  const own = {
    subject_id: `case series when 'campaign' then subject_id + k * ${CAMPAIGN_STEP}
      when 'source' then 0 when 'page' then 0 else subject_id * ${copies} + k end`,
    promoter_campaign_id: `case promoter_campaign_id when 0 then 0 else promoter_campaign_id * ${copies} + k end`,
  };
  const keys = new Set(["account_id", "series", "subject_key", "day"]);
  const rows = columns.map(({ name }) => {
    if (keys.has(name)) return name;
    return own[name] ?? `iif(series in ('source', 'page'), ${name} * ${copies}, ${name})`;
  });
  db.exec(`delete from main.daily`);
  db.exec(`insert into main.daily select ${rows.join(", ")} from one.daily join copies
    where series not in ('source', 'page') or k = 0 order by 1, 2, 3, 4, 5`);
}

/** Seeds leave no log, so each commission gets an entry. */
function logCommissions(db) {
  const actions = `case id % 10 when 0 then 'deleted' when 1 then 'created' else 'updated' end`;
  db.exec("update main.ids set next = 100000000 where kind = 'audit'");
  db.exec(`insert into main.audits (account_id, id, at, actor, actor_kind, actor_id, action, entity, entity_id,
    promoter_id, promoter_campaign_id, lead_id, before, after)
    select account_id, 1000 + id, created_at,
      json_object('kind', iif(id % 3, 'user', 'key'), 'id', id % 20, 'name', 'Ada'), iif(id % 3, 'user', 'key'), id % 20,
      ${actions}, iif(id % 4, 'commission', 'referral'), cast(id as text), promoter_id, promoter_campaign_id, lead_id,
      '{"status":"pending"}', '{"status":"approved"}'
    from main.commissions order by id`);
}

if (process.argv[1] === import.meta.filename) await multiply(process.argv[2], Number(process.argv[3]));
