import { QueryClientProvider, type QueryClient } from '@tanstack/react-query'
import { render } from 'ink'
import { PassThrough, Writable } from 'node:stream'
import { useEffect } from 'react'
import { createPollingClient } from '../../api/client/cache/query-client.ts'
import type { StoredNow } from '../../domain/now/memory.ts'
import { nowMemoryOf, useNowMemory } from '../../hooks/use-now-memory.ts'
import { WorkspaceProvider, type Workspace } from '../../hooks/workspace.tsx'
import { nowRoute } from '../../screens/now/route.ts'
import { useNowData, type NowData } from '../../screens/now/use-now-data.ts'
import { createRouter } from '../../tui/router/router.ts'
import { RouterProvider } from '../../tui/router/router-context.tsx'

/** What Now knows at a moment. */
export type NowLook = { data: NowData; kept: StoredNow }

/** How often what other windows acknowledged is looked at, in milliseconds. */
const REFRESH_MS = 10_000

/**
 * Reads what the screen Now reads, by the same plan and within the same budget, and draws nothing.
 * @param projects ids of those to look at; what the person chose on Now by default
 * @returns what ends it, with the reads that are under way
 */
export function lookAtNow(
  workspace: Workspace,
  projects: readonly string[] | undefined,
  onLook: (look: NowLook) => void,
  queryClient: QueryClient = createPollingClient(),
): () => Promise<void> {
  const instance = render(
    <QueryClientProvider client={queryClient}>
      <WorkspaceProvider workspace={workspace}>
        <RouterProvider router={createRouter(nowRoute.to())}>
          <Look projects={projects} onLook={onLook} />
        </RouterProvider>
      </WorkspaceProvider>
    </QueryClientProvider>,
    {
      stdout: new Writable({ write: (_chunk, _encoding, done) => done() }),
      stdin: new PassThrough() as unknown as NodeJS.ReadStream,
      exitOnCtrlC: false,
      patchConsole: false,
      interactive: false,
    },
  )
  // It also keeps the process there between two reads.
  const timer = setInterval(() => nowMemoryOf(workspace).refresh(), REFRESH_MS)
  return async () => {
    clearInterval(timer)
    instance.unmount()
    // A read that ends after its query was removed would hold the process with the timer of what is unused.
    await queryClient.cancelQueries()
    queryClient.clear()
  }
}

function Look(props: { projects: readonly string[] | undefined; onLook: (look: NowLook) => void }) {
  const { kept } = useNowMemory()
  const data = useNowData(props.projects ? { ...kept, projects: props.projects } : kept)
  useEffect(() => props.onLook({ data, kept }))
  return null
}
