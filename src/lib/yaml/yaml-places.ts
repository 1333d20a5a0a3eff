import { isMap, isNode, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml'

/**
 * Returns the offset of a part of the text: of its value or its name. For a missing field, it is where the field would
 * be.
 */
export function offsetOf(contents: Node | null, path: readonly PropertyKey[], onKey: boolean): number {
  let node: unknown = contents
  let offset = startOf(node)
  for (const [index, segment] of path.entries()) {
    const pair = isMap(node) ? pairsOf(node).get(String(segment)) : undefined
    const next: unknown = pair ? pair.value : isSeq(node) ? node.items[Number(segment)] : undefined
    if (pair) offset = startOf(pair.key) ?? offset
    if (index < path.length - 1 || !onKey) offset = startOf(next) ?? offset
    node = next
  }
  return offset ?? 0
}

/** Pairs by name, built once for each block, because a thousand faults may look them up. */
const pairsOfMaps = new WeakMap<YAMLMap, Map<string, Pair>>()

function pairsOf(map: YAMLMap): Map<string, Pair> {
  let pairs = pairsOfMaps.get(map)
  if (!pairs) {
    // Of duplicate keys the first one counts.
    pairs = new Map(
      map.items.toReversed().flatMap(pair => (isScalar(pair.key) ? [[String(pair.key.value), pair]] : [])),
    )
    pairsOfMaps.set(map, pairs)
  }
  return pairs
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined
}
