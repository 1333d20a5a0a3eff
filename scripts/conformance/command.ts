import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { dist } from '../paths.ts'

/** A command of mcpdeck in its own home. */
export type Command = {
  words: readonly string[]
  home: string
  input?: string
  env?: Readonly<Record<string, string>>
  /** Whether to open the link that `sign-in` prints, like a browser that is already signed in. */
  followsLink?: boolean
}

export type Ended = { code: number; out: string; err: string }

const LINK = /^(https?:\/\/\S+)$/m

/** Runs a command to its end. */
export async function runCommand(command: Command): Promise<Ended> {
  const { words, home, input = '', env = {}, followsLink = false } = command
  const places = ['CONFIG', 'DATA', 'STATE', 'CACHE'].map(each => [`XDG_${each}_HOME`, join(home, each.toLowerCase())])
  const own = { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, HOME: home, ...Object.fromEntries(places) }
  const child = spawn(process.execPath, [join(dist, 'boot.js'), ...words], { cwd: home, env: { ...own, ...env } })
  const text = { out: '', err: '' }
  let followed: Promise<void> | undefined
  const hear = (part: 'out' | 'err') => (chunk: string) => {
    text[part] += chunk
    const link = followsLink ? LINK.exec(text[part])?.[1] : undefined
    if (link !== undefined) followed ??= follow(link).catch(() => void child.kill())
  }
  child.stdout.setEncoding('utf8').on('data', hear('out'))
  child.stderr.setEncoding('utf8').on('data', hear('err'))
  child.stdin.on('error', () => {})
  // A sign-in reads an address from its input for as long as it waits.
  if (followsLink) child.once('exit', () => child.stdin.end())
  else child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  await followed
  return { code: code ?? 1, ...text }
}

/** Follows the redirects of a link; an answer that mcpdeck refuses ends the sign-in, as Ctrl+C would. */
async function follow(link: string): Promise<void> {
  const page = await fetch(link)
  if (!page.ok) throw new Error(`${link} answered HTTP ${page.status}.`)
}
