import { contract } from '../api/contract/contract.ts'
import type { UserTestingSessionDetail } from '../api/contract/user-testing.ts'
import { useApiQuery, type ApiQuery } from './use-api-query.ts'
import { useWorkspace } from './workspace.tsx'

/** Maximum number of transcript pages that are read as one: what a visitor says fits in fewer. */
const MOST_PAGES = 20

/** The conversation of a visitor and a scenario; `isWhole` is false if only its beginning was read. */
export type VisitorTranscript = { detail: UserTestingSessionDetail; messages: unknown[]; isWhole: boolean }

/** Reads up to 20 pages of a transcript as one answer; its key excludes it from what is written to disk. */
export function useVisitorTranscript(input: {
  projectId: string
  scenarioId: string
  sessionId: string
}): ApiQuery<VisitorTranscript> {
  const { client } = useWorkspace()
  const endpoint = contract.userTestingSessions.get
  return useApiQuery<VisitorTranscript, readonly [string, string, typeof input, 'whole']>({
    queryKey: [endpoint.resource, endpoint.name, input, 'whole'],
    queryFn: async ({ signal }) => {
      const messages: unknown[] = []
      let detail: UserTestingSessionDetail | undefined
      let pages = 0
      for await (const page of client.pages(endpoint, input, { signal, priority: 'visible' })) {
        detail ??= page
        for (const message of page.messages ?? []) messages.push(message)
        pages += 1
        if (pages >= MOST_PAGES) return { detail, messages, isWhole: !page.nextCursor }
      }
      return { detail: detail ?? { id: input.sessionId }, messages, isWhole: true }
    },
  })
}
