import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { DoorState } from '../../domain/scenarios/visitor-door.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'

/** How often it is looked who answers at the visitors' door, in milliseconds. */
const LOOK_MS = 10_000

/** Who answers where a link leads; undefined for a service, whose door is its own. No link is sent there. */
export function useDoor(
  link: string | undefined,
): { origin: string; start: string; state: DoorState | undefined } | undefined {
  const { door } = useWorkspace()
  const origin = (link === undefined ? undefined : URL.parse(link)?.origin) ?? door?.origin
  const { data: state } = useQuery({
    queryKey: ['visitorDoor', origin],
    queryFn: async () => (await door?.look(origin)) ?? 'other',
    enabled: door !== undefined,
    refetchInterval: LOOK_MS,
  })
  return useMemo(
    () => (door && origin !== undefined ? { origin, start: door.start, state } : undefined),
    [door, origin, state],
  )
}
