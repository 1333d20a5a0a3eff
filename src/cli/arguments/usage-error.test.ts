import { expect, test } from 'vitest'
import { usageErrorText } from './usage-error.ts'

test.each([
  [
    "error: unknown option '--jsn'\n(Did you mean --json?)",
    "Unknown option '--jsn'. Did you mean --json? See mcpdeck get --help.",
  ],
  ["error: missing required argument 'what'", "Missing required argument 'what'. See mcpdeck get --help."],
  [
    "error: option '--limit <count>' argument '0' is invalid. Give a whole number.",
    "Option '--limit <count>' argument '0' is invalid. Give a whole number. See mcpdeck get --help.",
  ],
])('a usage error is explained: %s', (text, sentence) => {
  expect(usageErrorText(text, 'mcpdeck get')).toBe(sentence)
})
