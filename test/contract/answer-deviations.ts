/** A place where answers of this service intentionally differ from the published file. None of them is a wrong type. */
export type AnswerDeviation = {
  operations: readonly string[]
  /** The difference as the check words it. */
  what: string
  /** The document that decides, and the place in it. */
  reason: string
}

const ERROR_CODES =
  'UNAUTHORIZED, FORBIDDEN, NOT_FOUND, CONFLICT, VALIDATION_ERROR, RATE_LIMITED, FEATURE_NOT_SUPPORTED, SERVER_UNREACHABLE, TIMEOUT, OAUTH_REQUIRED, INTERNAL_ERROR'

/** The message of the check for the list that is answered without an envelope. */
export const BARE = 'a bare array, published as { items }'

/** All known differences, rendered in docs/service.md; the tests refuse any other. */
export const answerDeviations: readonly AnswerDeviation[] = [
  {
    operations: ['listEvalSuiteRuns'],
    what: BARE,
    reason: 'the service document says "array of runs"; `mcpdeck serve --shape published` answers `{ items }`',
  },
  {
    operations: ['createServerConnection'],
    what: `response.code must be equal to one of the allowed values (${ERROR_CODES})`,
    reason: 'the service document names the code ACTIVE_REQUEST_LIMIT under "Limits"',
  },
  {
    operations: ['listEvalRunIterations'],
    what: 'response.items[].evaluationConfig.definitions[].role must be equal to one of the allowed values (gating, advisory)',
    reason: 'vocabulary 2 spells the role `required`; only who asks for it gets it',
  },
  {
    operations: ['listClients'],
    what: "response.items[] must have required property 'hostConfigId'",
    reason: 'the file has the deprecated list alone; the list of clients has `configId` in its place',
  },
]
