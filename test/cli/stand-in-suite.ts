import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A check in the format of the official suite. */
export type WrittenCheck = { id: string; status: unknown; description?: string; errorMessage?: string }

/** What the stand-in does: the checks of each scenario, or a text in place of its result, and how it ends. */
export type SuitePlan = {
  scenarios?: Record<string, WrittenCheck[] | string | null>
  /** How many scenarios it announces; by default all of the plan. */
  says?: number
  /** How it ends after the last scenario; by default with the suite's exit code for its checks. */
  ends?: number | 'hangs' | 'crashes'
  stderr?: string
  /** The protocol version that it sends in its request. */
  speaks?: string
}

export const passing = (id: string): WrittenCheck => ({ id, status: 'SUCCESS', description: `${id} works` })
export const failing = (id: string, errorMessage = 'nothing'): WrittenCheck => ({ id, status: 'FAILURE', errorMessage })

/**
 * Installs a program below a folder that imitates the command line of `@modelcontextprotocol/conformance`, with the
 * same options, output, result files and exit codes.
 */
export function installStandIn(folder: string, version = '0.1.16') {
  const place = join(folder, 'node_modules/@modelcontextprotocol/conformance')
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'package.json'), JSON.stringify({ version, bin: { conformance: 'suite.mjs' } }))
  writeFileSync(join(place, 'suite.mjs'), PROGRAM)
  return {
    plan: (plan: SuitePlan) => writeFileSync(join(place, 'plan.json'), JSON.stringify(plan)),
    /** Arguments, environment and process of each start so far, and the answer of the address. */
    starts: () =>
      (existsSync(join(place, 'starts')) ? readFileSync(join(place, 'starts'), 'utf8') : '')
        .split('\n')
        .filter(line => line !== '')
        .map(line => JSON.parse(line) as { args: string[]; env: Record<string, string>; pid: number; status: number }),
  }
}

const PROGRAM = `
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
const here = name => new URL(name, import.meta.url)
const args = process.argv.slice(2)
const option = name => args.find(each => each.startsWith('--' + name + '='))?.slice(name.length + 3)
const { scenarios = {}, says, ends, stderr = '', speaks = '2025-11-25' } = JSON.parse(readFileSync(here('plan.json'), 'utf8'))
const { status } = await fetch(option('url'), {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': speaks },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'stand-in', version: '1' } },
  }),
})
appendFileSync(here('starts'), JSON.stringify({ args, env: process.env, pid: process.pid, status }) + '\\n')
const one = option('scenario')
const names = one === undefined ? Object.keys(scenarios) : Object.keys(scenarios).filter(name => name === one)
if (one === undefined) console.log('Running active suite (' + (says ?? names.length) + ' scenarios) against someone\\n')
let failed = 0
for (const name of names) {
  if (one === undefined) console.log('\\n=== Running scenario: ' + name + ' ===')
  console.log("Running client scenario '" + name + "' against server: someone")
  const result = scenarios[name]
  if (result === null) {
    failed += 1
    console.error('Failed to run scenario ' + name + ': Error: out of luck')
    continue
  }
  const folder = option('output-dir') + '/server-' + name + '-' + new Date().toISOString().replace(/[:.]/g, '-')
  mkdirSync(folder, { recursive: true })
  writeFileSync(folder + '/checks.json', typeof result === 'string' ? result : JSON.stringify(result))
  if (Array.isArray(result)) failed += result.filter(each => each.status === 'FAILURE').length
  console.log('Results saved to ' + folder)
}
if (one !== undefined && names.length === 0) {
  console.error("Validation error:\\n  scenario: Unknown scenario '" + one + "'\\n\\nAvailable server scenarios:\\n  - ping")
  process.exit(1)
}
if (stderr) console.error(stderr)
if (ends === 'crashes') throw new Error('broke in the middle')
if (ends === 'hangs') setInterval(() => {}, 1000)
else process.exitCode = ends ?? (failed > 0 ? 1 : 0)
`
