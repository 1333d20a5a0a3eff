// The entry of the thread that executes runs. `createThreadExecutor` starts it, and nothing imports it.
import { enableCompileCache } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { createConnections } from '../../connections/engine.ts'
import { createTraffic } from '../../connections/traffic.ts'
import type { AccessToken, ServerTarget } from '../../connections/types.ts'
import { defined } from '../../../lib/json.ts'
import { openDatabase } from '../../../lib/sqlite.ts'
import { createRunRows, createRunToolRows } from '../rows.ts'
import { createTrialRows } from '../trial-rows.ts'
import { createExecutor } from '../executor.ts'
import { collectOldSooner, comeAfterTheScreen } from './priority.ts'
import {
  fromSentError,
  toSentError,
  type FromThread,
  type SentExecution,
  type SentTarget,
  type ThreadData,
  type ToThread,
} from './messages.ts'
import { createTrafficRelay } from './traffic-relay.ts'

if (!parentPort) throw new Error('This file is the entry of a thread.')
const port = parentPort
const { compileCache, ...settings } = workerData as ThreadData
// The compile cache of the program does not apply to its threads, which load most of their code here.
if (compileCache !== undefined) enableCompileCache(compileCache)
if (settings.runsGiveWay) {
  comeAfterTheScreen()
  collectOldSooner()
}
// Opens nothing but the database file, which the main thread has prepared. Opening and closing it elsewhere in this
// process would release SQLite's locks.
const database = openDatabase(settings.database)
const relay = createTrafficRelay(createTraffic(), recorded => send({ kind: 'traffic', recorded }))
const connections = createConnections({ ...settings.connections, traffic: relay.traffic })
const executor = createExecutor({
  ...settings,
  connections,
  store: {
    write: database.write,
    runs: createRunRows(database),
    trials: createTrialRows(database),
    runTools: createRunToolRows(database),
  },
})
const underWay = new Map<string, { stop: AbortController; done: Promise<void> }>()
const questions = new Map<number, PromiseWithResolvers<AccessToken | undefined>>()
let asked = 0

const send = (message: FromThread) => port.postMessage(message)

function askToken(runId: string, serverId: string, refused?: string): Promise<AccessToken | undefined> {
  const question = Promise.withResolvers<AccessToken | undefined>()
  asked += 1
  questions.set(asked, question)
  send({ kind: 'askToken', question: asked, runId, serverId, ...defined({ refused }) })
  return question.promise
}

function targetOf({ transport, ...target }: SentTarget, runId: string): ServerTarget {
  if (transport.type === 'stdio') return { ...target, transport }
  const { asksToken, renewsToken, ...http } = transport
  const accessToken = () => askToken(runId, target.id)
  const renewedToken = (refused: string) => askToken(runId, target.id, refused)
  const functions = { ...(asksToken && { accessToken }), ...(renewsToken && { renewedToken }) }
  return { ...target, transport: { ...http, ...functions } }
}

async function execute({ targets, ...execution }: SentExecution, signal: AbortSignal): Promise<void> {
  const { runId } = execution
  try {
    await executor.execute({ ...execution, targets: targets.map(target => targetOf(target, runId)) }, signal)
    send({ kind: 'ended', runId })
  } catch (error) {
    send({ kind: 'ended', runId, problem: toSentError(error) })
  } finally {
    underWay.delete(runId)
  }
}

async function close(): Promise<never> {
  for (const { stop } of underWay.values()) stop.abort()
  const executions = [...underWay.values()].map(({ done }) => done)
  await Promise.all([...executions, connections.close()])
  relay.end()
  database.close()
  // Ends only the thread. Connections that are kept alive would otherwise keep it running.
  process.exit(0)
}

port.on('message', (message: ToThread) => {
  switch (message.kind) {
    case 'execute': {
      const stop = new AbortController()
      const { execution } = message
      underWay.set(execution.runId, { stop, done: execute(execution, stop.signal) })
      return
    }
    case 'stop':
      underWay.get(message.runId)?.stop.abort()
      return
    case 'drop':
      connections.drop(message.serverId)
      return
    case 'watch':
      relay.watch(message.serverId, message.ms)
      return
    case 'token': {
      const question = questions.get(message.question)
      questions.delete(message.question)
      if (message.problem) question?.reject(fromSentError(message.problem))
      else question?.resolve(message.token)
      return
    }
    case 'close':
      void close()
  }
})
