import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openService, type TestService } from '../../../test/harness.tsx'
import { readYaml } from '../../lib/yaml/yaml-reading.ts'
import { readDocuments } from './document.ts'
import { exportDocuments } from './export.ts'
import { planDocuments } from './plan.ts'
import { sendPlan } from './send.ts'
import { documentStore } from './store.ts'

let service: TestService
let made = 0
beforeAll(async () => {
  service = await openService()
})
afterAll(() => service.close())

const rowOf = (id: string) => service.service.store.servers.find(id)!
const reaches = {
  of: (serverId: string) => {
    const { secrets, options, timeoutMs } = rowOf(serverId)
    const { clientId } = options as { clientId?: string }
    return Promise.resolve({ ...secrets, timeout: timeoutMs, client: { clientId, clientSecret: secrets.clientSecret } })
  },
}

async function emptyProject(): Promise<string> {
  made += 1
  return (await service.client.projects.create({ body: { name: `Reaches ${made}` } })).id
}

const word = fc.oneof(
  fc.constantFrom('--token', '--key=s3cret-value', 'sk_live_0123456789abcdef', '${HOME}', '$${', '-v', 'a b', '#'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter(text => text.isWellFormed()),
)
const names = fc.constantFrom('TOKEN', 'token', 'to-ken', 'url', 'args', 'X_TOKEN', 'clientSecret', 'argument_1')
const values = fc.string({ minLength: 12, maxLength: 20, unit: fc.constantFrom(...'0123456789abcdef') })
const pairs = fc.dictionary(names, values, { maxKeys: 4 })
const stdio = fc.record(
  { command: word, args: fc.array(word, { maxLength: 4 }), env: pairs, timeout: fc.integer({ min: 1, max: 99_999 }) },
  { requiredKeys: ['command'] },
)
const http = fc.record(
  { headers: pairs, timeout: fc.integer({ min: 1, max: 99_999 }), clientId: word, clientSecret: values },
  { requiredKeys: [] },
)
const server = fc.oneof(
  stdio.map(body => ({ transportType: 'stdio' as const, ...body })),
  http.map(body => ({ transportType: 'http' as const, url: 'https://example.com/mcp', ...body })),
)

/** Returns the value that each variable of a file needs, taken from the record. */
function variablesOf(text: string, record: Record<string, unknown>): Record<string, string> {
  const read = readYaml(text)
  if (!read.ok) throw new Error(text)
  const found: Record<string, string> = {}
  const walk = (written: unknown, original: unknown): void => {
    const name = typeof written === 'string' ? /^\$\{(\w+)\}$/.exec(written)?.[1] : undefined
    if (name !== undefined) expect(String(original)).toBe((found[name] ??= String(original)))
    else if (typeof written === 'object' && written !== null)
      for (const [key, value] of Object.entries(written)) walk(value, (original as Record<string, unknown>)[key])
  }
  walk((read.value[0]!.value as { server: unknown }).server, record)
  return found
}

test('a known server that is exported and applied to an empty project is the same', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(server, { minLength: 1, maxLength: 2 }), async drawn => {
      const [from, to] = [await emptyProject(), await emptyProject()]
      const bodies = drawn.map((body, index) => ({ name: `9 Own-${index}`, enabled: true, ...body }))
      for (const body of bodies) await service.client.servers.create({ projectId: from, body })
      const wanted = { nouns: ['server'] as const, reaches }
      const exported = (projectId: string) =>
        exportDocuments(documentStore(service.client, projectId), wanted, left => expect.unreachable(left))
      const files = await exported(from)
      const env: Record<string, string> = {}
      for (const [index, { text }] of files.entries()) {
        const body: Record<string, unknown> = bodies[index]!
        for (const [name, value] of Object.entries(variablesOf(text, body))) expect(value).toBe((env[name] ??= value))
        for (const secret of [body['env'], body['headers'], { secret: body['clientSecret'] ?? 's3cret-value' }])
          for (const value of Object.values(secret ?? {})) expect(text).not.toContain(value)
      }
      const { docs, problems } = readDocuments([{ file: 'a', text: files.map(({ text }) => text).join('---\n') }], env)
      expect(problems).toEqual([])
      const store = documentStore(service.client, to)
      const plan = await planDocuments(store, docs, [])
      if ('problems' in plan) throw new Error(plan.problems.map(({ message }) => message).join('\n'))
      const outcomes = await sendPlan(service.client, store, to, plan)
      expect(outcomes.filter(({ kind }) => kind !== 'created')).toEqual([])
      const rowsIn = async (projectId: string) =>
        (await service.client.servers.list({ projectId })).items.map(({ id }) => {
          const { name, secrets, options, timeoutMs, transportType, url } = rowOf(id)
          const { args = [], env: own = {}, headers = {}, ...rest } = secrets
          return { name, ...rest, args, env: own, headers, options, timeoutMs, transportType, url }
        })
      expect(await rowsIn(to)).toEqual(await rowsIn(from))
      expect(await exported(to)).toEqual(files)
    }),
    { numRuns: 60 },
  )
})
