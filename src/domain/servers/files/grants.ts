import { ApiError } from '../../../api/client/errors/api-error.ts'
import type { Client } from '../../../api/client/client.ts'
import type { Outcome } from '../../documents/send.ts'
import type { DocumentStore } from '../../documents/store.ts'
import type { ServerEntry } from './reading.ts'
import type { Resolved } from './variables.ts'

type Granted = { entry: Pick<ServerEntry, 'name'>; resolved: Pick<Resolved, 'grant'> }

/** Says that a server of a file signs in by itself; undefined if it does not. */
export function grantSentence({ grant, form }: Pick<Resolved, 'grant' | 'form'>): string | undefined {
  if (!grant) return undefined
  const { host = 'it' } = (typeof form['url'] === 'string' ? URL.parse(form['url']) : null) ?? {}
  return (
    `It gets its tokens without a person, as the client ${grant.clientId}; ` +
    `its credentials go to the authorization server that ${host} names.`
  )
}

/** Stores the grants of imported servers, each after its first token. Only local workspaces store grants. */
export async function sendGrants(
  imported: readonly Granted[],
  { client, store, projectId }: { client: Client; store: DocumentStore; projectId: string },
): Promise<readonly Outcome[]> {
  const granted = imported.flatMap(({ entry: { name }, resolved: { grant } }) => (grant ? [{ name, grant }] : []))
  if (granted.length === 0) return []
  const rows = await store.list('server')
  const outcomes: Outcome[] = []
  for (const { name, grant } of granted) {
    const serverId = rows.find(row => row.name === name)?.id
    const { clientId = '', ...rest } = grant
    const body = { grant: 'client-credentials' as const, clientId, ...rest }
    outcomes.push(
      serverId === undefined
        ? { noun: 'server', name, kind: 'skipped', lines: ['Its grant is not stored, since it is not saved.'] }
        : await client.signIns
            .grant({ projectId, serverId, body })
            .then(({ issuer }) => changed(name, issuer ?? ''))
            .catch((error: unknown) => failed(name, error)),
    )
  }
  return outcomes
}

function changed(name: string, issuer: string): Outcome {
  const line = `It gets its tokens without a person, from ${URL.parse(issuer)?.host ?? issuer}.`
  return { noun: 'server', name, kind: 'changed', lines: [line] }
}

function failed(name: string, error: unknown): Outcome {
  if (!(error instanceof ApiError)) throw error
  return { noun: 'server', name, kind: 'failed', lines: ['Its grant is not stored.'], error }
}
