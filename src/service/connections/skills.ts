import { createHash } from 'node:crypto'
import * as z from 'zod'
import type {
  GetSkillResult,
  ReadSkillFileResult,
  SkillCatalog,
  SkillRefusal,
} from '../../api/contract/server-operations.ts'
import { isPlainObject, shape } from '../../api/contract/shapes.ts'
import { fileRefusal, readCatalog, readEntry, SKILLS_EXTENSION, type SkillEntry } from '../../domain/servers/skills.ts'
import type { Deadline } from '../core/deadline.ts'
import { ServiceError } from '../core/errors.ts'
import { LISTINGS, listAll, readResource } from './requests.ts'
import type { Session } from './session.ts'
import type { JsonObject } from './types.ts'

const INVALID_PARAMS = -32602
const METHOD_NOT_FOUND = -32601

const INACTIVE: SkillRefusal = { kind: 'extension_inactive', message: 'The server does not offer skills.' }

const GetResult = shape(() => z.looseObject({ skill: z.unknown().optional() }))

type Support = { active: boolean; directoryRead: boolean }

/** Skills may be requested only if the server announces the extension. */
function supportOf({ initInfo }: Session): Support {
  const { extensions } = initInfo.capabilities
  const settings = isPlainObject(extensions) ? extensions[SKILLS_EXTENSION] : undefined
  return {
    active: isPlainObject(settings),
    directoryRead: isPlainObject(settings) && settings['directoryRead'] === true,
  }
}

/** Reads all pages of the listing, and no file: files are read only when a person asks for one. */
export async function listSkills(session: Session, deadline: Deadline): Promise<SkillCatalog> {
  const support = supportOf(session)
  if (!support.active) return { support, skills: [], duplicateUris: [], rejected: [] }
  return { support, ...readCatalog(await listAll(session, LISTINGS.skills, deadline)) }
}

/** Reads the SKILL.md of a skill, and checks it against the skill's entry. */
export async function getSkill(session: Session, uri: string, deadline: Deadline): Promise<GetSkillResult> {
  const support = supportOf(session)
  const loaded = support.active ? await loadSkill(session, uri, deadline) : INACTIVE
  if (isRefusal(loaded)) return { support, refusal: loaded }
  return { support, skill: { ...loaded.entry, content: loaded.content } }
}

/**
 * Reads one file of a skill. The entry and the SKILL.md are checked again before it, since the entry says which files
 * may be read.
 */
export async function readSkillFile(
  session: Session,
  { skillUri, resourceUri }: { skillUri: string; resourceUri: string },
  deadline: Deadline,
): Promise<ReadSkillFileResult> {
  const support = supportOf(session)
  const loaded = support.active ? await loadSkill(session, skillUri, deadline) : INACTIVE
  if (isRefusal(loaded)) return { support, refusal: loaded }
  const read = await readChecked(session, loaded.entry, resourceUri, deadline)
  if (isRefusal(read)) return { support, refusal: read }
  const { mimeType, text, blob } = read.content
  const content = typeof text === 'string' ? { text } : { blob: blob as string }
  const file = { uri: resourceUri, ...content, digest: read.digest }
  return { support, file: { ...file, ...(typeof mimeType === 'string' && { mimeType }) } }
}

function isRefusal(found: object): found is SkillRefusal {
  return 'kind' in found
}

type Loaded = { entry: SkillEntry; content: string }

async function loadSkill(session: Session, uri: string, deadline: Deadline): Promise<Loaded | SkillRefusal> {
  const entry = await entryOf(session, uri, deadline)
  if (isRefusal(entry)) return entry
  const { unloadable } = entry
  if (unloadable) return { kind: unloadable.reason, message: unloadable.message, skillUri: uri }
  const read = await readChecked(session, entry, uri, deadline)
  if (isRefusal(read)) return read
  const text = textOf(read)
  if (text === undefined) return noText(uri, uri)
  const { readSkillText } = await import('../../domain/servers/skill-text.ts')
  const checked = readSkillText(entry, text)
  return isRefusal(checked) ? checked : { entry, content: checked.content }
}

/** Gets the entry of a skill by `skills/get`, or from the listing of a server that does not answer that request. */
async function entryOf(session: Session, uri: string, deadline: Deadline): Promise<SkillEntry | SkillRefusal> {
  const notFound = { kind: 'not_found', message: 'The server has no skill at this address.', skillUri: uri }
  const given = await requestEntry(session, uri, deadline)
  if (given === 'unknown') return notFound
  if (given !== undefined) {
    const entry = readEntry(given)
    if (entry.skillUri !== uri && entry.skillUri !== '') {
      const message = 'The server answered with the entry of another skill.'
      return { kind: 'identity_mismatch', message, skillUri: uri, expected: uri, actual: entry.skillUri }
    }
    return 'reason' in entry ? { kind: 'invalid_entry', message: entry.reason, skillUri: uri } : entry
  }
  const { skills, rejected } = readCatalog(await listAll(session, LISTINGS.skills, deadline))
  const isIt = ({ skillUri }: { skillUri: string }): boolean => skillUri === uri
  const reason = rejected.find(isIt)?.reason
  if (reason !== undefined) return { kind: 'invalid_entry', message: reason, skillUri: uri }
  return skills.find(isIt) ?? notFound
}

async function requestEntry(session: Session, uri: string, deadline: Deadline): Promise<unknown> {
  try {
    const { skill } = await session.request('skills/get', { uri }, GetResult(), deadline)
    // Servers that have no entries apart from their listing answer with an empty object.
    return skill
  } catch (error) {
    const code = protocolCodeOf(error)
    if (code === INVALID_PARAMS) return 'unknown'
    if (code === METHOD_NOT_FOUND) return undefined
    throw error
  }
}

function protocolCodeOf(error: unknown): unknown {
  const found = error instanceof ServiceError ? error.details?.['protocolError'] : undefined
  return isPlainObject(found) ? found['code'] : undefined
}

type Content = { content: JsonObject; bytes: Buffer; digest: string }

/** Reads one file that the entry lists, and checks its length and its digest. */
async function readChecked(
  session: Session,
  entry: SkillEntry,
  uri: string,
  deadline: Deadline,
): Promise<Content | SkillRefusal> {
  const { skillUri } = entry
  const file = entry.resources.find(each => each.uri === uri)
  if (!file) {
    const message = 'The skill does not list this file.'
    return { kind: 'unlisted_resource', message, skillUri, resourceUri: uri }
  }
  const { contents } = await readResource(session, uri, deadline)
  const content: JsonObject = contents.find(each => each['uri'] === uri) ?? contents[0] ?? {}
  const { text, blob } = content
  const bytes =
    typeof text === 'string' ? Buffer.from(text) : typeof blob === 'string' ? Buffer.from(blob, 'base64') : undefined
  if (!bytes) return noText(skillUri, uri)
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  return fileRefusal(entry, file, { size: bytes.length, digest }) ?? { content, bytes, digest }
}

function noText(skillUri: string, resourceUri: string): SkillRefusal {
  return { kind: 'fetch_failed', message: 'The server returned no text.', skillUri, resourceUri }
}

/** Returns the text of a file; undefined if its bytes are not UTF-8. */
function textOf({ content, bytes }: Content): string | undefined {
  if (typeof content['text'] === 'string') return content['text']
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
