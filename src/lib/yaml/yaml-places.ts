import { isMap, isNode, isScalar, isSeq, type Node } from 'yaml'

/**
 * Where something is in the text: the value, or the name in front of it; what is missing is where it
 * would be.
 */
export function offsetOf(contents: Node | null, path: readonly PropertyKey[], onKey: boolean): number {
  let node: unknown = contents
  let offset = startOf(node)
  for (const [index, segment] of path.entries()) {
    const pair = isMap(node)
      ? node.items.find(({ key }) => isScalar(key) && String(key.value) === String(segment))
      : undefined
    const next: unknown = pair ? pair.value : isSeq(node) ? node.items[Number(segment)] : undefined
    if (pair) offset = startOf(pair.key) ?? offset
    if (index < path.length - 1 || !onKey) offset = startOf(next) ?? offset
    node = next
  }
  return offset ?? 0
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined
}
