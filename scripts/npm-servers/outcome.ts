import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'

/** The outcome of one step: whether it succeeded, and the result or the reason in a few words. */
export type Outcome = { good: boolean; text: string }

/** Returns the number of tools that a program listed. */
export function toolsOf(list: readonly unknown[]): Outcome {
  return { good: true, text: list.length === 1 ? '1 tool' : `${list.length} tools` }
}

/** Returns an outcome as a table cell: a reason that the list already shows is not repeated. */
export function cellOf(outcome: Outcome | undefined, listed: Outcome): string {
  if (!outcome) return '–'
  return outcome !== listed && !outcome.good && outcome.text === listed.text ? 'the same' : outcome.text
}

/** How a program ended; `code` is missing if it was stopped. */
export type Ended = { code: number | undefined; out: string; err: string }

/** Maximum milliseconds of a step; both programs give up on a server earlier by themselves. */
const patience = 70_000

const longest = 90

/** Runs Node with these arguments in a folder and stops it, with everything it started, if it takes too long. */
export async function runNode(words: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  const child = spawn(process.execPath, words, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const text = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text.out += part))
  child.stderr.setEncoding('utf8').on('data', (part: string) => (text.err += part))
  const [ended, closed] = [once(child, 'exit'), once(child, 'close')]
  const inTime = new AbortController()
  const late = wait(patience, true, { signal: inTime.signal }).catch(() => false)
  const wasLate = await Promise.race([ended.then(() => false), late])
  inTime.abort()
  stopGroup(child.pid)
  await ended
  // Output from before the program's end may still arrive.
  await Promise.race([closed, wait(1000, undefined, { ref: false })])
  return { ...text, code: wasLate ? undefined : (child.exitCode ?? undefined) }
}

/** Stops the rest of a process group. */
function stopGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The process group has already ended.
  }
}

/** Parses a text as JSON, if it is JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the first sentence of a reason, shortened if it is long, without paths and Markdown characters. */
export function firstSentence(reason: string): string {
  const [line = ''] = reason.replace('The server "unsaved" ', '').trim().split('\n')
  const [sentence = ''] = line.split(/(?<=[.!?])\s/)
  const plain = sentence
    .replaceAll(/(?<![\w.:/])(file:\/\/)?\/[\w.@+-]+(\/[\w.@+-]+)+/g, '…')
    .replaceAll(/[|`<>*[\]]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/\.$/, '')
  if (plain === '') return 'no reason given'
  return plain.length > longest ? `${plain.slice(0, longest).trimEnd()}…` : plain
}
