import '../../../test/property-seed.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ApiError } from '../../api/client/errors/api-error.ts'
import { failureSentence } from '../../api/client/errors/error-text.ts'
import { errorLine } from './report-error.ts'

const silent = (message: string) =>
  new ApiError({ kind: 'http', status: 504, code: 'TIMEOUT', answer: 'contract', message, sent: true })

/** Words that end in a number, so that cutting one changes the number. */
const words = fc
  .array(fc.integer({ min: 100_000, max: 999_999 }), { minLength: 1, maxLength: 90, size: 'max' })
  .map(numbers => `The server waits for ${numbers.join(' and ')}`)

test('an error line quotes the message of a service once and completely, however long it is', () =>
  fc.assert(
    fc.property(words, message => {
      const line = errorLine(silent(message))
      expect(line.split('The server waits for')).toHaveLength(2)
      expect(line).toContain(message)
    }),
  ))

test('a message of a service that does not fit into a sentence is cut with a sign', () =>
  fc.assert(
    fc.property(words, message => {
      const sentence = failureSentence(silent(message))
      const [, said = ''] = /The service says: (.*?)(?:…|\.)/.exec(sentence) ?? []
      expect(message).toContain(said)
      if (said !== message) expect(sentence).toContain(`${said}…`)
    }),
  ))
