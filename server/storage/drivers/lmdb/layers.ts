import { BTreeEx } from "sorted-btree/extended/index.js";
import { isBefore, merged, type Item, type Stretch } from "./merged.ts";

/** What a log tells at one moment. */
export interface Logged {
  /** The text under a key, null where it was removed, undefined where the tree tells. */
  get(key: string): Item[1] | undefined;
  /** The first key of a stretch, in its direction, that it tells of. */
  first(stretch: Stretch): string | undefined;
  /** What it tells of a stretch of keys, in order or against it. */
  items(stretch: Stretch): Iterable<Item>;
}

/** Items by key, in order. */
export type Layer = BTreeEx<string, Item[1]>;

/** What was logged last, over what was logged before. */
export interface Layers {
  newer: Layer;
  older: Layer;
}

export function newLayer(): Layer {
  return new BTreeEx<string, Item[1]>(undefined, compare);
}

/** What layers tell, as they are when they are asked. */
export function loggedIn(layers: Layers): Logged {
  return {
    get(key) {
      const text = layers.newer.get(key);
      return text === undefined ? layers.older.get(key) : text;
    },
    first(stretch) {
      const [key, other] = [firstOf(layers.newer, stretch), firstOf(layers.older, stretch)];
      if (key === undefined || other === undefined) return key ?? other;
      return isBefore(key, other, stretch) ? key : other;
    },
    items(stretch) {
      const [newer, older] = [within(layers.newer, stretch), within(layers.older, stretch)];
      return layers.older.isEmpty ? newer : merged(newer, older, stretch);
    },
  };
}

function firstOf(layer: Layer, { from, before, reverse = false }: Stretch): string | undefined {
  const key = reverse ? layer.nextLowerKey(before) : layer.getPairOrNextHigher(from)?.[0];
  return key !== undefined && key >= from && key < before ? key : undefined;
}

function* within(layer: Layer, { from, before, reverse = false }: Stretch): Generator<Item> {
  const items = reverse ? layer.entriesReversed(before, undefined, true) : layer.entries(from);
  for (const item of items) {
    if (reverse ? item[0] < from : item[0] >= before) return;
    yield item;
  }
}

function compare(key: string, other: string): number {
  return key < other ? -1 : Number(key > other);
}
