import { afterEach, expect } from 'vitest'
import { takeAnswerProblems } from './contract/answer-problems.ts'

// Whatever test got an answer that breaks the contract fails.
afterEach(() => expect(takeAnswerProblems()).toEqual([]))
