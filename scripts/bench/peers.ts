import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Target } from './target.ts'

const rows = 10_000

/** Well-known terminal programs with a list, measured if they are installed. */
export const peers: readonly Target[] = [
  {
    name: 'htop',
    command: 'htop',
    // Ten seconds between refreshes, so that they do not mix with the responses to keys.
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
  ...nodePeers(),
]

/**
 * Node programs. gtop is not included: it redraws itself every second whatever is pressed, so the response to a key
 * cannot be recognized.
 */
export function nodePeers(): Target[] {
  return [
    {
      name: 'gemini-cli',
      command: 'gemini',
      prepare: configureGemini,
      // Gemini has no list and no pages; the cursor moves in a long prompt instead.
      toList: async terminal => {
        await terminal.waitFor('Type your message', 60_000)
        terminal.type('x'.repeat(500))
        await terminal.waitFor('x'.repeat(80))
      },
      next: 'left',
      previous: 'right',
      page: 'left',
      quit: terminal => terminal.type('\u0003\u0003\u0003'),
    },
    {
      name: 'npkill',
      command: 'npkill',
      prepare: createProjects,
      toList: terminal => terminal.waitFor(/project-\d+\/node_modules/),
      loaded: terminal => terminal.waitFor('Search completed', 60_000),
      next: 'down',
      previous: 'up',
      page: 'pagedown',
      quit: terminal => terminal.type('q'),
    },
  ]
}

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
    return (
      `commit refs/heads/main\ncommitter Nobody <nobody@example.com> ${1_700_000_000 + i * 60} +0000\ndata ` +
      `${message.length}\n${message}\n`
    )
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

function createProjects(home: string): void {
  for (let i = 1; i <= 300; i += 1) {
    const folder = join(home, `project-${String(i).padStart(3, '0')}`, 'node_modules')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'file'), 'x'.repeat(i * 100))
  }
}

/** Prepares a start up to the prompt without an account: nothing is sent before Enter. */
function configureGemini(home: string): void {
  const folder = join(home, '.gemini')
  mkdirSync(folder)
  const settings = {
    security: { folderTrust: { enabled: false }, auth: { selectedType: 'gemini-api-key' } },
    general: { disableAutoUpdate: true, enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
  }
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings))
  writeFileSync(join(folder, '.env'), 'GEMINI_API_KEY=none\n')
}
