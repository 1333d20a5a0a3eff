import { onceFor } from '../lib/once-for.ts'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import type { Client } from '../api/client/client.ts'
import { wallClock, every } from '../lib/clock.ts'
import { createNotebook, type Incident, type Notebook } from '../domain/notebook/notebook.ts'
import { useSlowFactor } from './use-cadence.ts'
import { useWorkspace, type Workspace } from './workspace.tsx'

const ofSession = onceFor((_client: Client) => createNotebook({ clock: wallClock }))

/** Returns the notebook; it lasts beyond this session if the workspace stores it. */
export function notebookOf({ notebook, client }: Workspace): Notebook {
  return notebook ?? ofSession(client)
}

/** Milliseconds between checks whether another program wrote. */
const LOOK_MS = 2_000

/** Returns the notebook with its incidents, or why they cannot be read; renders again when they change. */
export function useNotebook(): { notebook: Notebook; incidents: readonly Incident[]; problem: string | undefined } {
  const notebook = notebookOf(useWorkspace())
  const factor = useSlowFactor()
  const version = useSyncExternalStore(notebook.subscribe, notebook.version)
  useEffect(() => every(factor * LOOK_MS, () => notebook.look()), [notebook, factor])
  return useMemo(
    () => ({ notebook, ...readOf(notebook) }),
    // oxlint-disable-next-line react/exhaustive-deps -- what the notebook answers changes with its version
    [notebook, version],
  )
}

function readOf(notebook: Notebook): { incidents: readonly Incident[]; problem: string | undefined } {
  try {
    return { incidents: notebook.incidents(), problem: undefined }
  } catch (error) {
    return { incidents: [], problem: error instanceof Error ? error.message : String(error) }
  }
}
