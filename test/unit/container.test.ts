import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readConfig } from "../../server/config.ts";

const read = (file: string) => readFileSync(file, "utf8");
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name!);

it("keeps everything except the build's own files out of images", () => {
  const [all, ...kept] = read(".dockerignore")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  expect(all).toBe("*");
  for (const line of kept) expect(existsSync(line.slice(1)), line).toBe(true);
  const copied = matches(read("Dockerfile"), /^COPY (?!--from)(.*) \S+$/gm).flatMap((names) =>
    names.split(" "),
  );
  for (const name of copied.filter((each) => each !== ".")) expect(kept).toContain(`!${name}`);
});

it("gives containers only settings that exist", () => {
  const known = matches(read("server/config.ts") + read("server/config/storage.ts"), /^ +([A-Z_]+): /gm);
  const ofCompose = matches(read("compose.yaml"), /^ {6}([A-Z_]+): /gm).filter(
    (name) => !name.startsWith("POSTGRES"),
  );
  expect(ofCompose).toContain("PUBLIC_URL");
  expect(known).toEqual(expect.arrayContaining([...Object.keys(imageSettings()), ...ofCompose]));
});

it("starts an image that browsers reach, whose store, key and owner's link are in its volume", () => {
  expect(readConfig(imageSettings())).toMatchObject({
    host: "0.0.0.0",
    port: 3_000,
    publicUrl: "http://localhost:3000",
    storageUrl: "sqlite:/data",
    keyFile: "/data/first-key",
  });
});

/** The settings that the Dockerfile makes, apart from Node's own. */
function imageSettings(): Record<string, string> {
  const pairs = [
    ...read("Dockerfile")
      .replace(/^#.*/gm, "")
      .matchAll(/\b([A-Z_]+)=(\S+)/g),
  ];
  return Object.fromEntries(
    pairs.map(([, name, value]) => [name!, value!]).filter(([name]) => name !== "NODE_ENV"),
  );
}
