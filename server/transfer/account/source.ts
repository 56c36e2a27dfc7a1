import { accounts, type Account } from "../../domain/account/account.ts";
import { Failure } from "../../failure.ts";
import type { Source } from "../fill.ts";
import type { Item, Items } from "../item.ts";
import { isShared, newOwnership } from "./owned-items.ts";

/** Leaves only some accounts of a source. @throws Failure `not_found` if it lacks one of them */
export async function sourceOf(source: Source, publicIds: readonly string[]): Promise<Source> {
  const accountIds = await accountIdsIn(source.items(), publicIds);
  return {
    ...source,
    id: `${source.id} ${accountIds.join(" ")}`,
    count: null,
    items: () => only(source.items, newOwnership(accountIds)),
    shared: () => only(source.items, isShared),
  };
}

/** The numbers of accounts. */
async function accountIdsIn(items: AsyncIterable<Item[]>, publicIds: readonly string[]): Promise<number[]> {
  const found = new Map<string, number>();
  // Their records come first in every source.
  for await (const chunk of items) {
    const own = chunk.filter(({ collection }) => collection === accounts.name);
    for (const { text } of own) {
      const { publicId, id } = JSON.parse(text) as Account;
      found.set(publicId, id);
    }
    if (own.length < chunk.length) break;
  }
  const ids = publicIds.map((publicId) => {
    const id = found.get(publicId);
    if (id === undefined) throw new Failure("not_found", `Account ${publicId} was not found`);
    return id;
  });
  return ids.sort((one, other) => one - other);
}

async function* only(items: Items, isWanted: (item: Item) => boolean): AsyncGenerator<Item[]> {
  for await (const chunk of items()) yield chunk.filter(isWanted);
}
