import '../../../test/property-seed.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ApiError } from '../../api/client/errors/api-error.ts'
import { failureSentence } from '../../api/client/errors/error-text.ts'
import { errorLine } from './report-error.ts'

const silent = (message: string) =>
  new ApiError({ kind: 'http', status: 504, code: 'TIMEOUT', answer: 'contract', message, sent: true })

/** Words that end in a number, so that a cut would be another number. */
const words = fc
  .array(fc.integer({ min: 100_000, max: 999_999 }), { minLength: 1, maxLength: 90, size: 'max' })
  .map(numbers => `The server waits for ${numbers.join(' and ')}`)

test('what a service says is in an error line once and whole, however long it is', () =>
  fc.assert(
    fc.property(words, message => {
      const line = errorLine(silent(message))
      expect(line.split('The server waits for')).toHaveLength(2)
      expect(line).toContain(message)
    }),
  ))

test('where a sentence has no room for all that a service says, it shows that there is more', () =>
  fc.assert(
    fc.property(words, message => {
      const sentence = failureSentence(silent(message))
      const [, said = ''] = /The service says: (.*?)(?:…|\.)/.exec(sentence) ?? []
      expect(message).toContain(said)
      if (said !== message) expect(sentence).toContain(`${said}…`)
    }),
  ))
