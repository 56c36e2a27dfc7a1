import { generateKeyPairSync, sign } from "node:crypto";

/** Tags of X.690. */
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OBJECT_ID = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const SEQUENCE = 0x30;
const SET = 0x31;

/** 1.2.840.10045.4.3.2 */
const ECDSA_WITH_SHA256 = der(SEQUENCE, der(OBJECT_ID, Buffer.from("2a8648ce3d040302", "hex")));
/** 2.5.4.3 */
const COMMON_NAME = der(OBJECT_ID, Buffer.from("550403", "hex"));

/**
 * Makes a key and a self-signed certificate. They are new each time, so that none is in the repository and no
 * openssl is needed.
 *
 * @see RFC 5280, section 4.1
 */
export function selfSigned(host = "example.test"): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8_STRING, host))));
  const content = der(
    SEQUENCE,
    der(INTEGER, Buffer.of(1)),
    ECDSA_WITH_SHA256,
    name,
    der(SEQUENCE, der(UTC_TIME, "250101000000Z"), der(UTC_TIME, "491231235959Z")),
    name,
    publicKey.export({ type: "spki", format: "der" }),
  );
  const signature = der(BIT_STRING, Buffer.of(0), sign("sha256", content, privateKey));
  const certificate = der(SEQUENCE, content, ECDSA_WITH_SHA256, signature);
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString("base64")}\n-----END CERTIFICATE-----\n`,
  };
}

/** A value in DER, from text or from parts that are DER already. */
function der(tag: number, ...parts: (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  return Buffer.concat([Buffer.of(tag, ...lengthOf(content)), content]);
}

/** Chromium accepts only the shortest form. */
function lengthOf({ length }: Buffer): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}
