import { expect, onTestFinished, test } from 'vitest'
import { createBudget } from '../../src/api/client/budget/budget.ts'
import { createClient } from '../../src/api/client/client.ts'
import { createHttpFetch } from '../../src/api/client/transport/fetch.ts'
import { applied, exported } from '../applied.ts'
import { lossyLine, type Loss } from '../pty/lossy-line.ts'
import { serveHere } from '../service/serve-here.ts'

const PROJECT = `
server: { name: everything, enabled: true, transportType: stdio, command: node, args: [server.js], env: { A: b } }
---
server: { name: remote, enabled: true, transportType: http, url: 'https://example.com/mcp', useOAuth: true }
---
client: { name: desk, servers: [everything], optionalServers: [remote], config: { modelId: openai/gpt-5, theme: dark } }
---
client: { name: from template, template: claude, servers: [remote] }
---
environment: { name: staging, description: before production, client: desk, modelId: openai/gpt-5 }
---
suite: { name: Nightly, servers: [everything], model: openai/gpt-5, environments: [staging], clients: [{ client: desk }] }
cases:
  - { id: one, title: One, steps: [{ id: call, kind: toolCall, toolName: echo, arguments: { message: one } }] }
  - { id: two, title: Two, steps: [{ id: call, kind: toolCall, toolName: echo, arguments: { message: one } }] }
---
persona: { name: Priya, role: a traveller, notes: in a hurry }
---
swarm: { name: Weekly, environments: [staging], sessionsPerTarget: 2, maxTurns: 3 }
---
journey: { name: Trip, goal: Find the weather, persona: Priya, swarm: Weekly, sessionsPerTarget: 2, maxTurns: 3 }
---
journey: { name: Order, goal: Get a total, persona: Priya, environments: [staging], sessionsPerTarget: 1, maxTurns: 9 }
`

/** A client behind a connection that breaks for good at the given write, and the number of writes it sent. */
async function dyingClient(baseUrl: string, key: string, dying?: { at: number; loss: Loss }) {
  const line = await lossyLine(baseUrl, { losses: ['broken'] })
  onTestFinished(() => line.close())
  const http = createHttpFetch({ baseUrl: line.url })
  onTestFinished(() => http.close())
  let writes = 0
  const client = createClient({
    baseUrl: line.url,
    key,
    budget: createBudget({ unlimited: true }),
    retry: { attempts: 1 },
    fetch: async request => {
      if (request.method === 'GET') return await http.fetch(request)
      writes += 1
      if (writes !== dying?.at) return await http.fetch(request)
      line.loseNext(/^(?:POST|PATCH|DELETE) /, dying.loss)
      return await http.fetch(request).finally(() => line.setLoss(1))
    },
  })
  return { client, writes: () => writes }
}

test.each(['broken', 'unanswered'] as const)(
  'apply that is cut off at any write (%s) and repeated ends as if it had not been cut off',
  async loss => {
    const { baseUrl, api } = await serveHere({ rateLimit: 0 })
    const { client, writes } = await dyingClient(baseUrl, api.key)
    const project = async (name: string) => (await client.projects.create({ body: { name } })).id
    const whole = await project('whole')
    const before = writes()
    const outcomes = await applied(client, whole, PROJECT)
    expect(outcomes.map(({ kind }) => kind)).toEqual(outcomes.map(() => 'created'))
    const wanted = await exported(client, whole)
    const count = writes() - before
    expect(count).toBeGreaterThan(13)
    for (let at = 1; at <= count; at += 1) {
      const projectId = await project(`cut off at ${at}`)
      const dying = await dyingClient(baseUrl, api.key, { at, loss })
      const cut = await applied(dying.client, projectId, PROJECT)
      expect(cut.filter(({ kind }) => kind === 'failed')).toHaveLength(1)
      const repeated = await applied(client, projectId, PROJECT)
      const isDone = repeated.every(({ kind }) => ['created', 'changed', 'already'].includes(kind))
      expect({ at, isDone, repeated }).toMatchObject({ at, isDone: true })
      expect({ at, text: await exported(client, projectId) }).toEqual({ at, text: wanted })
    }
  },
)
