/** One line of JSON laid out for reading. */
export type JsonRow = {
  /** Where in the document, as a JSON pointer; the closing line of a value has the value's own. */
  path: string
  depth: number
  /** The line without its indentation. */
  text: string
  /** Whether it can be folded and is; undefined for what has nothing inside. */
  folded?: boolean
}

/** More lines than this are not laid out at once. */
const MOST_ROWS = 200_000
/** A document opens unfolded as far as it stays shorter than this. */
const OPEN_ROWS = 500

type Container = { open: string; close: string; entries: [key: string, value: unknown][]; named: boolean }

function containerOf(value: unknown): Container | undefined {
  if (Array.isArray(value)) {
    const entries = value.map((item, index): [string, unknown] => [String(index), item])
    return { open: '[', close: ']', entries, named: false }
  }
  if (typeof value !== 'object' || value === null) return undefined
  // What JSON leaves out is left out here too.
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  return { open: '{', close: '}', entries, named: true }
}

function pointer(path: string, key: string): string {
  return `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** The lines that show while the values at these paths are folded. */
export function jsonRows(value: unknown, isFolded: (path: string) => boolean): JsonRow[] {
  const rows: JsonRow[] = []
  const add = (item: unknown, at: { path: string; depth: number; name: string; comma: string }): void => {
    if (rows.length >= MOST_ROWS) return
    const { path, depth, name, comma } = at
    const container = containerOf(item)
    if (!container || container.entries.length === 0) {
      const text = container ? container.open + container.close : (JSON.stringify(item) ?? 'null')
      rows.push({ path, depth, text: name + text + comma })
      return
    }
    const { open, close, entries } = container
    if (isFolded(path)) {
      rows.push({ path, depth, text: `${name}${open} ${entries.length} ${close}${comma}`, folded: true })
      return
    }
    rows.push({ path, depth, text: name + open, folded: false })
    for (const [index, [key, child]] of entries.entries())
      add(child, {
        path: pointer(path, key),
        depth: depth + 1,
        name: container.named ? `${JSON.stringify(key)}: ` : '',
        comma: index < entries.length - 1 ? ',' : '',
      })
    rows.push({ path, depth, text: close + comma })
  }
  add(value, { path: '', depth: 0, name: '', comma: '' })
  return rows
}

/** Every value with something inside, outermost first; below `depth` nothing is looked at. */
export function foldable(value: unknown, depth = Infinity): string[] {
  const paths: string[] = []
  let level: [path: string, value: unknown][] = [['', value]]
  for (let at = 0; level.length > 0 && at <= depth && paths.length < MOST_ROWS; at += 1) {
    const next: [string, unknown][] = []
    for (const [path, item] of level) {
      const container = containerOf(item)
      if (!container || container.entries.length === 0) continue
      paths.push(path)
      for (const [key, child] of container.entries) next.push([pointer(path, key), child])
    }
    level = next
  }
  return paths
}

/** How deep a document opens: as deep as it stays short, at least its first level. */
export function openDepth(value: unknown): number {
  let level = [value]
  let rows = 1
  for (let depth = 0; ; depth += 1) {
    const next: unknown[] = []
    for (const item of level) {
      const entries = containerOf(item)?.entries ?? []
      rows += entries.length
      if (rows > OPEN_ROWS) return Math.max(1, depth)
      for (const [, child] of entries) next.push(child)
    }
    if (next.length === 0) return depth + 1
    level = next
  }
}

/** The value at a path; undefined where there is none. */
export function valueAt(value: unknown, path: string): unknown {
  return path
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (item, key) =>
        typeof item === 'object' && item !== null && Object.hasOwn(item, key)
          ? (item as Record<string, unknown>)[key]
          : undefined,
      value,
    )
}
