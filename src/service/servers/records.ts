import type * as z from 'zod'
import { defined } from '../../lib/json.ts'
import type {
  ProjectServer,
  ProjectServerCreateRequest,
  ProjectServerUpdateRequest,
} from '../../api/contract/servers.ts'
import { newId } from '../core/ids.ts'
import { redactedUrl } from '../core/urls.ts'
import type { ServerGrant, ServerRow, ServerSecrets } from './rows.ts'
import type { Store } from '../core/database/store.ts'
import { requireFreeName } from '../core/record-handlers.ts'
import { invalidField } from '../core/validation.ts'
import { settingCredentials, settingSecrets } from '../connections/setting-secrets.ts'

type ServerFields = Omit<z.output<typeof ProjectServerUpdateRequest>, 'clearClientSecret' | 'clearXaaConfig'>

/** Fields of the other transport. They are refused, because they would have no effect. */
const FOREIGN_FIELDS = {
  stdio: ['url', 'headers', 'useOAuth', 'oauthScopes', 'clientId', 'clientSecret', 'hasBearerToken'],
  http: ['command', 'args', 'env'],
} as const

const XAA_OPTIONS = [
  'xaaAuthzIssuer',
  'xaaAllowPathScopedIssuer',
  'useXaa',
  'authServerMode',
  'xaaSubject',
  'xaaEmail',
  'xaaIdentityAssertionFormat',
  'xaaClientAuth',
]

/** Saves a new server in the caller's transaction. @throws ServiceError `CONFLICT`, `VALIDATION_ERROR` */
export function insertServer(
  store: Store,
  projectId: string,
  body: z.output<typeof ProjectServerCreateRequest>,
): ServerRow {
  requireFreeName(store.servers, 'a server', projectId, body.name)
  const now = Date.now()
  const row: ServerRow = {
    id: newId('srv'),
    projectId,
    name: body.name,
    enabled: body.enabled,
    transportType: body.transportType,
    useOAuth: false,
    options: {},
    secrets: {},
    createdAt: now,
    updatedAt: now,
  }
  const complete = merged(row, body)
  store.servers.insert(complete)
  return complete
}

/**
 * Edits a server. A new address drops the headers, client secret and tokens; a new command drops the arguments and
 * environment; new arguments drop the environment. Otherwise the editor could send these secrets
 * anywhere.
 */
export function updateServer(
  store: Store,
  row: ServerRow,
  body: z.output<typeof ProjectServerUpdateRequest>,
): ServerRow {
  const { clearClientSecret, clearXaaConfig, ...fields } = body
  if (fields.name !== undefined && fields.name !== row.name)
    requireFreeName(store.servers, 'a server', row.projectId, fields.name)
  const switched = fields.transportType !== undefined && fields.transportType !== row.transportType
  const base = switched ? withoutTransport(row) : row
  const updated = { ...merged(base, fields), updatedAt: Date.now() }
  for (const name of secretsLeft(row, updated))
    if (name === 'grant' || fields[name] === undefined) delete updated.secrets[name]
  if (clearClientSecret) delete updated.secrets.clientSecret
  if (clearXaaConfig) for (const name of XAA_OPTIONS) delete updated.options[name]
  // Tokens were issued for one address and must not be sent to another.
  if (updated.url !== row.url) delete updated.tokens
  store.servers.update(updated)
  return updated
}

/** Returns the secrets that are dropped because the server's command or address has changed. */
function secretsLeft(before: ServerRow, after: ServerRow): readonly (keyof ServerSecrets)[] {
  if (before.transportType !== 'stdio') return before.url === after.url ? [] : ['headers', 'clientSecret', 'grant']
  const started = ({ secrets: { command, args = [] } }: ServerRow): string => JSON.stringify([command, args])
  return started(before) === started(after) ? [] : ['args', 'env']
}

/**
 * Converts a server without its secrets. @param reader a reader who may not change servers does not see secrets in the
 * address either
 */
export function toProjectServer(row: ServerRow, reader: { maySeeUrl: boolean }): ProjectServer {
  const { id, projectId, name, enabled, transportType, useOAuth, options, createdAt, updatedAt } = row
  return {
    id,
    projectId,
    name,
    enabled,
    transportType,
    url: shownUrl(row.url, reader),
    useOAuth,
    // Only a server over HTTP can have a client secret, and decrypting takes time in a long list.
    hasClientSecret: transportType === 'http' && row.secrets.clientSecret !== undefined,
    ...(Array.isArray(options['oauthScopes']) && { oauthScopes: options['oauthScopes'] as string[] }),
    createdAt,
    updatedAt,
  }
}

export function shownUrl(url: string | undefined, { maySeeUrl }: { maySeeUrl: boolean }): string | null {
  return url === undefined || maySeeUrl ? (url ?? null) : redactedUrl(url)
}

function merged(row: ServerRow, body: ServerFields): ServerRow {
  const { name, enabled, transportType, command, args, env, url, headers, timeout, useOAuth, ...rest } = body
  const { clientSecret, ...options } = rest
  const kind = transportType ?? row.transportType
  const foreign = FOREIGN_FIELDS[kind].find(field => body[field] !== undefined && body[field] !== false)
  if (foreign) throw invalidField(foreign, `does not belong to a server over ${kind}`)
  const secrets = defined<ServerSecrets>({ ...row.secrets, ...defined({ command, args, env, headers, clientSecret }) })
  const complete: ServerRow = {
    ...row,
    name: name ?? row.name,
    enabled: enabled ?? row.enabled,
    transportType: kind,
    url: url ?? row.url,
    timeoutMs: timeout ?? row.timeoutMs,
    useOAuth: useOAuth ?? row.useOAuth,
    options: { ...row.options, ...defined(options) },
    secrets,
  }
  if (kind === 'stdio' && !secrets.command) throw invalidField('command', 'a server over stdio needs a command')
  if (kind === 'http' && !complete.url) throw invalidField('url', 'a server over http needs a url')
  return complete
}

function withoutTransport(row: ServerRow): ServerRow {
  return { ...row, url: undefined, useOAuth: false, secrets: {}, options: {}, tokens: undefined }
}

/** Returns the secrets that must not appear in messages to and from a server. */
export function secretsOf(row: ServerRow): string[] {
  return settingSecrets(...settingsOf(row))
}

/** Returns the secrets of a server that are credentials. */
export function credentialsOf(row: ServerRow): string[] {
  return settingCredentials(...settingsOf(row))
}

function settingsOf({ secrets: { env, headers, clientSecret = '', grant }, url, tokens }: ServerRow) {
  const { accessToken = '', refreshToken = '', proofKey } = tokens ?? {}
  const own = [proofKey?.privateKey ?? '', ...(grant ? grantSecrets(grant) : [])]
  return [defined({ env, headers, url }), clientSecret, accessToken, refreshToken, ...own] as const
}

/** Returns the secrets of a grant; some may be empty. */
export function grantSecrets({ clientSecret = '', privateKey = '', provider }: ServerGrant): string[] {
  return [clientSecret, privateKey, provider?.clientSecret ?? '']
}
