import { Agent, request, type IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { rounds } from "./rounds.ts";
import { KEY } from "./server.ts";

/** How long a client waits after a refusal by a server that may be restarting. */
const RETRY_MS = 50;

/** Without a pause, a few clients take all the time of a small machine. */
const PAUSE_MS = rounds(20, 0);

/** Clients that sign people up until they are stopped. Each keeps one connection. */
export interface SignupLoad {
  /** The `uid` of each person whom the server has acknowledged. */
  recorded: string[];
  /** Unsuccessful answers, as status and body. */
  refused: string[];
  /** Resolves when this many more people are recorded. */
  more(count: number): Promise<void>;
  /** Resolves when each client has its last answer. */
  stop(): Promise<void>;
}

/** Starts a number of clients. They continue even if their connections are cut. */
export function startSignups(
  { port }: { port: number },
  { clients, name, key = KEY }: { clients: number; name: string; key?: string },
): SignupLoad {
  const recorded: string[] = [];
  const refused: string[] = [];
  const work = { isOver: false };
  let onRecorded = () => {};

  async function workAs(client: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let at = 0; !work.isOver; at++) {
      await signUpOne(agent, `${name}-${client}-${at}`);
      await pause();
    }
    agent.destroy();
  }

  async function signUpOne(agent: Agent, uid: string): Promise<void> {
    const answer = await signUp({ port, agent, uid, key }).catch(() => null);
    if (answer === null) return void (await sleep(RETRY_MS));
    if (answer.status !== 200) return void refused.push(`${answer.status} ${answer.body}`);
    recorded.push(uid);
    onRecorded();
  }

  const working = Promise.all(Array.from({ length: clients }, (_, client) => workAs(client)));
  return {
    recorded,
    refused,
    more(count) {
      const goal = recorded.length + count;
      return new Promise((resolve) => {
        onRecorded = () => void (recorded.length >= goal && resolve());
      });
    },
    async stop() {
      work.isOver = true;
      await working;
    },
  };
}

/** Resolves when a client may ask again after an answer. A long run has no pauses. */
export async function pause(): Promise<void> {
  if (PAUSE_MS > 0) await sleep(PAUSE_MS);
}

function signUp({ port, agent, uid, key }: { port: number; agent: Agent; uid: string; key: string }) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const headers = { "x-api-key": key, "content-type": "application/x-www-form-urlencoded" };
    const path = "/api/v1/track/signup";
    const asked = request({ port, host: "127.0.0.1", path, method: "POST", agent, headers });
    asked.once("error", reject);
    asked.once("response", (answer) => {
      read(answer).then((body) => resolve({ status: answer.statusCode!, body }), reject);
    });
    asked.end(`ref_id=jane&uid=${uid}`);
  });
}

async function read(answer: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of answer) body += String(chunk);
  return body;
}
