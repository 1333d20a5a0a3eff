import type { Candidate } from './search.ts'
import type { Line, LineSource } from './source.ts'

/** Bytes as a server gave them: in base64, with the type and the name that it says they have. */
export type BinaryContent = { data: string; mimeType?: string | undefined; name?: string | undefined }

/**
 * A part of a document that can be folded: a heading with what is below it, a value with what is in it, a step with its
 * calls. Its inside is made when it is first looked at, so that a document costs what is unfolded.
 */
export type OutlineNode = {
  /** Unique in its document and the same whenever it is made: folding and places are remembered by it. */
  id: string
  /** Shows also while it is folded; absent for text that stands by itself and is never folded. */
  head?: Line
  /** What `head` says while it is folded, where that is something else. */
  foldedHead?: Line
  /** Lines below the head. */
  body?: () => LineSource
  /** Parts below the lines. */
  children?: () => readonly OutlineNode[]
  /** Closes what was unfolded, such as a bracket. */
  tail?: Line
  /** Starts unfolded. */
  open?: boolean
  /** Stays unfolded when everything is folded: else nothing would be left to look at. */
  keepsOpen?: boolean
  /** Its inside stands as far left as itself. */
  isFlat?: boolean
  /** What is copied of it; absent = its own line. */
  copy?: () => string
  /** The value that it shows, for looking at it as JSON. */
  raw?: () => unknown
  /** The bytes that it stands for, to be saved or opened; its body may be a picture. */
  file?: BinaryContent
}

/** What a person folded and unfolded: everything at some time, and single parts since. */
export type Folding = { all: boolean | undefined; except: ReadonlyMap<string, boolean> }

export const AS_GIVEN: Folding = { all: undefined, except: new Map() }

/** The head, the body or the tail of a node, where it shows. */
export type Entry = {
  node: OutlineNode
  parent: Entry | undefined
  depth: number
  part: 'head' | 'body' | 'tail'
  lines: LineSource
  /** Whether it can be folded and is; undefined for what has nothing inside. */
  folded: boolean | undefined
}

/** Maximum number of parts that unfolding everything unfolds; the rest can be unfolded one by one. */
export const MOST_UNFOLDED = 100_000

const insides = new WeakMap<OutlineNode, { body: LineSource | undefined; children: readonly OutlineNode[] }>()

function insideOf(node: OutlineNode): { body: LineSource | undefined; children: readonly OutlineNode[] } {
  const known = insides.get(node)
  if (known) return known
  const inside = { body: node.body?.(), children: node.children?.() ?? [] }
  insides.set(node, inside)
  return inside
}

function one(line: Line): LineSource {
  return { count: 1, at: () => line }
}

export type Outline = {
  /** Lines that show, over all entries. */
  count: number
  entries: readonly Entry[]
  /** The entry that a line belongs to, and which of the entry's lines it is. */
  at(line: number): { entry: Entry; index: number; offset: number }
  /** The first line of an entry. */
  lineOf(index: number): number
  canFold: boolean
  /** Unfolding everything came to its end before everything was unfolded. */
  isCut: boolean
}

type Waiting = { node: OutlineNode; parent: Entry | undefined; depth: number; isTail: boolean }

