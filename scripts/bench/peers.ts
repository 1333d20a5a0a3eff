import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Target } from './target.ts'

const rows = 10_000

/** Well-known terminal programs with a list, measured where they are installed. */
export const peers: readonly Target[] = [
  {
    name: 'htop',
    command: 'htop',
    // Ten seconds between refreshes, so that they do not mix with the answers to keys.
    args: ['-d', '100'],
    toList: terminal => terminal.waitFor('PID'),
    next: 'down',
    previous: 'up',
    page: 'pagedown',
    quit: terminal => terminal.type('q'),
  },
  {
    name: 'tig',
    command: 'tig',
    prepare: createHistory,
    toList: terminal => terminal.waitFor(`commit ${rows} `),
    next: 'down',
    previous: 'up',
    page: 'pagedown',
    quit: terminal => terminal.type('q'),
  },
  {
    name: 'mc',
    command: 'mc',
    args: ['--nosubshell', '--nomouse', 'many'],
    prepare: createFolder,
    toList: terminal => terminal.waitFor('file-00001'),
    next: 'down',
    previous: 'up',
    page: 'pagedown',
    // F10
    quit: terminal => terminal.type('\u001B[21~'),
  },
]

/** Whether a program is on the PATH. */
export function isInstalled(command: string): boolean {
  try {
    execFileSync('which', [command], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function createHistory(home: string): void {
  const commits = Array.from({ length: rows }, (_, i) => {
    const message = `commit ${i + 1} of the history that is measured`
    return `commit refs/heads/main\ncommitter Nobody <nobody@example.com> ${1_700_000_000 + i * 60} +0000\ndata ${message.length}\n${message}\n`
  })
  const git = (args: string[], input?: string) =>
    execFileSync('git', args, { cwd: home, input, stdio: ['pipe', 'ignore', 'ignore'] })
  git(['init', '--initial-branch=main'])
  git(['fast-import', '--quiet'], commits.join(''))
}

function createFolder(home: string): void {
  const folder = join(home, 'many')
  mkdirSync(folder)
  for (let i = 1; i <= rows; i += 1) writeFileSync(join(folder, `file-${String(i).padStart(5, '0')}`), '')
}
