import type { Candidate } from './search.ts'
import type { Line, LineSource } from './source.ts'

/** Bytes from a server: in base64, with the type and name that it states. */
export type BinaryContent = { data: string; mimeType?: string | undefined; name?: string | undefined }

/**
 * A foldable part of a document: a heading with what is below it, a value with its members, a step with its calls. Its
 * content is created on first use, so that a document costs only what is unfolded.
 */
export type OutlineNode = {
  /** Unique in its document and the same whenever it is created: folding and places are stored by it. */
  id: string
  /** Visible even while folded; absent for text without a heading, which is never folded. */
  head?: Line
  /** Replaces `head` while folded, if it differs. */
  foldedHead?: Line
  /** Lines below the head. */
  body?: () => LineSource
  /** Parts below the lines. */
  children?: () => readonly OutlineNode[]
  /** Closes the unfolded part, such as a bracket. */
  tail?: Line
  /** Starts unfolded. */
  open?: boolean
  /** Stays unfolded when everything is folded; otherwise nothing would be visible. */
  keepsOpen?: boolean
  /** Its content is not indented. */
  isFlat?: boolean
  /** Returns the text to copy; by default its own line. */
  copy?: () => string
  /** Returns the value that it shows, for viewing as JSON. */
  raw?: () => unknown
  /** The bytes that it stands for, to be saved or opened; its body may be a picture. */
  file?: BinaryContent
}

/** The nodes that the person folded and unfolded: everything at some time, and single parts since. */
export type Folding = { all: boolean | undefined; except: ReadonlyMap<string, boolean> }

export const AS_GIVEN: Folding = { all: undefined, except: new Map() }

/** The head, the body or the tail of a node, if visible. */
export type Entry = {
  node: OutlineNode
  parent: Entry | undefined
  depth: number
  part: 'head' | 'body' | 'tail'
  lines: LineSource
  /** Whether the node is folded; undefined if it has no content. */
  folded: boolean | undefined
}

/**
 * Maximum number of parts that "unfold everything" unfolds; the others stay folded and can be unfolded individually.
 */
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
  /** Number of visible lines of all entries. */
  count: number
  entries: readonly Entry[]
  /** Returns the entry of a line, and which of the entry's lines it is. */
  at(line: number): { entry: Entry; index: number; offset: number }
  /** Returns the first line of an entry. */
  lineOf(index: number): number
  canFold: boolean
  /** "Unfold everything" reached its limit before everything was unfolded. */
  isCut: boolean
}

type Waiting = { node: OutlineNode; parent: Entry | undefined; depth: number; isTail: boolean }

/** Returns what is visible of a document with this folding. */
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
  // Uses its own stack: values may be nested deeper than functions can call each other.
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

/** Returns the last of the ascending numbers that is not greater than this one. */
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

/** A node and its ancestors, from the inside out. */
export type Trail = { id: string; up: Trail | undefined }

/** A line of a document, even inside folded parts. */
export type Place = { trail: Trail; part: 'head' | 'body'; offset: number }

/** Returns the folding with this node folded or unfolded. */
export function toggled(folding: Folding, id: string, folded: boolean): Folding {
  return { ...folding, except: new Map(folding.except).set(id, folded) }
}

/** Returns the folding with every ancestor of the place unfolded, so that it is visible. */
export function revealed(folding: Folding, { trail, part }: Place): Folding {
  const except = new Map(folding.except)
  for (let at = part === 'head' ? trail.up : trail; at; at = at.up) except.set(at.id, true)
  return { ...folding, except }
}

/** Returns the current line of a place; undefined if it is not visible. */
export function lineAt(shown: Outline, { trail, part, offset }: Place): number | undefined {
  const index = shown.entries.findIndex(entry => entry.node.id === trail.id && entry.part === part)
  return index === -1 ? undefined : shown.lineOf(index) + offset
}

/** Yields every line of a document, including folded ones; `here` marks the current one. */
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
