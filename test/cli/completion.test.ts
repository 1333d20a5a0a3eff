import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { allEndpoints } from '../../src/api/contract/contract.ts'
import { buildProgram } from '../../src/cli/commands.ts'
import { declaredCommands } from '../../src/cli/completion/declared.ts'
import { PATIENCE } from '../patience.ts'
import { inWorkspace } from '../prepared-workspace.ts'
import { minimalEnv } from '../pty/home.ts'
import { openTerminal } from '../pty/terminal.ts'
import { openHome } from './program.ts'

const SERVER = join(import.meta.dirname, '../servers/stdio-server.mjs')
/** A name that would run a program if a shell expanded it. */
const HOSTILE = `$(touch pwned) 'x' "y"`
/** How each shell starts for people, with the settings of the home. */
const STARTS: Record<string, readonly string[]> = {
  bash: ['--rcfile', 'bashrc', '-i'],
  zsh: ['-i'],
  fish: ['--no-config', '-C', 'source $HOME/fish; function fish_prompt; echo "ready> "; end', '-i'],
}
const PROGRAM = join(import.meta.dirname, '../../dist/boot.js')
let home: Awaited<ReturnType<typeof openHome>>
let env: Record<string, string>

beforeAll(async () => {
  home = await openHome()
  const bin = join(home.home, 'bin')
  mkdirSync(bin)
  // The typed command is recorded and not run.
  const note = `printf '%s\\n' "$@" > "$HOME/part"; mv "$HOME/part" "$HOME/typed"`
  const ask = `exec '${process.execPath}' '${PROGRAM}' "$@"`
  writeFileSync(join(bin, 'mcpdeck'), `#!/bin/sh\nif [ "$1" = completion ]; then ${ask}; fi\n${note}\n`)
  chmodSync(join(bin, 'mcpdeck'), 0o755)
  env = { ...minimalEnv(home.home), PATH: `${bin}:${process.env.PATH}` }
  for (const shell of ['bash', 'zsh', 'fish'])
    writeFileSync(join(home.home, shell), (await home.run(['completion', shell])).stdout)
  writeFileSync(join(home.home, 'bashrc'), `PS1='ready> '; source "$HOME/bash"\n`)
  writeFileSync(join(home.home, '.zshrc'), `PS1='ready> '; autoload -Uz compinit\ncompinit -u -D\nsource "$HOME/zsh"\n`)
  writeFileSync(join(home.home, 'a file.json'), '{}')
  symlinkSync(home.home, join(home.home, 'a directory'))
  await home.run(['profile', 'add', 'production', 'https://prod.test', '--key-env', 'K'])
  await inWorkspace(home.home, async ({ client, projectId }) => {
    const program = { enabled: true, transportType: 'stdio' as const, command: process.execPath }
    const save = (name: string, args: string[]) =>
      client.servers.create({ projectId, body: { name, args, ...program } })
    for (const name of [HOSTILE, 'two words', 'one:other=x']) await save(name, [SERVER, 'healthy'])
    const { id } = await save('silent', ['-e', 'setInterval(() => {}, 1000)'])
    const prompt = { id: 'a', kind: 'prompt' as const, prompt: 'Hello?' }
    const tests = [{ title: 'Pings', steps: [prompt] }]
    const suite = { name: 'Smoke & mirrors', serverIds: [id], model: 'm', tests }
    await client.suites.create({ projectId, body: suite })
    await client.projects.update({ projectId, body: { name: 'My project' } })
  })
})
afterAll(() => home.close())

/** Returns the output of a shell, line by line. */
function runShell(shell: string, args: string[]): string[] {
  return execFileSync(shell, args, { env, cwd: home.home, encoding: 'utf8' }).split('\n').filter(Boolean)
}

