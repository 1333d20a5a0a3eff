import * as z from 'zod'
import type { Client } from '../../api/contract/clients.ts'
import { EnvironmentCreateRequest, type Environment } from '../../api/contract/environments.ts'
import { shape } from '../../api/contract/shapes.ts'
import { readYaml, type Read } from '../../lib/yaml/yaml-reading.ts'
import { writeDocument } from '../../lib/yaml/yaml-writing.ts'
import { checkDocument } from '../suites/schema-problems.ts'

/** An environment as text: the fields for creating it, with the name of its client. */
const EnvironmentFile = shape(() =>
  EnvironmentCreateRequest()
    .omit({ hostId: true })
    .extend({ client: z.string().min(1) }),
)
export type EnvironmentFile = z.infer<ReturnType<typeof EnvironmentFile>>

const WORDS = {
  name: 'Its name, unique in the project.',
  description: 'What it is for.',
  client: 'The client, by its name: its servers and settings are what a run uses.',
  modelId: 'The id of a model; without it the model of the client is used.',
  serverAttachmentId: 'A group of servers that takes the place of those of the client.',
  skillSelection: 'Pinned skills: {mode: explicit, skillIds: [ID]}.',
  pluginVersionIds: 'Pinned versions of plugins, a list of ids.',
  sandboxImageId: 'The image that sandboxes start from.',
}

/** Converts a stored environment to text. A client without a unique name is given by its id. */
export function environmentFileOf(stored: Environment, clients: readonly Client[]): Partial<EnvironmentFile> {
  const { name, description, hostId, modelId, serverAttachmentId } = stored
  const { skillSelection, pluginVersionIds, sandboxImageId } = stored
  const called = clients.find(({ id }) => id === hostId)?.name
  const isItsAlone = clients.filter(each => each.name === called).length === 1
  const fields = {
    name,
    description,
    client: isItsAlone ? called : hostId,
    modelId,
    serverAttachmentId,
    skillSelection,
    pluginVersionIds,
    sandboxImageId,
  }
  const known = Object.entries(fields).filter(([, value]) => value != null && value !== '')
  return Object.fromEntries(known) as Partial<EnvironmentFile>
}

/** Writes an environment with explained fields. */
export function writeEnvironment(file: Partial<EnvironmentFile>): string {
  return writeDocument({ value: file, words: { '': WORDS }, about: ['An environment; it is checked when you leave.'] })
}

/** Parses an environment. A client that does not exist is reported with its line. */
export function readEnvironment(text: string, clients: readonly Client[]): Read<EnvironmentFile> {
  const read = readYaml(text)
  if (!read.ok) return read
  const [document, second] = read.value
  const wrong = (at: { line: number; column: number }, message: string): Read<never> => ({
    ok: false,
    problems: [{ ...at, message }],
  })
  if (!document) return wrong({ line: 1, column: 1 }, 'There is no environment here.')
  if (second) return wrong(second.at([]), 'An environment is one document; this begins a second one.')
  const checked = checkDocument(document, EnvironmentFile())
  if (!checked.ok || clientIdOf(checked.value.client, clients) !== undefined) return checked
  const isTwice = clients.some(({ name }) => name === checked.value.client)
  const names = clients.map(({ name }) => name).join(', ') || 'none'
  return wrong(
    document.at(['client']),
    isTwice ? 'Several clients have this name; write the id of one.' : `There is no such client. There are: ${names}.`,
  )
}

/** Returns the client that a text names, by its id or by a unique name. */
export function clientIdOf(text: string, clients: readonly Client[]): string | undefined {
  const found = clients.filter(({ id, name }) => id === text || name === text)
  return found.length === 1 ? found[0]!.id : undefined
}

/**
 * Returns the body of a change with only the changed fields. `null` clears a field, and an empty text a description.
 */
export function environmentChange(file: EnvironmentFile, fields: readonly string[], clients: readonly Client[]) {
  const value = (field: string): unknown =>
    (file as Readonly<Record<string, unknown>>)[field] ?? (field === 'description' ? '' : null)
  const own = fields.filter(field => field !== 'client').map(field => [field, value(field)])
  const hostId = fields.includes('client') ? clientIdOf(file.client, clients) : undefined
  return { ...Object.fromEntries(own), ...(hostId !== undefined && { hostId }) } as Record<string, unknown>
}
