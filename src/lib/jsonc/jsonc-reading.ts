import { parseTree, printParseErrorCode, visit, type Node, type ParseError } from 'jsonc-parser'
import { BOUNDS } from '../bounds.ts'
import { createPlaces, type TextPlace } from '../text-place.ts'
import type { Read, TextProblem } from '../yaml/yaml-reading.ts'

type Path = readonly PropertyKey[]

/** JSON with comments: its value, the position of each part, and the duplicate names in its objects. */
export type JsoncDocument = {
  value: unknown
  /** Position of a value or of its name. For a missing field, it is the position of its object. */
  at: (path: Path, onKey?: boolean) => TextPlace
  /** Duplicate names of an object. `value` contains only the value of the last one. */
  twins: readonly { path: readonly string[]; place: TextPlace }[]
}

const MAX_DEPTH = BOUNDS.editedLevels.most
const MAX_PROBLEMS = 20
/** The format that editors use for settings. */
const OPTIONS = { allowTrailingComma: true }

class TooDeep extends Error {
  readonly offset: number
  constructor(offset: number) {
    super('too deep')
    this.offset = offset
  }
}

/** Parses JSON with comments and trailing commas. Every error is reported with its line. */
export function readJsonc(text: string): Read<JsoncDocument> {
  const placeAt = createPlaces(text)
  const problemAt = (offset: number, message: string): TextProblem => ({ ...placeAt(offset), message })
  const deep = depthProblem(text)
  if (deep !== undefined)
    return { ok: false, problems: [problemAt(deep, `This is nested deeper than ${MAX_DEPTH} levels.`)] }
  const errors: ParseError[] = []
  const root = parseTree(text, errors, OPTIONS)
  if (errors.length > 0 || !root) {
    const found = errors.slice(0, MAX_PROBLEMS).map(({ error, offset }) => problemAt(offset, parserWords(error)))
    return { ok: false, problems: found.length > 0 ? found : [problemAt(0, 'This is empty.')] }
  }
  const twins: { path: readonly string[]; place: TextPlace }[] = []
  const value = valueOf(root, [], (path, offset) => {
    if (twins.length < MAX_PROBLEMS) twins.push({ path, place: placeAt(offset) })
  })
  return { ok: true, value: { value, twins, at: (path, onKey) => placeAt(offsetOf(root, path, onKey)) } }
}

function parserWords(code: ParseError['error']): string {
  const words = printParseErrorCode(code).replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
  return `This cannot be read as JSON: ${words.toLowerCase()}.`
}

/** Returns the offset where objects and lists are nested too deeply. The parser's stack would overflow there. */
function depthProblem(text: string): number | undefined {
  let depth = 0
  const begin = (offset: number): void => {
    depth += 1
    if (depth > MAX_DEPTH) throw new TooDeep(offset)
  }
  const end = (): void => void (depth -= 1)
  try {
    visit(text, { onObjectBegin: begin, onArrayBegin: begin, onObjectEnd: end, onArrayEnd: end }, OPTIONS)
    return undefined
  } catch (error) {
    if (error instanceof TooDeep) return error.offset
    throw error
  }
}

function valueOf(
  node: Node,
  path: readonly string[],
  hears: (path: readonly string[], offset: number) => void,
): unknown {
  const { type, children = [] } = node
  if (type === 'array') return children.map((child, index) => valueOf(child, [...path, String(index)], hears))
  if (type !== 'object') return node.value as unknown
  const seen = new Set<string>()
  const entries = children.flatMap(({ children: [key, value] = [] }) => {
    if (!key || !value) return []
    const name = String(key.value)
    const own = [...path, name]
    if (seen.has(name)) hears(own, key.offset)
    seen.add(name)
    return [[name, valueOf(value, own, hears)] as const]
  })
  return Object.fromEntries(entries)
}

function offsetOf(root: Node, path: Path, onKey = false): number {
  let node: Node | undefined = root
  let { offset } = root
  for (const [index, segment] of path.entries()) {
    const children: readonly Node[] = node?.children ?? []
    const property: Node | undefined =
      node?.type === 'object' ? children.findLast(child => child.children?.[0]?.value === String(segment)) : undefined
    const next: Node | undefined = property ? property.children?.[1] : children[Number(segment)]
    const isKey = onKey && index === path.length - 1
    offset = (isKey ? property?.children?.[0] : next)?.offset ?? offset
    node = next
  }
  return offset
}
