import { useQueryClient } from '@tanstack/react-query'
import { homedir } from 'node:os'
import { cachedItems } from '../api/client/cache/cached.ts'
import { contract } from '../api/contract/contract.ts'
import { scenarioUrl } from '../api/contract/scenarios.ts'
import { secretsOf } from '../domain/scenarios/session-secrets.ts'
import type { Own } from '../lib/redaction/redaction.ts'
import { useWorkspace } from './workspace.tsx'

/** A shorter part of a link says nothing. */
const SHORTEST = 8

/**
 * What must not be in a document that others read: what lets somebody in as far as this session knows it, whatever it
 * looks like, of a link also its last part alone; and the person's home.
 */
export function useOwn(): () => Own {
  const queryClient = useQueryClient()
  const { client } = useWorkspace()
  return () => {
    const read = cachedItems(queryClient, contract.scenarios.list).map(({ item }) => scenarioUrl(item.link))
    const links = [...secretsOf(client).ever(), ...read].filter(link => link !== undefined)
    // A link is often passed on without its scheme.
    const bare = links.map(link => link.replace(/^[a-z]+:\/\//i, ''))
    const parts = links.flatMap(link => URL.parse(link)?.pathname.split('/').at(-1) ?? [])
    const env = [process.env['MCPDECK_API_KEY'] ?? '', process.env['MCPDECK_MODEL_API_KEY'] ?? '']
    return { known: [...env, ...links, ...bare, ...parts.filter(part => part.length >= SHORTEST)], homes: [homedir()] }
  }
}
