import type { SkillRefusal } from '../../api/contract/server-operations.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { formatCount, plural } from '../../lib/format.ts'
import { isPlainObject, type JsonObject } from '../../lib/json.ts'

/** Identifier of the skills extension of MCP (SEP-2640), which this file follows. */
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills'

/** The entry of a skill that follows the rules: what its files are checked against. */
export type SkillEntry = {
  skillUri: string
  name: string
  description: string
  frontmatter: JsonObject
  resources: { uri: string; digest: string; size: number }[]
  unloadable?: { reason: string; message: string }
}

/** An entry that breaks a rule. The skill must not be read. */
type Rejected = { skillUri: string; reason: string }

const MAIN_FILE = '/SKILL.md'
/** Names of the Agent Skills specification: up to 64 of these characters, no hyphen at an end or beside another. */
const NAME = /^(?!.*--)[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/
const DIGEST = /^sha256:[0-9a-f]{64}$/
/** A segment that the server may resolve to a place outside of the skill. */
const DOTS = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i
/** Longest part of a text from outside that a message repeats. */
const MOST_REPEATED = 200

/** Returns a text from outside, cut where it is long. */
export function cut(text: string): string {
  return text.length > MOST_REPEATED ? `${text.slice(0, MOST_REPEATED)}…` : text
}

export function quoted(text: string): string {
  return `"${cut(text)}"`
}

/** Returns the address of the skill's folder, without a slash at its end. */
function folderOf(skillUri: string): string {
  return skillUri.slice(0, -MAIN_FILE.length)
}

/** Returns the name that the address of a skill ends with; the whole address if it is not one of a skill. */
export function skillNameOf(skillUri: string): string {
  return skillUri.endsWith(MAIN_FILE) ? folderOf(skillUri).split('/').at(-1)! : skillUri
}

/** Returns the address of a file by its path in the skill's folder; an address stays as it is. */
export function skillFileUri(skillUri: string, path: string): string {
  return path.includes('://') ? path : `${folderOf(skillUri)}/${path}`
}

/** Returns the path of a file in the skill's folder. */
export function skillFilePath(skillUri: string, uri: string): string {
  const folder = `${folderOf(skillUri)}/`
  return uri.startsWith(folder) ? uri.slice(folder.length) : uri
}

/** Reads an entry of `skills/list` or `skills/get`, or says which rule it breaks. */
export function readEntry(given: unknown): SkillEntry | Rejected {
  if (!isPlainObject(given) || typeof given['uri'] !== 'string')
    return { skillUri: '', reason: 'The entry has no address.' }
  const { uri: skillUri, frontmatter, resources } = given as JsonObject & { uri: string }
  const rejected = (reason: string): Rejected => ({ skillUri, reason })
  if (!skillUri.endsWith(MAIN_FILE)) return rejected('Its address does not end in /SKILL.md.')
  if (!isPlainObject(frontmatter)) return rejected('Its entry has no front matter.')
  const { name, description } = frontmatter
  if (typeof name !== 'string') return rejected('It has no name.')
  if (!NAME.test(name)) return rejected(`${quoted(name)} is not a name of a skill.`)
  if (name !== skillNameOf(skillUri))
    return rejected(`It is named ${quoted(name)}, but its address ends in ${quoted(skillNameOf(skillUri))}.`)
  if (typeof description !== 'string' || description.trim() === '') return rejected('It has no description.')
  const entry = { skillUri, name, description, frontmatter, resources: [] }
  if (resources === 'dynamic') {
    const message = 'Its content is made on demand, so that nothing can be checked.'
    return { ...entry, unloadable: { reason: 'no_resources', message } }
  }
  if (!Array.isArray(resources)) return rejected('Its entry does not list its files.')
  const excess = excessOf(resources)
  if (excess !== undefined) return { ...entry, unloadable: { reason: 'too_large', message: excess } }
  const reason = faultOf(skillUri, resources)
  return reason === undefined ? { ...entry, resources: resources as SkillEntry['resources'] } : rejected(reason)
}

/** Returns what a skill has too much of, before anything of it is read. */
function excessOf(files: readonly unknown[]): string | undefined {
  const { skillFiles, skillBytes } = BOUNDS
  if (files.length > skillFiles.most)
    return `It has ${plural(files.length, 'file')}; at most ${formatCount(skillFiles.most)} are supported.`
  const sizes = files.map(file => (isPlainObject(file) && typeof file['size'] === 'number' ? file['size'] : 0))
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  if (bytes <= skillBytes.most) return undefined
  return `Its files have ${plural(bytes, 'byte')}; at most ${formatCount(skillBytes.most)} are supported.`
}

/** Returns which rule the list of a skill's files breaks. */
function faultOf(skillUri: string, files: readonly unknown[]): string | undefined {
  const folder = `${folderOf(skillUri)}/`
  const seen = new Set<string>()
  for (const file of files) {
    const { uri, digest, size } = isPlainObject(file) ? file : {}
    if (typeof uri !== 'string') return 'One of its files has no address.'
    if (seen.has(uri)) return `It lists ${quoted(uri)} twice.`
    seen.add(uri)
    if (!uri.startsWith(folder) || DOTS.test(uri.slice(folder.length)))
      return `It lists ${quoted(uri)}, which is not in its folder.`
    if (typeof digest !== 'string' || !DIGEST.test(digest)) return `The digest of ${quoted(uri)} is not SHA-256.`
    if (!Number.isSafeInteger(size) || (size as number) < 0)
      return `The size of ${quoted(uri)} is not a number of bytes.`
  }
  return seen.has(skillUri) ? undefined : 'It does not list its SKILL.md.'
}

/** Reads all entries of `skills/list`. Entries with the same address contradict each other, so none of them is used. */
export function readCatalog(given: readonly unknown[]): {
  skills: SkillEntry[]
  duplicateUris: string[]
  rejected: Rejected[]
} {
  const entries = given.map(readEntry)
  const counts = new Map<string, number>()
  for (const { skillUri } of entries) counts.set(skillUri, (counts.get(skillUri) ?? 0) + 1)
  const isTwice = ({ skillUri }: { skillUri: string }): boolean => skillUri !== '' && counts.get(skillUri)! > 1
  const duplicateUris = [...new Set(entries.filter(isTwice).map(({ skillUri }) => skillUri))]
  return {
    skills: entries.filter((entry): entry is SkillEntry => !('reason' in entry) && !isTwice(entry)),
    duplicateUris,
    rejected: [
      ...entries.filter((entry): entry is Rejected => 'reason' in entry && !isTwice(entry)),
      ...duplicateUris.map(skillUri => ({ skillUri, reason: 'It is listed more than once.' })),
    ],
  }
}

/** Returns why a file is not what the entry says, by its length in bytes and its digest. */
export function fileRefusal(
  { skillUri }: SkillEntry,
  file: SkillEntry['resources'][number],
  found: { size: number; digest: string },
): SkillRefusal | undefined {
  const at = { skillUri, resourceUri: file.uri }
  const path = quoted(skillFilePath(skillUri, file.uri))
  if (found.size !== file.size) {
    const message = `${path} has ${plural(found.size, 'byte')}, but its entry says ${formatCount(file.size)}.`
    return { kind: 'size_mismatch', message, ...at, expected: String(file.size), actual: String(found.size) }
  }
  if (found.digest === file.digest) return undefined
  const message = `${path} does not have the digest of its entry.`
  return { kind: 'digest_mismatch', message, ...at, expected: file.digest, actual: found.digest }
}

/** Refusals that say that a skill is not what its server says it is. After others, it was not checked. */
const FAILED_CHECKS = new Set([
  'digest_mismatch',
  'size_mismatch',
  'frontmatter_drift',
  'identity_mismatch',
  'invalid_entry',
])

/** Whether a check of the skill failed, so that it must not be used. */
export function isFailedCheck({ kind }: SkillRefusal): boolean {
  return FAILED_CHECKS.has(kind)
}