/** Returns the offers of each shell for a line whose last word is being typed. */
const offers: Record<string, (words: string[], ...own: string[]) => string[]> = {
  bash: words => {
    const script = `source "$HOME/bash"; COMP_LINE=$1; COMP_POINT=\${#1}; _mcpdeck; printf '%s\\n' "\${COMPREPLY[@]}"`
    return runShell('bash', ['--norc', '-c', script, 'test', words.join(' ')])
  },
  zsh: words => {
    // Completion works only inside the line editor, so offers are captured where they are added.
    const script = `
      compdef() { :; }; source "$HOME/zsh"
      compadd() { while [[ $1 == -* && $1 != -- ]]; do [[ $1 == -[dV] ]] && shift; shift; done; shift; print -rl -- "$@"; }
      _files() { print -rl -- *; }
      _describe() { shift; [[ $1 == option ]] && shift; for name in $@; do [[ $name == -- ]] || print -rl -- "\${(@P)name%%:*}"; done; }
      words=("$@"); CURRENT=$#; _mcpdeck`
    const found = runShell('zsh', ['-f', '-c', script, 'test', ...words])
    return found.filter(name => name.startsWith(words.at(-1) ?? ''))
  },
  fish: (words, ...own) => {
    const line = words.join(' ')
    const script = `source $HOME/fish; complete -C ${JSON.stringify(line)}`
    return runShell('fish', ['--no-config', ...own, '-c', script]).map(offer => offer.split('\t')[0] ?? '')
  },
}

