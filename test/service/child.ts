// A separate process for tests: `child.ts <mode> <dataDir> [options]`; each mode prints lines of JSON.
import { serve, type ServeOptions } from '../../src/cli/serve/serve.ts'
import { createService } from '../../src/service/workspace/service.ts'

const [mode = '', dataDir = '', options = '{}'] = process.argv.slice(2)
const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`)

async function openApi() {
  const service = await createService({ dataDir, trialConcurrency: 2 })
  const ask = async <T>(path: string, body?: object): Promise<T> => {
    const init = { headers: { authorization: `Bearer ${service.localKey}` } }
    const request = body ? { ...init, method: 'POST', body: JSON.stringify(body) } : init
    return (await (await service.fetch(new Request(`http://child.test/api/v1${path}`, request))).json()) as T
  }
  type Listed = { items: { id: string }[] }
  const projects = await ask<Listed>('/projects')
  const projectId = projects.items[0]?.id ?? ''
  return { service, ask, projects, projectId }
}

const modes: Record<string, () => Promise<void>> = {
  /** Opens the workspace and prints its content. */
  async open() {
    const { service, ask, projects, projectId } = await openApi()
    say({ projects, suites: await ask(`/projects/${projectId}/eval-suites`), key: service.localKey })
    await service.close()
  },
  /** Runs one quick trial and three that would take a minute; prints when nothing executes any more. */
  async run() {
    const { service, ask, projectId } = await openApi()
    const { items } = await ask<{ items: { id: string }[] }>(`/projects/${projectId}/servers`)
    const step = { id: 'a', kind: 'toolCall', serverName: 'everything' }
    const quick = { title: 'quick', steps: [{ ...step, toolName: 'echo', arguments: { message: 'x' } }] }
    const args = { duration: 60, steps: 1 }
    const slow = { title: 'slow', steps: [{ ...step, toolName: 'trigger-long-running-operation', arguments: args }] }
    const tests = [
      { ...quick, runs: 1 },
      { ...slow, runs: 3 },
    ].map(test => ({ ...test, model: 'm', provider: 'm' }))
    const body = { suiteName: 'Child', tests, serverIds: items.map(({ id }) => id) }
    const { runId } = await ask<{ runId: string }>(`/projects/${projectId}/eval-runs`, body)
    say({ projectId, runId, pid: process.pid })
    await service.settle()
    say({ settled: true })
    await service.close()
  },
  async serve() {
    await serve({ ...(JSON.parse(options) as Partial<ServeOptions>), dataDir, json: true })
    say({ stopped: true })
  },
}

await modes[mode]?.()
