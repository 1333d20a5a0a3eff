/** Returns the first item of each name, up to a limit, and the number of other names. */
export function firstOfEach<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  most: number,
): { first: readonly Item[]; left: number } {
  const byName = new Map<string, Item>()
  for (const item of items) {
    const name = nameOf(item)
    if (!byName.has(name)) byName.set(name, item)
  }
  return { first: [...byName.values()].slice(0, most), left: Math.max(0, byName.size - most) }
}