describe.each(['bash', 'zsh', 'fish'])('%s', shell => {
  const complete = (...words: string[]) => offers[shell]!(['mcpdeck', ...words])

  test('offers commands and their subcommands', { tags: [shell] }, () => {
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

  test('treats the value of an option as a value', { tags: [shell] }, () => {
    expect(complete('--profile', 'serve', 'ap')).toContain('api')
    expect(complete('--data-dir', 'profile', 'serve', 'key', 'rev')).toEqual(['revoke'])
    expect(complete('serve', '--port', '')).toEqual([])
  })

  test('offers what is possible at each position of a line', { tags: [shell] }, () => {
    expect(complete('tools', 'tw')).toHaveLength(1)
    expect(complete('tools', 'silent', 'tw')).toEqual([])
    expect(complete('doctor', 'silent', 'sil')).toEqual(['silent'])
    expect(complete('run', 'Smo')).toHaveLength(1)
    expect(complete('get', 'cases', '--suite', 'Smo')).toHaveLength(1)
    expect(complete('get', 'suites', 'Smo')).toHaveLength(1)
    expect(complete('edit', 'servers', 'sil')).toEqual(['silent'])
    expect(complete('tools', '--project', 'My')).toHaveLength(1)
    expect(complete('tools', '--', 'sil')).toEqual(['silent'])
    // These commands are not about saved servers.
    expect(complete('try', 'sil')).toEqual([])
    expect(complete('call', '--url', 'http://x.test', 'sil')).toEqual([])
  })

  test('offers the tools of the server that the line names', { tags: [shell] }, () => {
    expect(complete('call', "'two words'", 'env')).toEqual(['environment'])
    expect(complete('call', 'nowhere', 'env')).toEqual([])
  })

  test('offers names from the workspace that the line names', { tags: [shell] }, () => {
    expect(complete('--data-dir', join(home.home, 'none'), 'tools', 'sil')).toEqual([])
    expect(complete('--profile', 'production', 'tools', 'sil')).toEqual([])
    expect(complete('--data-dir', '~/.local/share/mcpdeck', 'tools', 'sil')).toEqual(['silent'])
  })

  const typed = [
    ['tools two', ['tools', 'two words']],
    ['tools \\$\\(', ['tools', HOSTILE]],
    ["tools '$(", ['tools', HOSTILE]],
    ['run --environment x Smo', ['run', '--environment', 'x', 'Smoke & mirrors']],
    ['tools one', ['tools', 'one:other=x']],
    ...(shell === 'bash' ? ([['tools "\\$(', ['tools', HOSTILE]]] as const) : []),
    ...(shell === 'bash' ? ([['tools one\\:', ['tools', 'one:other=x']]] as const) : []),
  ] as const
  test.each(typed)('completes a name that a shell could misinterpret: %s', { tags: [shell] }, async (line, words) => {
    rmSync(join(home.home, 'typed'), { force: true })
    const terminal = openTerminal({
      command: shell,
      args: STARTS[shell]!,
      env,
      home: home.home,
      cwd: home.home,
      cols: 200,
    })
    onTestFinished(() => terminal.close())
    await terminal.waitFor('ready>')
    terminal.type(`mcpdeck ${line}\t\r`)
    const done = () => existsSync(join(home.home, 'typed'))
    await vi.waitUntil(done, PATIENCE)
    expect(readFileSync(join(home.home, 'typed'), 'utf8').split('\n').filter(Boolean)).toEqual(words)
    expect(existsSync(join(home.home, 'pwned'))).toBe(false)
  })
})

// Fish 3 does this only on request; fish 4 always does it.
test.each<[string, string[]]>([
  ['as it is', []],
  ['where a question mark matches no other character', ['--features=qmark-noglob']],
])('fish %s does not count a switch as an argument', { tags: ['fish'] }, (_, features) => {
  const complete = (...words: string[]) => offers.fish!(['mcpdeck', ...words], ...features)
  expect(complete('--read-only', 'serve', 'key', 'rev')).toEqual(['revoke'])
  expect(complete('serve', '-q', '--profile=production', 'key', 'rev')).toEqual(['revoke'])
  expect(complete('serve', '-', 'key', 'rev')).toEqual([])
})

test('bash splits words at the equals sign, and the value is still offered', { tags: ['bash'] }, () => {
  expect(offers.bash!(['mcpdeck', '--profile=pr'])).toEqual(['production'])
  expect(offers.bash!(['mcpdeck', '--base-url=http://127.0.0.1:9/api/v1', 'tools', ''])).toEqual([])
})

test('bash quotes every name according to where it is inserted', { tags: ['bash'] }, () => {
  // Readline closes a quote unless it is the last character.
  const script = `source "$HOME/bash"
    while IFS= read -r name; do
      for mark in '' "'" '"'; do
        cur='' prefix='' kept='' odd='' COMPREPLY=(); _mcpdeck_add "$name"; line=$mark\${COMPREPLY[0]}
        if [[ -n $mark && \${line: -1} != "$mark" ]]; then line+=$mark; fi
        eval "set -- $line"; if [[ $# != 1 || $1 != "$name" ]]; then printf '%s\\n' "$mark $name"; fi
      done
    done`
  const piece = fc.constantFrom(
    ...`'"\\$()!&;|<>*?[]{}~#=:@%^ a\u00E9\u{1F600}`,
    '$(touch pwned)',
    '`touch pwned`',
    "'x'",
  )
  const name = fc.array(piece, { minLength: 1, maxLength: 8 }).map(pieces => `x${pieces.join('')}`)
  fc.assert(
    fc.property(fc.array(name, { minLength: 50, maxLength: 100 }), names => {
      const input = names.map(each => `${each}\n`).join('')
      const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], {
        env,
        cwd: home.home,
        input,
        encoding: 'utf8',
      })
      expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' })
    }),
    { numRuns: 10 },
  )
  expect(existsSync(join(home.home, 'pwned'))).toBe(false)
})

test('everything that commander declares is in every completion script', () => {
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

test('bash 3.2 can read the bash script', { tags: ['bash'] }, () => {
  const script = readFileSync(join(home.home, 'bash'), 'utf8')
  expect(script).not.toMatch(/mapfile|readarray|declare -A|local -A|\$\{\w+\^|;;&/)
  expect(spawnSync('bash', ['-n', join(home.home, 'bash')]).status).toBe(0)
})
