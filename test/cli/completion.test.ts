import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allEndpoints } from '../../src/api/contract/contract.ts'
import { buildProgram } from '../../src/cli/commands.ts'
import { declaredCommands } from '../../src/cli/completion/declared.ts'
import { minimalEnv } from '../pty/home.ts'
import { openHome } from './program.ts'

const PROGRAM = join(import.meta.dirname, '../../dist/boot.js')
let home: Awaited<ReturnType<typeof openHome>>
let env: Record<string, string>

beforeAll(async () => {
  home = await openHome()
  const bin = join(home.home, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'mcpdeck'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`)
  chmodSync(join(bin, 'mcpdeck'), 0o755)
  env = { ...minimalEnv(home.home), PATH: `${bin}:${process.env.PATH}` }
  for (const shell of ['bash', 'zsh', 'fish'])
    writeFileSync(join(home.home, shell), (await home.run(['completion', shell])).stdout)
  writeFileSync(join(home.home, 'a file.json'), '{}')
  symlinkSync(home.home, join(home.home, 'a directory'))
  await home.run(['profile', 'add', 'production', 'https://prod.test', '--key-env', 'K'])
})
afterAll(() => home.close())

/** What a shell prints, line by line. */
function runShell(shell: string, args: string[]): string[] {
  return execFileSync(shell, args, { env, cwd: home.home, encoding: 'utf8' }).split('\n').filter(Boolean)
}

/** What each shell offers for a line whose last word is being typed. */
const offers: Record<string, (words: string[]) => string[]> = {
  bash: words => {
    const script = `source "$HOME/bash"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mcpdeck; printf '%s\\n' "\${COMPREPLY[@]}"`
    return runShell('bash', ['--norc', '-c', script, 'test', ...words])
  },
  zsh: words => {
    // Completion works inside the line editor only; what it would show is caught where it is added.
    const script = `
      compdef() { :; }; source "$HOME/zsh"
      compadd() { while [[ $1 == -* && $1 != -- ]]; do shift; done; [[ $1 == -- ]] && shift; print -rl -- "$@"; }
      _files() { print -rl -- *; }
      _describe() { shift; [[ $1 == option ]] && shift; for name in $@; do [[ $name == -- ]] || print -rl -- "\${(@P)name%%:*}"; done; }
      words=("$@"); CURRENT=$#; _mcpdeck`
    const found = runShell('zsh', ['-f', '-c', script, 'test', ...words])
    return found.filter(name => name.startsWith(words.at(-1) ?? ''))
  },
  fish: words => {
    const line = words.join(' ')
    const script = `source $HOME/fish; complete -C '${line}'`
    return runShell('fish', ['--no-config', '-c', script]).map(offer => offer.split('\t')[0] ?? '')
  },
}

describe.each(['bash', 'zsh', 'fish'])('%s', shell => {
  const complete = (...words: string[]) => offers[shell]!(['mcpdeck', ...words])

  test('offers commands, and those below a command', { tags: [shell] }, () => {
    expect(complete('')).toEqual(expect.arrayContaining(['api', 'serve', 'profile', 'completion', 'doctor']))
    expect(complete('pro')).toContain('profile')
    expect(complete('serve', 'key', '')).toEqual(expect.arrayContaining(['create', 'list', 'revoke']))
    expect(complete('serve', 'key', 'r')).toEqual(['revoke'])
  })

  test('offers the options of the command and those of the program', { tags: [shell] }, () => {
    expect(complete('serve', '--p')).toEqual(expect.arrayContaining(['--port', '--profile']))
    expect(complete('serve', '--p')).not.toContain('--paginate')
    expect(complete('--read')).toContain('--read-only')
  })

  test('offers operations, profiles, choices and files where they belong', { tags: [shell] }, () => {
    expect(complete('api', 'listPro')).toContain('listProjects')
    expect(complete('profile', 'use', '')).toEqual(expect.arrayContaining(['local', 'production']))
    expect(complete('--profile', 'pr')).toEqual(['production'])
    expect(complete('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']))
    expect(complete('profile', 'add', 'x', 'https://x.test', '--badge', 're')).toEqual(['red'])
    expect(complete('api', '--input', 'a')).toContain('a file.json')
  })

  test('takes the value of an option for what it is', { tags: [shell] }, () => {
    expect(complete('--profile', 'serve', 'ap')).toContain('api')
    expect(complete('--data-dir', 'profile', 'serve', 'key', 'rev')).toEqual(['revoke'])
    expect(complete('serve', '--port', '')).toEqual([])
  })
})

test('bash splits at the equals sign, and the value is still offered', { tags: ['bash'] }, () => {
  expect(offers.bash!(['mcpdeck', '--profile', '=', 'pr'])).toEqual(['production'])
})

test('everything that commander declares is in every script', () => {
  const { program } = buildProgram({ version: '0', dashboard: async () => 0 })
  const commands = declaredCommands(program)
  expect(commands.length).toBeGreaterThan(20)
  for (const shell of ['bash', 'zsh', 'fish']) {
    const script = readFileSync(join(home.home, shell), 'utf8')
    for (const { path, options } of commands) {
      expect(script).toContain(path)
      for (const name of options.flatMap(option => option.names))
        expect(script).toMatch(new RegExp(shell === 'fish' ? `-[ls] ${name.replace(/^-+/, '')}\\b` : `${name}\\b`))
    }
    for (const { operation } of allEndpoints()) expect(script).toContain(operation)
  }
})

test('the bash script is one that bash 3.2 reads too', { tags: ['bash'] }, () => {
  const script = readFileSync(join(home.home, 'bash'), 'utf8')
  expect(script).not.toMatch(/mapfile|readarray|declare -A|local -A|\$\{\w+\^|;;&/)
  expect(spawnSync('bash', ['-n', join(home.home, 'bash')]).status).toBe(0)
})
