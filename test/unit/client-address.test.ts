import { describe, expect, it } from "vitest";
import { clientAddress, networkOf, siteOf } from "../../server/http/client-address.ts";
import { readWith } from "../support/event.ts";

const SOCKET = "192.0.2.9";

/** The address that is read for a connection from `socket`. */
const read = (hops: number, forwarded: string | null, socket: string | undefined = SOCKET) =>
  readWith(
    (event) => {
      Object.assign(event.req, { runtime: { node: { req: { socket: { remoteAddress: socket } } } } });
      return clientAddress(event, hops);
    },
    { headers: forwarded === null ? {} : { "x-forwarded-for": forwarded } },
  );

describe("the client's address", () => {
  it.each([
    ["192.0.2.9", "192.0.2.9"],
    ["::ffff:192.0.2.9", "192.0.2.9"],
    ["::FFFF:192.0.2.9", "192.0.2.9"],
    ["2001:DB8::1", "2001:db8::1"],
    ["fe80::1%eth0", "fe80::1"],
    ["", null],
  ])("of a connection from %j is %j, whatever the header says", async (socket, address) => {
    expect(await read(0, "203.0.113.1", socket)).toBe(address);
  });

  it("is that of a real connection", async () => {
    expect(await readWith((event) => clientAddress(event, 0), { way: "over a socket" })).toBe("127.0.0.1");
  });

  it("is unknown for a request without a connection", async () => {
    expect(await readWith((event) => clientAddress(event, 0), {})).toBe(null);
  });

  it.each([
    ["the last of the list behind one proxy", 1, "203.0.113.1, 203.0.113.2", "203.0.113.2"],
    ["the last but one behind two", 2, "203.0.113.1,203.0.113.2 ,203.0.113.3", "203.0.113.2"],
    ["the first of a list as long as the proxies", 2, "203.0.113.1, 203.0.113.2", "203.0.113.1"],
    ["the socket's where the list is shorter than the proxies", 3, "203.0.113.1, 203.0.113.2", SOCKET],
    ["the socket's where there is no list", 1, null, SOCKET],
    ["the socket's where the list is empty", 1, "", SOCKET],
    ["the socket's where the entry is no address", 1, "203.0.113.1, unknown", SOCKET],
    ["the socket's where the entry is no possible address", 1, "203.0.113.256", SOCKET],
    ["without the port of IPv4", 1, "203.0.113.1:4711", "203.0.113.1"],
    ["without the brackets and the port of IPv6", 1, "[2001:DB8::1]:4711", "2001:db8::1"],
    ["without the brackets of IPv6", 1, "[2001:db8::1]", "2001:db8::1"],
    ["without the zone of IPv6", 1, "fe80::1%eth0", "fe80::1"],
    ["IPv4 where it is within IPv6", 1, "::ffff:203.0.113.1", "203.0.113.1"],
  ])("is %s", async (_, hops, forwarded, address) => {
    expect(await read(hops, forwarded)).toBe(address);
  });
});

describe("the network of an address, which limits count by", () => {
  it.each([
    ["192.0.2.9", "192.0.2.9"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8:0:0:1::", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["1::2:3:4:5:6:7", "1:0:2:3::/64"],
    [null, "unknown"],
  ])("of %j is %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it.each([
    ["192.0.2.9", "192.0.2.9"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"],
    ["2001:db8::1", "2001:db8:0::/48"],
    [null, "unknown"],
  ])("is part of a site: %j of %s", (address, site) => {
    expect(siteOf(address)).toBe(site);
  });
});
