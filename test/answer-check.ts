import { deepEqual } from 'node:assert/strict'
import { afterEach } from 'vitest'
import { takeAnswerProblems } from './contract/answer-problems.ts'

// A test with an answer that breaks the contract fails.
afterEach(() => deepEqual(takeAnswerProblems(), []))