/** What shows of a document under this folding. */
export function outline(roots: readonly OutlineNode[], folding: Folding): Outline {
  const entries: Entry[] = []
  const starts: number[] = []
  let count = 0
  let isCut = false
  let canFold = false
  const push = (entry: Entry): Entry => {
    entries.push(entry)
    starts.push(count)
    count += entry.lines.count
    return entry
  }
  const isOpen = (node: OutlineNode): boolean => {
    const own = folding.except.get(node.id)
    if (own !== undefined) return own
    if (folding.all === undefined) return node.open ?? false
    if (!folding.all || entries.length < MOST_UNFOLDED) return folding.all || (node.keepsOpen ?? false)
    isCut = true
    return node.keepsOpen ?? false
  }
  // A stack of its own: values may be nested deeper than functions can call each other.
  const waiting: Waiting[] = roots.toReversed().map(node => ({ node, parent: undefined, depth: 0, isTail: false }))
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, parent, depth } = next
    const { head, tail } = node
    if (next.isTail) {
      push({ node, parent, depth, part: 'tail', lines: one(tail!), folded: undefined })
      continue
    }
    const hasInside = head !== undefined && (node.body ?? node.children) !== undefined
    canFold ||= hasInside
    const open = !hasInside || isOpen(node)
    const line = open ? head : (node.foldedHead ?? head)
    const folded = hasInside ? !open : undefined
    const around = line === undefined ? parent : push({ node, parent, depth, part: 'head', lines: one(line), folded })
    if (!open) continue
    const inner = head === undefined || node.isFlat ? depth : depth + 1
    const { body, children } = insideOf(node)
    if (body && body.count > 0)
      push({ node, parent: around, depth: inner, part: 'body', lines: body, folded: undefined })
    if (tail !== undefined) waiting.push({ node, parent: around, depth, isTail: true })
    for (let index = children.length - 1; index >= 0; index -= 1)
      waiting.push({ node: children[index]!, parent: around, depth: inner, isTail: false })
  }
  return {
    count,
    entries,
    canFold,
    isCut,
    lineOf: index => starts[index] ?? 0,
    at(line) {
      const index = lastAtMost(starts, line)
      return { entry: entries[index]!, index, offset: line - (starts[index] ?? 0) }
    },
  }
}

/** The last of the ascending numbers that is not above this one. */
function lastAtMost(numbers: readonly number[], most: number): number {
  let low = 0
  let high = numbers.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (numbers[middle]! <= most) low = middle
    else high = middle - 1
  }
  return low
}

/** A node and those around it, from the inside out. */
export type Trail = { id: string; up: Trail | undefined }

/** A line of a document wherever it is folded away. */
export type Place = { trail: Trail; part: 'head' | 'body'; offset: number }

/** The same with this node folded, or unfolded where it was. */
export function toggled(folding: Folding, id: string, folded: boolean): Folding {
  return { ...folding, except: new Map(folding.except).set(id, folded) }
}

/** The same with everything around the place unfolded, so that it shows. */
export function revealed(folding: Folding, { trail, part }: Place): Folding {
  const except = new Map(folding.except)
  for (let at = part === 'head' ? trail.up : trail; at; at = at.up) except.set(at.id, true)
  return { ...folding, except }
}

/** The line that a place has now; undefined if it does not show. */
export function lineAt(shown: Outline, { trail, part, offset }: Place): number | undefined {
  const index = shown.entries.findIndex(entry => entry.node.id === trail.id && entry.part === part)
  return index === -1 ? undefined : shown.lineOf(index) + offset
}

/** Every line of a document, also those that are folded away; `here` marks where one is. */
export function* outlineCandidates(
  roots: readonly OutlineNode[],
  here: { id: string; part: Entry['part']; offset: number } | undefined,
): Iterable<Candidate<Place>> {
  const waiting: { node: OutlineNode; trail: Trail }[] = []
  const push = (nodes: readonly OutlineNode[], up: Trail | undefined): void => {
    for (let index = nodes.length - 1; index >= 0; index -= 1)
      waiting.push({ node: nodes[index]!, trail: { id: nodes[index]!.id, up } })
  }
  push(roots, undefined)
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, trail } = next
    const isAt = (part: Place['part'], offset: number): boolean =>
      here?.id === node.id && (here.part === part || here.part === 'tail') && here.offset === offset
    if (node.head !== undefined)
      yield { place: { trail, part: 'head', offset: 0 }, line: node.head, isHere: isAt('head', 0) }
    const body = node.body?.()
    for (let offset = 0; offset < (body?.count ?? 0); offset += 1) {
      const line = body!.at(offset)
      yield { place: { trail, part: 'body', offset }, line, isHere: isAt('body', offset) }
    }
    push(node.children?.() ?? [], trail)
  }
}
