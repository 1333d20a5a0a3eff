import { queryOptions, useQuery, useQueryClient, type QueryKey, type UseQueryOptions } from '@tanstack/react-query'
import { ApiError } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import { knownResults } from '../../domain/calls/known-results.ts'
import { examined, type ExaminedReport } from '../../domain/servers/findings.ts'
import { describeError, type ErrorText } from '../../api/client/errors/error-text.ts'
import type { CheckOAuthResult, ValidateResult } from '../../api/contract/server-operations.ts'
import { nowMemoryOf } from '../../hooks/use-now-memory.ts'
import type { ApiQuery } from '../../hooks/use-api-query.ts'
import { useWorkspace, type Workspace } from '../../hooks/workspace.tsx'

/** Returns the message of a server that is switched off, for any request; `key` switches it on. */
export function switchedOff(name: string, key: string): ErrorText {
  return {
    title: `${name} is switched off.`,
    sentence: 'Nothing but the doctor connects to it.',
    next: `Press ${key} to switch it on.`,
  }
}

/** The message if neither the name of the server nor the key is known. */
const OFF: ErrorText = {
  title: 'Switched off',
  sentence: 'The server is saved, but switched off, so nothing connects to it.',
  next: 'Switch it on, then try again.',
}

export function isOff(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'VALIDATION_ERROR' && error.details?.['field'] === 'enabled'
}

export type ServerInput = { projectId: string; serverId: string }

/** The outcome of a requested check, and the duration of the answer, in milliseconds. */
export type Timed<T> = { durationMs: number; outcome: { value: T } | { problem: ErrorText } }

/** Kept for the whole session: the list shows the result of the last check. */
const KEPT = { gcTime: Infinity, staleTime: 0 }

/**
 * Returns the query for the doctor's report of a server. It runs only on request, and does not use the query's signal,
 * so that moving elsewhere does not stop it.
 */
export function doctorQuery({ client, queries, doctorSteps, doctorReports }: Workspace, input: ServerInput) {
  return queryOptions<ExaminedReport, ApiError, ExaminedReport, readonly unknown[]>({
    ...KEPT,
    queryKey: queries.servers.doctor.options(input).queryKey,
    queryFn: async () => {
      doctorSteps?.begin(input.serverId)
      const before = doctorReports?.last(input)
      const report = await client.servers.doctor(input)
      return await examined(report, { ...(await knownResults(client, input)), before })
    },
  })
}

/** Returns the query that connects and initializes once. */
export function validateQuery({ client, queries }: Workspace, input: ServerInput) {
  return timedQuery<ValidateResult>(queries.servers.validate.options(input).queryKey, () =>
    client.servers.validate(input),
  )
}

/** Returns the query that asks whether the saved settings require OAuth; nothing is connected. */
export function oauthQuery({ client, queries }: Workspace, input: ServerInput) {
  return timedQuery<CheckOAuthResult>(queries.servers.checkOAuth.options(input).queryKey, () =>
    client.servers.checkOAuth(input),
  )
}

function timedQuery<T>(key: readonly unknown[], ask: () => Promise<T>) {
  return queryOptions<Timed<T>, ApiError, Timed<T>, readonly unknown[]>({
    ...KEPT,
    queryKey: [...key, 'timed'],
    queryFn: async () => {
      const began = performance.now()
      const outcome = await ask().then(
        value => ({ value }),
        (error: unknown) => ({ problem: isOff(error) ? OFF : describeError(error) }),
      )
      return { durationMs: performance.now() - began, outcome }
    },
  })
}

/** Returns the last answer of a query that runs only on request, and whether it is running. */
export function useManualQuery<T>(
  options: UseQueryOptions<T, ApiError, T, readonly unknown[]>,
): ApiQuery<T> & { running: boolean } {
  const query = useQuery({ ...options, enabled: false })
  return {
    data: query.data,
    pending: query.isPending,
    hasData: query.data !== undefined,
    // A check is a POST, whose answer no cache stores.
    restored: false,
    problem: query.error ? describeError(query.error) : undefined,
    updatedAt: query.dataUpdatedAt || undefined,
    error: query.error,
    running: query.isFetching,
  }
}

/**
 * Returns a function that checks a server; a running check is not started again. Its failure is stored in the query.
 */
export function useServerChecks() {
  const workspace = useWorkspace()
  const queryClient = useQueryClient()
  const ask = <T>(options: UseQueryOptions<T, ApiError, T, readonly unknown[]>): void => {
    queryClient.query(options).catch(() => undefined)
  }
  return {
    doctor: (input: ServerInput) => ask(doctorQuery(workspace, input)),
    validate: (input: ServerInput) => ask(validateQuery(workspace, input)),
    checkOAuth: (input: ServerInput) => ask(oauthQuery(workspace, input)),
  }
}

/** Resources whose reads about a server are all answers of the server itself. */
const ANSWERED: ReadonlySet<unknown> = new Set([contract.servers.doctor.resource, contract.liveServers.get.resource])

/**
 * Removes all cached answers of a server whose settings or process have changed; what is on screen is read again.
 * Returns whether the doctor had examined it in this session.
 */
export function useForgetAnswers(projectId: string): (serverId: string) => boolean {
  const workspace = useWorkspace()
  const queryClient = useQueryClient()
  return serverId => {
    const { queryKey } = doctorQuery(workspace, { projectId, serverId })
    const state = queryClient.getQueryState(queryKey)
    nowMemoryOf(workspace).forgetCheck({ projectId, serverId })
    workspace.doctorReports?.forget({ projectId, serverId })
    const ofServer = ([resource, , input]: QueryKey): boolean =>
      ANSWERED.has(resource) && (input as Partial<ServerInput> | undefined)?.serverId === serverId
    void queryClient.resetQueries({ predicate: query => ofServer(query.queryKey) })
    return state !== undefined && (state.status !== 'pending' || state.fetchStatus === 'fetching')
  }
}
