import * as z from 'zod'
import { listQuery, queryCursor, openEnum, record, shape, strictBody, timestamp } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'

const OUTAGE_POLICIES = ['fail_open', 'fail_closed'] as const

/** A repository whose pull requests run a suite. An `outagePolicy` that was never chosen works like `fail_open`. */
export const EvalCheckRepo = shape(() =>
  record({
    id: z.string(),
    repo: z.string(),
    enabled: z.boolean().nullish(),
    suiteId: z.string().nullish(),
    projectId: z.string().nullish(),
    outagePolicy: openEnum(OUTAGE_POLICIES).nullish(),
    createdAt: timestamp().nullish(),
    updatedAt: timestamp().nullish(),
  }),
)
export type EvalCheckRepo = z.infer<typeof EvalCheckRepo>

/** `available: false` means that the feature is off; `connectable: null` that the choices could not be read. */
export const EvalCheckRepos = shape(() =>
  record({
    organizationId: z.string().nullish(),
    available: z.boolean().nullish(),
    items: z.array(EvalCheckRepo()),
    connectable: z.array(record({ repo: z.string() })).nullish(),
  }),
)
export type EvalCheckRepos = z.infer<typeof EvalCheckRepos>

/** `repo` has the form `owner/repo`. With `fail_closed` an outage of the service blocks merges there. */
export const EvalCheckRepoConnectRequest = shape(() =>
  strictBody({ projectId: z.string(), suiteId: z.string(), repo: z.string(), outagePolicy: z.enum(OUTAGE_POLICIES) }),
)

export const EvalCheckRepoConnected = shape(() =>
  record({
    id: z.string(),
    organizationId: z.string().nullish(),
    projectId: z.string().nullish(),
    suiteId: z.string().nullish(),
    repo: z.string(),
    outagePolicy: openEnum(OUTAGE_POLICIES).nullish(),
  }),
)
export type EvalCheckRepoConnected = z.infer<typeof EvalCheckRepoConnected>

const collection = '/organizations/{organizationId}/eval-check-repos' as const

export const checkRepos = resource('checkRepos', {
  list: endpoint('listEvalCheckRepos', 'GET', collection, {
    summary: 'Repositories wired, or available to wire, to pull-request eval checks.',
    query: listQuery,
    response: EvalCheckRepos,
    cursor: queryCursor,
  }),
  connect: endpoint('connectEvalCheckRepo', 'POST', collection, {
    summary: "Make a repository's pull requests run one eval suite, for everyone who opens one.",
    body: EvalCheckRepoConnectRequest,
    status: 201,
    response: EvalCheckRepoConnected,
    // Every pull request from then on runs the suite.
    risk: 'spend',
  }),
})
