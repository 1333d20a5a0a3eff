import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type ApiError, isMissing } from '../../api/client/errors/api-error.ts'
import { refresh } from '../../api/client/cache/queries.ts'
import { contract } from '../../api/contract/contract.ts'
import { connectionLabel } from '../../domain/connections/labels.ts'
import { GONE, isOpenConnection, knownOf, type KnownConnection } from '../../domain/connections/connections.ts'
import { backoff } from '../../hooks/backoff.ts'
import { useNotify } from '../../hooks/notify.tsx'
import { sparedPause, useRest } from '../../hooks/use-api-query.ts'
import { useConnections } from '../../hooks/use-connections.ts'
import { usePoll } from '../../hooks/use-poll.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'

/** Follows the open connection requests wherever the person goes, and reports how each ends; shows nothing itself. */
export function FollowConnections() {
  const open = useConnections().known.filter(isOpenConnection)
  const interval = usePoll({ live: open.length > 0, requestsEach: open.length })
  return open.map(known => <Followed key={known.id} known={known} interval={interval} />)
}

function Followed({ known: { id, address }, interval }: { known: KnownConnection; interval: number | false }) {
  const { queries } = useWorkspace()
  const { connections } = useConnections()
  const queryClient = useQueryClient()
  const notify = useNotify()
  const rest = useRest()
  const { data, error } = useQuery({
    ...queries.connections.get.options({ requestId: id }),
    refetchInterval: query => sparedPause(query.state.error, pauseOf(query, interval), rest),
  })
  useEffect(() => {
    if (isMissing(error)) return connections.note({ id, status: GONE })
    if (!data) return
    connections.note(knownOf(data))
    if (isOpenConnection(data)) return
    if (data.status === 'ready') refresh(queryClient, contract.connections.create)
    const { text, tone } = connectionLabel(data.status)
    const what = [text, data.error?.message].filter(Boolean).join('. ')
    notify(tone === 'ok' ? 'ok' : 'warn', `The connection to ${data.server?.name ?? address ?? id}: ${what}`)
  }, [id, address, data, error, connections, queryClient, notify])
  return null
}

type Polled = Parameters<typeof backoff>[0] & { state: { error: ApiError | null } }

/** The polls have a budget of their own, and a refusal says how long to wait. */
function pauseOf(query: Polled, interval: number | false): number | false {
  const wait = query.state.error?.retryAfterMs ?? 0
  return interval === false ? false : Math.max(backoff(query, interval), wait)
}
