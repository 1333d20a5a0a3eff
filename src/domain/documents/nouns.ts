import * as z from 'zod'
import { ClientCreateRequest } from '../../api/contract/clients.ts'
import { EnvironmentCreateRequest } from '../../api/contract/environments.ts'
import { JourneyCreateRequest } from '../../api/contract/journeys.ts'
import { PersonaCreateRequest } from '../../api/contract/personas.ts'
import { ProjectServerCreateRequest } from '../../api/contract/servers.ts'
import { exactlyOne, needs, openObject, shape, strictBody, type Shape } from '../../api/contract/shapes.ts'
import { SwarmCreateRequest } from '../../api/contract/swarms.ts'

/** The nouns that a file can describe, each after everything that it can refer to. */
export const DOCUMENT_NOUNS = ['server', 'client', 'environment', 'suite', 'persona', 'swarm', 'journey'] as const
export type DocumentNoun = (typeof DOCUMENT_NOUNS)[number]
/** Nouns whose fields are sent unchanged, except for references. */
export type PlainNoun = Exclude<DocumentNoun, 'suite' | 'client'>

/** A record as a person writes it: the contract's fields for writing, with names in place of ids. */
export type Form = Record<string, unknown>

/** One field of a document. */
export type Field = {
  says: string
  /** Name in requests, for fields that have a name instead of an id. */
  wire?: string
  refers?: DocumentNoun
  /** Reads the field from a record, if its name there is not the one in requests. */
  read?: (record: Record<string, unknown>) => unknown
  /** The value that an edit sends if a document leaves the field out. Absent if the contract cannot clear the field. */
  clear?: unknown
  /** Set if the service accepts the field but never returns it. */
  unreturned?: true
  /** Set if the field cannot be edited. */
  fixed?: true
}
export type Fields = Readonly<Record<string, Field>>

const named = shape(() => z.string().min(1).regex(/\S/))
const names = shape(() => z.array(named()).min(1))

const unreturned = (says: string): Field => ({ says: `${says} The service never returns it.`, unreturned: true })

const server: Fields = {
  name: { says: 'Name of the server in the project.' },
  enabled: { says: 'Whether it can be used.' },
  transportType: { says: 'stdio (a command on this machine) or http.' },
  command: unreturned('Program of a stdio server.'),
  args: unreturned('Its arguments: a list, or one text that is split as a shell would.'),
  env: unreturned('Its environment, such as {TOKEN: "${TOKEN}"}.'),
  url: { says: 'Address of an http server.' },
  headers: unreturned('Headers of every request, such as {Authorization: "Bearer ${TOKEN}"}.'),
  timeout: unreturned('Longest wait for an answer, in milliseconds.'),
  useOAuth: { says: 'Whether it needs an OAuth grant.', clear: false },
  oauthScopes: { says: 'Scopes to ask for.', clear: [] },
  clientId: unreturned('OAuth client that is registered there.'),
  clientSecret: unreturned('Its secret.'),
}

const avatar = (part: string) => (record: Record<string, unknown>) =>
  (record['avatar'] as Record<string, unknown> | null | undefined)?.[part]

const fanOut: Fields = {
  sessionsPerTarget: { says: 'Sessions for each target, 1 to 100.' },
  maxTurns: { says: 'Most turns of a session, 1 to 200.' },
}
const environments: Field = {
  says: 'Environments to fan out over, by name.',
  wire: 'environmentIds',
  refers: 'environment',
  clear: null,
}
const serverAttachmentId: Field = { says: 'Server group, by id.', clear: null }

/** The fields of each noun, in order. */
export const FIELDS: Readonly<Record<PlainNoun, Fields>> = {
  server,
  environment: {
    name: { says: 'Name of the environment in the project.' },
    description: { says: 'What it is for.', clear: '' },
    client: { says: 'Client that it runs as, by name.', wire: 'hostId', refers: 'client' },
    serverAttachmentId,
    modelId: { says: 'Model, where it is not the client’s.', clear: null },
    skillSelection: { says: 'Pinned skills, {mode: explicit, skillIds}.', clear: null },
    pluginVersionIds: { says: 'Pinned versions of plugins, by id.', clear: null },
    sandboxImageId: { says: 'Sandbox image, by id.', clear: null },
  },
  persona: {
    name: { says: 'Name of the persona.' },
    role: { says: 'Who it is, in a few words.' },
    notes: { says: 'How it behaves and what it knows.', clear: '' },
    avatarShape: { says: 'Number of its picture.', read: avatar('shape') },
    avatarPalette: { says: 'Number of its colours.', read: avatar('palette') },
  },
  swarm: {
    name: { says: 'Name of the swarm.' },
    description: { says: 'What it is for.', clear: null },
    environments,
    ...fanOut,
  },
  journey: {
    name: { says: 'Name of the journey.' },
    goal: { says: 'What the persona wants to get done.' },
    persona: { says: 'Who does it, by name.', wire: 'personaId', refers: 'persona', fixed: true },
    swarm: { says: 'Swarm that it belongs to, by name.', wire: 'swarmId', refers: 'swarm', fixed: true },
    environments,
    serverAttachmentId,
    clients: {
      ...unreturned('Clients to run as where there are no environments, by name.'),
      wire: 'hostIds',
      refers: 'client',
    },
    ...fanOut,
  },
}

/** Explanations of a client's fields. Its configuration has no fixed fields. */
export const CLIENT_FIELDS: Fields = {
  name: { says: 'Name of the client in the project.' },
  template: { says: 'A built-in template to make it from, in place of a config.' },
  theme: { says: 'light or dark; of a template.' },
  servers: { says: 'Servers that it connects to, by name.', wire: 'serverIds', refers: 'server' },
  optionalServers: { says: 'Servers that need not connect.', wire: 'optionalServerIds', refers: 'server' },
  config: { says: 'The rest of its configuration, with modelId.' },
}

export const ClientForm = shape(() => {
  const { template, theme } = ClientCreateRequest().shape
  const config = openObject()
    .refine(fields => Object.keys(fields).length > 0, { error: 'must not be empty' })
    .refine(fields => !('serverIds' in fields || 'optionalServerIds' in fields), {
      error: 'servers and optionalServers stand beside the config, by name',
    })
  const servers = z.array(named()).optional()
  return strictBody({ name: named(), template, theme, servers, optionalServers: servers, config: config.optional() })
    .refine(...exactlyOne('template', 'config'))
    .refine(...needs('theme', 'template'))
})

/** The fields that a document of each noun accepts. */
export const FORMS: Readonly<Record<PlainNoun, Shape>> = {
  server: shape(() =>
    ProjectServerCreateRequest().extend({ args: z.union([z.array(z.string()), z.string()]).optional() }),
  ),
  environment: shape(() =>
    EnvironmentCreateRequest().omit({ hostId: true }).extend({ name: named(), client: named() }),
  ),
  persona: PersonaCreateRequest,
  swarm: shape(() =>
    SwarmCreateRequest().omit({ environmentIds: true }).extend({ name: named(), environments: names().optional() }),
  ),
  journey: shape(() =>
    JourneyCreateRequest()
      .omit({ personaId: true, swarmId: true, environmentIds: true, hostIds: true })
      .extend({
        name: named().max(200),
        persona: named(),
        swarm: named().optional(),
        environments: names().optional(),
        clients: names().optional(),
      }),
  ),
}

/** Returns the noun for a word in the singular or plural. */
export function documentNoun(word: string): DocumentNoun | undefined {
  return DOCUMENT_NOUNS.find(noun => word === noun || word === `${noun}s`)
}
