import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

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
  const config = read("server/config.ts");
  const ofImage = matches(read("Dockerfile").replace(/^#.*/gm, ""), /\b([A-Z_]+)=/g);
  const ofCompose = matches(read("compose.yaml"), /^ {6}([A-Z_]+): /gm).filter(
    (name) => !name.startsWith("POSTGRES"),
  );
  expect(ofImage).toContain("PUBLIC_URL");
  expect(ofCompose).toContain("PUBLIC_URL");
  for (const name of [...ofImage, ...ofCompose].filter((each) => each !== "NODE_ENV")) {
    expect(config, name).toContain(`    ${name}: `);
  }
});
