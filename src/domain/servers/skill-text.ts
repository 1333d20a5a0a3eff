import type { SkillRefusal } from '../../api/contract/server-operations.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { formatCount } from '../../lib/format.ts'
import { isPlainObject, type JsonObject } from '../../lib/json.ts'
import { readYaml } from '../../lib/yaml/yaml-reading.ts'
import { isSameJson } from '../json/same-json.ts'
import { quoted, type SkillEntry } from './skills.ts'

const OPENING = /^\uFEFF?---[ \t]*\r?\n/
const CLOSING = /(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/

/** Returns the text below the front matter of a SKILL.md, or why the front matter is not that of the entry. */
export function readSkillText(entry: SkillEntry, text: string): { content: string } | SkillRefusal {
  const { skillUri } = entry
  const refused = (message: string, field?: string): SkillRefusal => ({
    kind: 'frontmatter_drift',
    message,
    skillUri,
    resourceUri: skillUri,
    ...(field !== undefined && { field }),
  })
  const opening = OPENING.exec(text)?.[0]
  const rest = text.slice(opening?.length)
  const closing = opening === undefined ? null : CLOSING.exec(rest)
  if (!closing) return refused('Its SKILL.md has no front matter.')
  const front = rest.slice(0, closing.index)
  if (front.length > BOUNDS.skillFrontMatter.most)
    return refused(`Its front matter is longer than ${formatCount(BOUNDS.skillFrontMatter.most)} characters.`)
  const read = readYaml(front, { keepsLong: true })
  if (!read.ok) return refused(`Its front matter cannot be read: ${read.problems[0]?.message ?? ''}`)
  const [document, ...others] = read.value
  if (!isPlainObject(document?.value) || others.length > 0) return refused('Its front matter is not a list of fields.')
  const found = document.value
  const names = new Set([...Object.keys(entry.frontmatter), ...Object.keys(found)])
  const field = [...names].find(name => !isSameField(name, entry.frontmatter, found))
  if (field === undefined) return { content: rest.slice(closing.index + closing[0].length) }
  return refused(`Its front matter has another ${quoted(field)} than its entry.`, field)
}

function isSameField(name: string, one: JsonObject, other: JsonObject): boolean {
  return Object.hasOwn(one, name) && Object.hasOwn(other, name) && isSameJson(one[name], other[name])
}
