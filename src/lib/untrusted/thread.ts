// Entry point of the thread for untrusted input. `inThread` starts it, and nothing imports it.
import { parseExact } from '../json.ts'
import { parentPort } from 'node:worker_threads'
import { BOUNDS } from '../bounds.ts'
import type { FromThread, ToThread, WorkName, Works } from './messages.ts'

type Does = {
  [Name in WorkName]: () => Promise<
    (given: Works[Name]['given']) => Works[Name]['answer'] | Promise<Works[Name]['answer']>
  >
}

/** Each task first loads its modules, which does not count against its time limit. */
const does: Does = {
  compile: async () => (await import('./schemas.ts')).loadedCompile(),
  arguments: async () => (await import('./schemas.ts')).loadedArguments(),
  objectSchemas: async () => (await import('./schemas.ts')).loadedObjectSchemas(),
  async schemaFaults() {
    const { schemaFaults } = await import('../json-schema/faults.ts')
    const { refusedParts } = await import('../json-schema/refused-parts.ts')
    return ({ schema }) => ({ faults: schemaFaults(schema), refused: refusedParts(schema) })
  },
  async schemaChanges() {
    const { schemaChanges } = await import('../json-schema/changes.ts')
    return ({ before, after }) => schemaChanges(before, after)
  },
  markdown: async () => (await import('./markdown.ts')).loadedMarkdown(),
  media: async () => (await import('./media.ts')).loadedMedia(),
  patterns: async () => (await import('./patterns.ts')).testPatterns,
}

/** Maximum length of an answer. A longer one would block the thread that reads it. */
const MOST_ANSWER = BOUNDS.untrustedAnswer.most

function post(message: FromThread): void {
  parentPort?.postMessage(message, [])
}

async function answerTo({ work, given }: ToThread): Promise<void> {
  try {
    const perform = (await does[work]()) as (given: unknown) => unknown
    post({ kind: 'begun' })
    // Validators do not accept the bigints of long numbers, but a comparison must not treat two long numbers as equal.
    const parse = work === 'schemaChanges' ? parseExact : JSON.parse
    const answer = JSON.stringify(await perform(parse(given)))
    if (answer.length > MOST_ANSWER) post({ kind: 'failed', why: 'what comes of it is too large' })
    else post({ kind: 'done', answer })
  } catch (error) {
    post({ kind: 'failed', why: error instanceof Error ? error.message : String(error) })
  }
}

parentPort?.on('message', (message: ToThread) => void answerTo(message))
