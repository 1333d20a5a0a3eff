import { execFileSync } from 'node:child_process'
import { globSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../scripts/paths.ts'

/** Programs that are started only if the usual one is missing, and why. */
const EXCUSED: Readonly<Record<string, string>> = {
  'src/service/connections/server-process.ts: taskkill': 'on Windows, which has it',
  'test/journeys/processes.ts: ps': 'where there is no /proc, which is macOS, and that has it',
}

/** A program that is named where it is started: by Node or in a terminal; in scripts of tests, where it has options. */
const CALLS = [
  /\b(?:spawn|spawnSync|execFile|execFileSync|execSync)\(\s*['"`]([^'"`$]+)['"`]/g,
  /\b(?:visit|openTerminal)\(\{[^{}]*?\bcommand: '([^']+)'/g,
  /\bnew Session\(\['([^']+)'/g,
]
const IN_SCRIPTS = /(?:[;|&(`]|\bexec) ?(\w+)(?= -[a-zA-Z]\b)/g
/** Commands of the shell itself. */
const BUILT_IN = new Set(['command', 'complete', 'declare', 'kill', 'local'])

/** Programs that a file starts, by the names in it. */
function startedBy(file: string, text: string): string[] {
  const patterns = file.startsWith('test/') ? [...CALLS, IN_SCRIPTS] : CALLS
  const names = patterns.flatMap(pattern => [...text.matchAll(pattern)].map(([, name = '']) => basename(name)))
  return [...new Set(names)].filter(name => !BUILT_IN.has(name))
}

test('a test that runs programs missing on a bare machine declares them, and is skipped there', () => {
  const folder = execFileSync(join(root, 'scripts/bare-path.sh'), { encoding: 'utf8' }).trim()
  const bare = new Set(readdirSync(folder))
  rmSync(folder, { recursive: true })
  const files = globSync('{src,test}/**/*.{ts,tsx,mjs}', { cwd: root })
  const started = files.flatMap(file => {
    const text = readFileSync(join(root, file), 'utf8')
    return startedBy(file, text).map(program => ({ file, program, isDeclared: isDeclared(text, program) }))
  })
  expect(started.map(({ program }) => program)).toEqual(
    expect.arrayContaining(['bash', 'mkfifo', 'sh', 'stty', 'tmux']),
  )
  const strange = started.filter(({ program, isDeclared }) => !bare.has(program) && !isDeclared)
  expect(strange.map(({ file, program }) => `${file}: ${program}`).toSorted()).toEqual(Object.keys(EXCUSED))
})

/** Whether a test has the program as a tag, or checks for it before using it. */
function isDeclared(text: string, program: string): boolean {
  return [`tags: ['${program}']`, `isInstalled('${program}')`].some(declared => text.includes(declared))
}
