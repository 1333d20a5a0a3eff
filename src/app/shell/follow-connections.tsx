import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { isMissing } from '../../api/client/errors/api-error.ts'
import { refresh } from '../../api/client/cache/queries.ts'
import { contract } from '../../api/contract/contract.ts'
import { connectionLabel } from '../../domain/connections/labels.ts'
import { GONE, isOpenConnection, knownOf, type KnownConnection } from '../../domain/connections/connections.ts'
import { useNotify } from '../../hooks/notify.tsx'
import { useCadence, usePoller } from '../../hooks/use-cadence.ts'
import { useConnections } from '../../hooks/use-connections.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'

/** Follows the open connection requests on every screen, and reports how each ends; shows nothing itself. */
export function FollowConnections() {
  const open = useConnections().known.filter(isOpenConnection)
  usePoller(open.length > 0)
  return open.map(known => <Followed key={known.id} known={known} requests={open.length} />)
}

function Followed({ known: { id, address }, requests }: { known: KnownConnection; requests: number }) {
  const { queries } = useWorkspace()
  const { connections } = useConnections()
  const queryClient = useQueryClient()
  const notify = useNotify()
  const pause = useCadence()
  const { data, error } = useQuery({
    ...queries.connections.get.options({ requestId: id }),
    refetchInterval(query) {
      const wanted = pause({ kind: 'live', requests }, query)
      // These polls have their own rate, and a refusal says how long to wait.
      return wanted && Math.max(wanted, query.state.error?.retryAfterMs ?? 0)
    },
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
