import { Command, CommanderError } from "commander";
import { accountCommands } from "./account.ts";
import { billingCommands } from "./billing.ts";
import { booksCommand } from "./books.ts";
import { campaignCommands } from "./campaign.ts";
import { checkCommands, transferCommands } from "./transfer.ts";
import { csvCommand } from "./csv.ts";
import { deliveryCommands } from "./deliveries.ts";
import { doctorCommand } from "./doctor.ts";
import { eraseCommands, promoterCommands, seedCommand } from "./people.ts";
import { keyCommands, userCommands } from "./access.ts";
import { migrateCommand } from "./migrate.ts";
import { payoutCommands } from "./payouts.ts";
import { secretCommands } from "./payments.ts";
import { ratesCommands } from "./rates.ts";
import { rewardCommands } from "./reward.ts";
import { switchCommand } from "./switch.ts";
import { settingWarnings } from "../config.ts";
import { reasonOf } from "../failure.ts";

/** Runs one command, with output to the process's streams, and sets `process.exitCode`. */
export async function runCommand(words: string[], version: string): Promise<void> {
  try {
    await newProgram(version).parseAsync(words, { from: "user" });
  } catch (error) {
    // Commander has already reported what is wrong.
    if (error instanceof CommanderError) return void (process.exitCode = error.exitCode);
    process.stderr.write(`${error instanceof Error ? reasonOf(error) : String(error)}\n`);
    process.exitCode = 1;
  }
}

/** Makes a new program for each run, so that options are not kept. */
function newProgram(version: string): Command {
  const program = new Command("tidemark")
    .description("The affiliate-program server. Commands work on the store that STORAGE_URL names.")
    .version(version)
    .showHelpAfterError()
    .exitOverride()
    .hook("preAction", (_, command) => {
      // A server writes them to its log.
      if (command.name() === "start") return;
      for (const warning of settingWarnings()) process.stderr.write(`${warning}\n`);
    });
  program
    .command("start")
    .description("start the server")
    .option("--demo", "fill an empty store with a year of made-up data")
    .action(async () => {
      await import("../main.ts");
    });
  accountCommands(program);
  billingCommands(program);
  booksCommand(program);
  keyCommands(program);
  campaignCommands(program);
  seedCommand(program);
  checkCommands(program);
  csvCommand(program);
  doctorCommand(program);
  deliveryCommands(program);
  eraseCommands(program);
  migrateCommand(program);
  payoutCommands(program);
  promoterCommands(program);
  ratesCommands(program);
  rewardCommands(program);
  switchCommand(program);
  secretCommands(program);
  transferCommands(program);
  userCommands(program);
  return program;
}
