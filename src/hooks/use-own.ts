import { useQueryClient } from '@tanstack/react-query'
import { homedir } from 'node:os'
import { cachedItems } from '../api/client/cache/cached.ts'
import { contract } from '../api/contract/contract.ts'
import { scenarioUrl } from '../api/contract/scenarios.ts'
import { secretsOf } from '../domain/scenarios/session-secrets.ts'
import type { Own } from '../lib/redaction/redaction.ts'
import { useWorkspace } from './workspace.tsx'

/** Minimum length of a part of a link that is treated as secret. */
const SHORTEST = 8

/**
 * Returns texts that must not appear in a document for others: all links and keys known to this session that grant
 * access, the last part of each link also alone, and the person's home directory.
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
