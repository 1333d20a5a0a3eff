import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createBudget } from '../../src/api/client/budget/budget.ts'
import { createClient } from '../../src/api/client/client.ts'
import { createHttpFetch } from '../../src/api/client/transport/fetch.ts'
import { DOCUMENT_NOUNS } from '../../src/domain/documents/nouns.ts'
import { documentStore } from '../../src/domain/documents/store.ts'
import { applied, exported } from '../applied.ts'
import { startProxy } from '../journal/processes.ts'
import { serveHere } from '../service/serve-here.ts'
import { openHome } from './program.ts'

const CALL = 'steps: [{ id: call, kind: toolCall, toolName: echo, arguments: { message: one } }]'
const BEFORE = `
server: { name: everything, enabled: true, transportType: stdio, command: node, args: [old.js] }
---
client: { name: desk, servers: [everything], config: { modelId: openai/gpt-5, theme: dark } }
---
environment: { name: staging, client: desk, modelId: openai/gpt-5 }
---
suite: { name: Nightly, servers: [everything], model: openai/gpt-5 }
cases:
  - { id: one, title: One, ${CALL} }
  - { id: gone, title: Gone, ${CALL} }
---
persona: { name: Tom, role: a clerk }
`
const WANTED = `
server: { name: everything, enabled: true, transportType: stdio, command: node, args: [server.js], env: { A: b } }
---
client: { name: desk, servers: [everything], config: { modelId: openai/gpt-5, theme: light } }
---
environment: { name: staging, description: before production, client: desk, modelId: openai/gpt-5 }
---
suite: { name: Nightly, servers: [everything], model: openai/gpt-5, description: all of it }
cases:
  - { id: one, title: One again, ${CALL} }
---
suite: { name: Weekly, servers: [everything], model: openai/gpt-5 }
cases:
  - { id: one, title: One, ${CALL} }
---
persona: { name: Priya, role: a traveller }
---
journey: { name: Trip, goal: Find the weather, persona: Priya, environments: [staging], sessionsPerTarget: 1, maxTurns: 3 }
`

/** The kills run in parallel, because each program mostly waits for the rate limit of its key. */
const PLACES = 12

/** A home with the files, whose commands reach the service over a connection that can be held back. */
async function openPlace(baseUrl: string, key: string) {
  const [home, proxy] = await Promise.all([openHome(), startProxy(baseUrl)])
  onTestFinished(async () => {
    proxy.close()
    await home.close()
  })
  const file = join(home.home, 'project.yaml')
  writeFileSync(file, WANTED)
  const env = { MCPDECK_BASE_URL: proxy.baseUrl, MCPDECK_API_KEY: key }
  const applying = (projectId: string) => ['--project', projectId, 'apply', '-f', file, '--prune', '--yes']
  return {
    proxy,
    journal: () => home.run(['journal'], { env }),
    apply(projectId: string) {
      home.rest()
      return home.run(applying(projectId), { env })
    },
    /** Runs the same command as a process that can be killed. */
    start(projectId: string) {
      home.rest()
      return home.start(applying(projectId), { env })
    },
  }
}

test(
  'apply that is killed at any write and repeated ends as if it had not been killed',
  { timeout: 600_000 },
  async () => {
    const { baseUrl, keyFile } = await serveHere({ rateLimit: 0 })
    const key = readFileSync(keyFile, 'utf8').trim()
    const http = createHttpFetch({ baseUrl })
    onTestFinished(() => http.close())
    const client = createClient({ baseUrl, key, fetch: http.fetch, budget: createBudget({ unlimited: true }) })
    const project = async (name: string) => {
      const { id } = await client.projects.create({ body: { name } })
      expect(await applied(client, id, BEFORE)).toHaveLength(5)
      return id
    }
    /** The files, and the names of all records, so that duplicates show. */
    const stateOf = async (projectId: string) => {
      const store = documentStore(client, projectId)
      const rows = DOCUMENT_NOUNS.map(async noun => (await store.list(noun)).map(({ name }) => `${noun} ${name}`))
      return { text: await exported(client, projectId), rows: (await Promise.all(rows)).flat().toSorted() }
    }

    const places = await Promise.all(Array.from({ length: PLACES }, () => openPlace(baseUrl, key)))
    const whole = await project('whole')
    expect(await places[0]!.apply(whole)).toMatchObject({ code: 0 })
    const wanted = await stateOf(whole)
    const count = places[0]!.proxy.writes()
    expect(count).toBeGreaterThanOrEqual(12)
    const turns = Array.from({ length: count }, (_, after) => after).values()
    const repeated: string[] = []
    const killInTurn = async ({ proxy, journal, apply, start }: (typeof places)[number]) => {
      for (const after of turns) {
        const projectId = await project(`killed after ${after} writes`)
        const killAt = async (what: 'request' | 'answer', writes: number) => {
          const held = proxy.hold(what, writes)
          const { child, ended } = start(projectId)
          await held
          child.kill('SIGKILL')
          expect(await ended()).toMatchObject({ code: null })
          proxy.letThrough()
        }
        await killAt('request', after)
        // The first repeated write is the one that was lost.
        await killAt('answer', 0)
        const { code, stderr } = await apply(projectId)
        expect({ after, code, stderr }).toMatchObject({ code: 0 })
        expect({ after, ...(await stateOf(projectId)) }).toEqual({ after, ...wanted })
        repeated.push(projectId)
      }
      // What the journal settles or sends again later changes nothing either.
      expect(await journal()).toMatchObject({ code: 0, stdout: '' })
    }
    await Promise.all(places.map(killInTurn))
    expect(repeated).toHaveLength(count)
    for (const projectId of repeated) expect(await stateOf(projectId)).toEqual(wanted)
  },
)
