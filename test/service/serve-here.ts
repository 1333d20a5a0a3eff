import { readFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { serve, type ServeOptions } from '../../src/cli/serve/serve.ts'
import { createApi, temporaryDirectory } from './harness.ts'
import { checked } from '../contract/checked-answers.ts'
import type { Greeting } from './start-child.ts'

/** Serves from this process until the test ends; keeps its output after the greeting. */
export async function serveHere(options: Partial<ServeOptions> = {}) {
  const stop = new AbortController()
  const dataDir = temporaryDirectory()
  const printed: string[] = []
  const { promise: greeted, resolve: greet } = Promise.withResolvers<string>()
  const stdout = (text: string) => {
    printed.push(text)
    greet(text)
  }
  const stopped = serve({ dataDir, json: true, stdout, stderr: () => {}, signal: stop.signal, ...options })
  onTestFinished(async () => {
    stop.abort()
    await stopped
  })
  const greeting = JSON.parse(await Promise.race([greeted, stopped.then(() => 'stopped')])) as Greeting
  printed.length = 0
  // Injected faults break the contract on purpose.
  const answers = options.faults?.length ? fetch : checked<Request, Response>(fetch)
  const key = readFileSync(greeting.keyFile, 'utf8').trim()
  return { ...greeting, api: createApi(answers, key, greeting.baseUrl), printed, stop, stopped }
}
