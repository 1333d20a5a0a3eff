import { isDeepStrictEqual } from 'node:util'
import { ERROR_STATUS } from '../../src/api/contract/error.ts'
import { ErrorBody } from '../../src/api/client/transport/response.ts'
import type { AnyEndpoint } from '../../src/api/contract/endpoint.ts'
import type { ApiRequest, ApiResponse } from '../../src/api/contract/message.ts'
import { createRouter, type Router } from '../../src/service/core/pipeline.ts'
import { answerDeviations, BARE } from './answer-deviations.ts'
import { metDeviations, noteAnswerProblem } from './answer-problems.ts'
import { createPublishedAnswers } from './published-answers.ts'

type Answering<Request, Response> = (request: Request) => Promise<Response>

let published: ReturnType<typeof createPublishedAnswers> | undefined
let router: Router | undefined

/** Returns the same service, with each answer checked against the contract's shapes and those of the published file. */
export function checked<Request extends ApiRequest, Response extends ApiResponse>(
  answer: Answering<Request, Response>,
): Answering<Request, Response> {
  return async request => {
    const response = await answer(request)
    router ??= createRouter()
    const match = router.match(request.method, new URL(request.url).pathname)
    if (match && request.method !== 'HEAD') {
      const text = await textOf(response)
      for (const problem of problemsOf(match.endpoint, response.status, text)) noteAnswerProblem(problem)
    }
    return response
  }
}

async function textOf(response: ApiResponse): Promise<string> {
  if (response instanceof Response) return await response.clone().text()
  if (typeof response.body === 'string' || response.body === null) return response.body ?? ''
  throw new Error('Only whole answers can be checked.')
}

/** Answers without problems. A test that waits for a change gets the same answers many times. */
const right = new Set<string>()
/** Maximum number of answers in `right`, and of characters of each answer. */
const KEPT = { answers: 500, characters: 20_000 }

function problemsOf(endpoint: AnyEndpoint, status: number, text: string): string[] {
  const key = `${endpoint.operation} ${status} ${text}`
  if (right.has(key)) return []
  const body: unknown = JSON.parse(text)
  const found = [
    ...ownProblems(endpoint, status, body),
    ...differences(endpoint, status, body).filter(what => !isListed(endpoint, what)),
  ]
  if (right.size >= KEPT.answers) right.clear()
  if (found.length === 0 && text.length <= KEPT.characters) right.add(key)
  return found.map(what => `${endpoint.operation} ${status}: ${what}`)
}

function isListed({ operation }: AnyEndpoint, what: string): boolean {
  const known = answerDeviations.find(each => each.operations.includes(operation) && each.what === what)
  if (known) metDeviations.add(known)
  return known !== undefined
}

/** The one list that is answered as a bare array has its entries checked as well. */
function differences(endpoint: AnyEndpoint, status: number, body: unknown): string[] {
  published ??= createPublishedAnswers()
  if (endpoint.operation !== 'listEvalSuiteRuns' || !Array.isArray(body)) return published(endpoint, status, body)
  return [BARE, ...published(endpoint, status, { items: body })]
}

function ownProblems(endpoint: AnyEndpoint, status: number, body: unknown): string[] {
  if (status < 400) {
    const parsed = endpoint.response.safeParse(body)
    // A client in the same process uses the answer of a read as it is.
    const isKept = endpoint.method !== 'GET' || Array.isArray(body) || isDeepStrictEqual(parsed.data, body)
    return [
      ...(status === (endpoint.status ?? 200) ? [] : [`status ${status}, declared as ${endpoint.status ?? 200}`]),
      ...issues(parsed.error),
      ...(parsed.success && !isKept ? ['the declaration reads it as something else'] : []),
    ]
  }
  const { data, error } = ErrorBody().safeParse(body)
  if (!data) return issues(error)
  const declared = (ERROR_STATUS as Readonly<Record<string, number>>)[data.code]
  return declared === status ? [] : [`${data.code} answered with ${status}`]
}

function issues(error: { issues: readonly { path: PropertyKey[]; message: string }[] } | undefined): string[] {
  return (error?.issues ?? []).map(({ path, message }) => `${path.map(String).join('.')}: ${message}`)
}
