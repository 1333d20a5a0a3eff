import { onTestFinished } from 'vitest'
import { createBudget } from '../../src/api/client/budget/budget.ts'
import { createClient } from '../../src/api/client/client.ts'
import { plainHeaders } from '../../src/api/contract/message.ts'
import { API_PREFIX } from '../../src/api/contract/contract.ts'
import type { Fetch } from '../../src/api/client/transport/fetch.ts'
import { choicesOf } from '../../src/api/client/read-back/open-write.ts'
import { resolveJournal, sendAgain } from '../../src/api/client/read-back/resolve.ts'
import { openService } from '../harness.tsx'
import { createScene } from './scene.ts'

/** What happens to one request on its way to the service and back. */
export type Fate =
  | 'answered'
  | 'lost'
  | 'answer-lost'
  | 'hangs'
  | 'answer-hangs'
  | 'throttled'
  | 'conflict'
  | 'redirected'

/** A connection to the real service that treats each write as told. */
function faultyLine(service: Fetch) {
  let fates: Fate[] = []
  let reportHang: () => void = () => {}
  let serviceTime: (() => number) | undefined
  const seen: string[] = []
  const never = () => {
    reportHang()
    return new Promise<Response>(() => {})
  }
  const broken = () => Object.assign(new Error('broken'), { code: 'ECONNRESET' })
  const limited = () =>
    Response.json({ code: 'RATE_LIMITED', message: 'slow down' }, { status: 429, headers: { 'retry-after': '0' } })
  const dated: Fetch = async request => {
    const answer = await service(request)
    if (!serviceTime) return answer
    const date = new Date(serviceTime()).toUTCString()
    return { ...answer, headers: plainHeaders({ ...Object.fromEntries(answer.headers), date }) }
  }
  const fetch: Fetch = async request => {
    if (request.method === 'GET') return await dated(request)
    seen.push(`${request.method} ${new URL(request.url).pathname}`)
    const fate = fates.shift() ?? 'answered'
    if (fate === 'lost') throw broken()
    if (fate === 'hangs') return await never()
    if (fate === 'throttled') return limited()
    if (fate === 'conflict') return Response.json({ code: 'CONFLICT', message: 'It is there.' }, { status: 409 })
    const answer = await service(request)
    if (fate === 'answer-lost') throw broken()
    // A proxy that forwarded the request nevertheless.
    if (fate === 'redirected') return new Response('', { status: 302, headers: { location: 'https://login.invalid/' } })
    return fate === 'answer-hangs' ? await never() : answer
  }
  /** Sets what happens to the next writes; resolves when one of them hangs. */
  const meet = (...next: Fate[]): Promise<void> => {
    fates = next
    return new Promise(resolve => (reportHang = resolve))
  }
  /** Makes the answers to reads state this time as the service's. */
  const tell = (time: () => number): void => void (serviceTime = time)
  return { fetch, seen, meet, tell }
}

/** A service behind a faulty connection, and processes that write to it with a journal. */
export async function open(options: Parameters<typeof openService>[0] = {}) {
  const opened = await openService({ maxConcurrentRuns: 1_000, ...options })
  const { fetch, client: direct, service, close } = opened
  const scene = createScene()
  const line = faultyLine(fetch)
  onTestFinished(async () => {
    await close()
    scene.remove()
  })
  const start = (readOnly = false) => {
    const { journal, kill } = scene.start()
    const client = createClient({
      fetch: line.fetch,
      baseUrl: `http://local.invalid${API_PREFIX}`,
      key: service.localKey,
      budget: createBudget({ unlimited: true, random: () => 0 }),
      retry: { attempts: 2, baseMs: 0 },
      journal,
      readOnly,
    })
    const options = { journal, client, clock: scene.clock }
    return {
      journal,
      kill,
      client,
      resolve: () => resolveJournal(options),
      /** Sends every open write again that can be repeated. */
      sendAll: async () => {
        const open = await journal.unresolved()
        const offered = open.filter(entry => choicesOf(entry, scene.clock.now()).includes('send'))
        return await Promise.all(offered.map(entry => sendAgain(options, entry)))
      },
    }
  }
  const projectId = (await direct.projects.list()).items[0]!.id
  const suiteId = (await direct.suites.list({ projectId })).items[0]!.id
  const serverId = (await direct.servers.list({ projectId })).items[0]!.id
  const place = { projectId, suiteId, serverId }
  return { ...line, fetch, service, testService: opened, direct, clock: scene.clock, start, ...place }
}

/** Returns findings and messages without target and times. */
export const shown = (resolutions: { finding: string; sentence: string }[]) =>
  resolutions.map(({ finding, sentence }) => [
    finding,
    sentence.replace(/( “[^”]*”)? \([-\d ]*\d\d:\d\d\)/, '').replace(/(?<=until )[-\d ]*\d\d:\d\d/, 'then'),
  ])

/** Milliseconds by which the clock is moved until the service can no longer act on a request. */
export const TOO_LATE = 11 * 60_000
/** Text about a lost launch while the service may still act on it, and once it no longer can. */
export const NOT_YET = [
  'cannot-be-known',
  'Create eval run may have happened: no run of the suite began then; the service may still act on it until then.',
]
export const NOT_AT_ALL = ['did-not-happen', 'Create eval run did not happen: no run of the suite began then.']
