import { onceFor } from '../lib/once-for.ts'
import { useSyncExternalStore } from 'react'
import type { Client } from '../api/client/client.ts'
import { wallClock } from '../lib/clock.ts'
import { createNowMemory, type NowCount, type StoredNow, type NowMemory } from '../domain/now/memory.ts'
import { useWorkspace, type Workspace } from './workspace.tsx'

const ofSession = onceFor((_client: Client) => createNowMemory({ clock: wallClock }))

/** Returns the memory of Now; it lasts beyond this session if the workspace stores it. */
export function nowMemoryOf({ now, client }: Workspace): NowMemory {
  return now ?? ofSession(client)
}

/** Returns the memory of Now; renders again when it changes. */
export function useNowMemory(): { memory: NowMemory; kept: StoredNow } {
  const memory = nowMemoryOf(useWorkspace())
  return { memory, kept: useSyncExternalStore(memory.subscribe, memory.kept) }
}

/** Returns how many lines were waiting when Now was last on screen. */
export function useNowCount(): NowCount | undefined {
  const memory = nowMemoryOf(useWorkspace())
  return useSyncExternalStore(memory.subscribe, memory.count)
}
