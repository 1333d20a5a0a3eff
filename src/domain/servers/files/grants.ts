import { ApiError } from '../../../api/client/errors/api-error.ts'
import type { Client } from '../../../api/client/client.ts'
import type { Outcome } from '../../documents/send.ts'
import type { DocumentStore, Row } from '../../documents/store.ts'
import type { ServerEntry } from './reading.ts'
import type { Resolved } from './variables.ts'

type Granted = { entry: Pick<ServerEntry, 'name'>; resolved: Pick<Resolved, 'grant' | 'form'> }

/** Says that a server of a file signs in by itself; undefined if it does not. */
export function grantSentence({ grant, form }: Pick<Resolved, 'grant' | 'form'>): string | undefined {
  if (!grant) return undefined
  const { host = 'it' } = (typeof form['url'] === 'string' ? URL.parse(form['url']) : null) ?? {}
  return (
    `It gets its tokens without a person, as the client ${grant.clientId}; ` +
    `its credentials go to the authorization server that ${host} names.`
  )
}

/**
 * Stores the grants of imported servers, each after its first token, unless a server is saved with another address than
 * that of its file: the authorization server of that address must not get the secret. Only local workspaces store
 * grants.
 */
export async function sendGrants(
  imported: readonly Granted[],
  { client, store, projectId }: { client: Client; store: DocumentStore; projectId: string },
): Promise<readonly Outcome[]> {
  const granted = imported.flatMap(({ entry: { name }, resolved: { grant, form } }) =>
    grant ? [{ name, grant, url: form['url'] }] : [],
  )
  if (granted.length === 0) return []
  const rows = await store.list('server')
  const outcomes: Outcome[] = []
  for (const { name, grant, url } of granted) {
    const row = rows.find(each => each.name === name)
    const { clientId = '', ...rest } = grant
    const body = { grant: 'client-credentials' as const, clientId, ...rest }
    outcomes.push(
      row === undefined || row['url'] !== url
        ? { noun: 'server', name, kind: 'skipped', lines: [`Its grant is not stored, since it ${reasonOf(row)}.`] }
        : await client.signIns
            .grant({ projectId, serverId: row.id, body })
            .then(({ issuer }) => changed(name, issuer ?? ''))
            .catch((error: unknown) => failed(name, error)),
    )
  }
  return outcomes
}

function reasonOf(row: Row | undefined): string {
  return row ? 'is saved with another address' : 'is not saved'
}

function changed(name: string, issuer: string): Outcome {
  const line = `It gets its tokens without a person, from ${URL.parse(issuer)?.host ?? issuer}.`
  return { noun: 'server', name, kind: 'changed', lines: [line] }
}

function failed(name: string, error: unknown): Outcome {
  if (!(error instanceof ApiError)) throw error
  return { noun: 'server', name, kind: 'failed', lines: ['Its grant is not stored.'], error }
}
