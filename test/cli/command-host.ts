import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import { join } from 'node:path'
import { endOf, PROGRAM, type Asked } from './hosts.ts'
import { untilNextLook } from '../pause.ts'

// Runs commands of the built program one after the other in this process; `hosts.ts` gives the reason.

const { start } = createRequire(PROGRAM)('./main.cjs') as typeof import('../../src/main.tsx')

/** How often to check for work in progress, in milliseconds. */
const LOOK_MS = 2

const outputs = [process.stdout, process.stderr]
/** Objects that commands add listeners to. */
const heard = [process, process.stdin, ...outputs]
/** Properties that commands replace by their own streams. */
const { stdout, stderr } = Object.getOwnPropertyDescriptors(process)

if (process.send) process.on('message', (asked: Asked) => void serve(asked))
const settled = state()
process.send?.('ready')
if (!process.send) await runInTurn(JSON.parse(process.argv[2]!) as string[][])

async function serve({ args, env, cwd, input, mark }: Asked): Promise<void> {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.chdir(cwd)
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true })
  const tidy = await run(args)
  const { files, endings } = state()
  if (process.exitCode === undefined || files > settled.files || endings > settled.endings) return process.disconnect()
  tidy()
  for (const stream of outputs) stream.write(mark)
  process.send?.(process.exitCode)
}

/** Runs commands in the terminal of this process, each with its own folders. */
async function runInTurn(commands: readonly (readonly string[])[]): Promise<void> {
  const folders = Object.entries(process.env).filter(([name]) => name.startsWith('XDG_'))
  for (const [index, args] of commands.entries()) {
    for (const [name, folder = ''] of folders) process.env[name] = join(folder, String(index))
    const tidy = await run(args)
    tidy()
    process.stdout.write(endOf(process.exitCode))
  }
}

/**
 * Runs a command until it has no work in progress, as a process does; it has no exit code if it keeps running. Returns
 * whether the process can run another one.
 */
async function run(args: readonly string[]): Promise<() => void> {
  const before = heard.map(listenersOf)
  process.argv = [process.execPath, PROGRAM, ...args]
  process.exitCode = undefined
  await start(undefined)
  if (process.exitCode !== undefined) while (state().underWay > settled.underWay) await untilNextLook(LOOK_MS)
  return () => {
    Object.defineProperties(process, { stdout, stderr })
    heard.forEach((emitter, index) => removeListeners(emitter, before[index]!))
  }
}

/** The state that a command can leave behind. */
function state() {
  const files = readdirSync('/dev/fd').length
  return { underWay: process.getActiveResourcesInfo().length, files, endings: process.listenerCount('exit') }
}

type Emitter = Pick<NodeJS.EventEmitter, 'eventNames' | 'rawListeners' | 'off'>
type Listener = (...given: unknown[]) => void

function listenersOf(emitter: Emitter): Set<Listener> {
  return new Set(emitter.eventNames().flatMap(name => emitter.rawListeners(name) as Listener[]))
}

/** Removes new listeners, except those for the end of the process. */
function removeListeners(emitter: Emitter, except: ReadonlySet<Listener>): void {
  for (const name of emitter.eventNames())
    for (const listener of emitter.rawListeners(name) as Listener[])
      if (name !== 'exit' && !except.has(listener)) emitter.off(name, listener)
}
