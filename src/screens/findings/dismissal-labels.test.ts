import { expect, test } from 'vitest'
import { ApiError } from '../../api/client/errors/api-error.ts'
import { swarmFinding } from '../../domain/findings/finding.ts'
import { dismissalSentence } from './dismissal-labels.ts'

const [one, two] = ['one', 'two'].map(id => swarmFinding({ id, status: 'new' }))
const gone = { finding: one!, error: new ApiError({ kind: 'network', message: 'ECONNREFUSED', sent: true }) }
const missing = {
  finding: two!,
  error: new ApiError({ kind: 'http', status: 404, code: 'NOT_FOUND', message: 'No.', sent: true }),
}
const saidOf = (refused: (typeof gone)[], doubtful: (typeof gone)[] = []) => {
  const total = refused.length + doubtful.length
  return dismissalSentence({ outcome: { done: [], refused, doubtful, unsent: [] }, already: 0, total }, true, 'Z')
}
const said = (refused: (typeof gone)[]): string => saidOf(refused).text

test('a write without an answer is not reported as refused, and a single unmarked finding stays unmarked', () => {
  expect(said([gone])).toMatch(/^Dismissed 0 of 1 finding; 1 not answered \([^)]+\)\.$/)
  expect(said([missing, gone])).toMatch(
    /^Dismissed 0 of 2 findings; 1 refused \(Not found\); 1 not answered \([^)]+\)\. What is left keeps its mark\.$/,
  )
})

test('a write that may have succeeded is not reported as refused', () => {
  const endpoint = { operation: 'dismissFinding', risk: 'write' } as const
  const redirected = new ApiError({
    kind: 'http',
    status: 302,
    message: 'HTTP 302',
    answer: 'empty',
    sent: true,
    endpoint,
  })
  expect(saidOf([], [{ ...gone, error: redirected }])).toMatchObject({
    text: 'Dismissed 0 of 1 finding; 1 may have happened (Redirected).',
    tone: 'warn',
  })
  expect(saidOf([missing], [{ ...gone, error: redirected }]).tone).toBe('warn')
})
