/** What came of compiling a schema. */
export type SchemaVerdict = { kind: 'fine' } | { kind: 'wrong' | 'unchecked'; why: string }

/** From the thread: the verdict on the schema at this place. */
export type FromSchemaThread = { at: number; verdict: SchemaVerdict }

/** Beside this file, or beside the chunks of `dist`, where the build puts it. */
const ENTRY = import.meta.url.endsWith('.ts')
  ? new URL('./schema-thread.ts', import.meta.url)
  : new URL('./schema-thread.js', import.meta.url)

/** Longest time for all schemas of a server, in milliseconds, and most text of them that is looked at. */
const LIMIT_MS = 10_000
const MOST_CHARACTERS = 5_000_000

/**
 * Compiles schemas of somebody else's server, in a thread of its own that is ended when it takes too long: a small schema
 * can keep a compiler busy for minutes.
 */
export async function checkSchemas(
  schemas: readonly unknown[],
  limitMs: number = LIMIT_MS,
): Promise<SchemaVerdict[]> {
  const verdicts: SchemaVerdict[] = schemas.map(() => ({
    kind: 'unchecked',
    why: `checking all of them took longer than ${limitMs / 1000} s`,
  }))
  if (schemas.length === 0) return verdicts
  const workerData = JSON.stringify(schemas)
  if (workerData.length > MOST_CHARACTERS)
    return schemas.map(() => ({ kind: 'unchecked', why: 'all of them together are too large' }))
  // Loaded here, since an import would cost every start milliseconds.
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  const resourceLimits = { maxOldGenerationSizeMb: 256 }
  const worker = new Worker(ENTRY, {
    name: 'schemas',
    workerData,
    resourceLimits,
    stdout: true,
    stderr: true,
  })
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const timer = setTimeout(end, limitMs)
  worker.on('message', ({ at, verdict }: FromSchemaThread) => {
    verdicts[at] = verdict
  })
  // Such as one that takes all of its memory: what is left is not checked.
  worker.on('error', () => end())
  worker.on('exit', () => end())
  await ended
  clearTimeout(timer)
  await worker.terminate()
  return verdicts
}
