import { onceFor } from '../lib/once-for.ts'
import { useSyncExternalStore } from 'react'
import type { Client } from '../api/client/client.ts'
import { wallClock } from '../lib/clock.ts'
import { createNowMemory, type NowCount, type StoredNow, type NowMemory } from '../domain/now/memory.ts'
import { useWorkspace, type Workspace } from './workspace.tsx'

const ofSession = onceFor((_client: Client) => createNowMemory({ clock: wallClock }))

/** What Now keeps: beyond this session where the workspace has a place for it. */
export function nowMemoryOf({ now, client }: Workspace): NowMemory {
  return now ?? ofSession(client)
}

/** The same; draws again when it changes. */
export function useNowMemory(): { memory: NowMemory; kept: StoredNow } {
  const memory = nowMemoryOf(useWorkspace())
  return { memory, kept: useSyncExternalStore(memory.subscribe, memory.kept) }
}

/** How many lines waited when Now was last on screen. */
export function useNowCount(): NowCount | undefined {
  const memory = nowMemoryOf(useWorkspace())
  return useSyncExternalStore(memory.subscribe, memory.count)
}
