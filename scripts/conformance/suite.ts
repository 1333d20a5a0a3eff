import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { root } from '../paths.ts'

/** The outcome of a scenario: its checks with a verdict, those that passed, and the first that did not. */
export type Result = { state: 'passed' | 'failed' | 'nothing checked'; passed: number; checks: number; why: string }

export type Suite = Disposable & {
  /** Resolves to the names of the scenarios for clients. */
  scenarios(): Promise<string[]>
  run(scenario: string): Promise<Result>
}

type Check = { id: string; status: string; description: string; errorMessage?: string }

/** Milliseconds that a scenario has. */
const PATIENCE_MS = 120_000
const LONGEST_REMARK = 120
const FILE = 'node_modules/@modelcontextprotocol/conformance/dist/index.js'

/** Returns one version of the suite. */
export function createSuite(version: string, places: { installed?: string; keep?: string }): Suite {
  const { installed, keep } = places
  const reports = keep === undefined ? mkdtempSync(join(tmpdir(), 'conformance-')) : resolve(keep, version)
  const start =
    installed === undefined
      ? ['npx', '--yes', `@modelcontextprotocol/conformance@${version}`]
      : [process.execPath, resolve(installed, version, FILE)]
  const suite = async (words: readonly string[]): Promise<{ code: number | null; out: string; err: string }> => {
    const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` }
    const child = spawn(start[0]!, [...start.slice(1), ...words], { cwd: root, env })
    const text = { out: '', err: '' }
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.out += chunk))
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.err += chunk))
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, ...text }
  }
  return {
    async scenarios() {
      const { code, out, err } = await suite(['list', '--client'])
      if (code !== 0) throw new Error(`The suite ${version} does not list its scenarios: ${err.trim()}`)
      return [...out.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name!)
    },
    async run(scenario) {
      const folder = join(reports, scenario.replaceAll('/', '-'))
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { recursive: true })
      const words = ['--scenario', scenario, '--timeout', String(PATIENCE_MS), '--output-dir', folder]
      const { code, err } = await suite(['client', '--command', 'node scripts/conformance/client.ts', ...words])
      return resultOf(code, checksIn(folder), err)
    },
    [Symbol.dispose]() {
      if (keep === undefined) rmSync(reports, { recursive: true, force: true })
    },
  }
}

function checksIn(folder: string): Check[] {
  const file = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find(name => name.endsWith('checks.json'))
  return file === undefined ? [] : (JSON.parse(readFileSync(join(folder, file), 'utf8')) as Check[])
}

/** The suite's exit code judges; a scenario without a judged check says nothing, even if the suite lets it pass. */
function resultOf(code: number | null, all: readonly Check[], err: string): Result {
  const judged = all.filter(({ status }) => ['SUCCESS', 'FAILURE', 'WARNING'].includes(status))
  const passed = judged.filter(({ status }) => status === 'SUCCESS').length
  const first = judged.find(({ status }) => status !== 'SUCCESS')
  const exit = /CLIENT (?:TIMED OUT|EXITED)[^\n]*/.exec(err)?.[0] ?? ''
  const why = first ? `${first.id}: ${first.errorMessage ?? first.description}` : exit
  const state = code !== 0 ? 'failed' : passed === 0 ? 'nothing checked' : 'passed'
  return { state, passed, checks: judged.length, why: why.replaceAll(/\s+|\|/g, ' ').slice(0, LONGEST_REMARK) }
}
