import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openHome } from '../cli/program.ts'
import { openTerminal, type Terminal } from '../pty/terminal.ts'
import { startOAuthServer, visit } from '../servers/oauth-server.ts'
import { until } from '../service/harness.ts'

type Server = Awaited<ReturnType<typeof startOAuthServer>>
type Home = Awaited<ReturnType<typeof openHome>>

/** A home with a saved server that requires OAuth, and a browser that records the addresses that it is given. */
async function prepared() {
  const server = await startOAuthServer()
  const home = await openHome()
  onTestFinished(() => home.close())
  const file = join(home.home, 'mcp.json')
  writeFileSync(file, JSON.stringify({ mcpServers: { guarded: { type: 'http', url: server.url } } }))
  expect(await home.run(['server', 'import', file, '--yes'])).toMatchObject({ code: 0 })
  const programs = join(home.home, 'programs')
  const noted = join(home.home, 'noted')
  mkdirSync(programs)
  writeFileSync(
    join(programs, 'xdg-open'),
    `#!/bin/sh\nprintf %s "$1" > '${noted}.part' && mv '${noted}.part' '${noted}'\n`,
  )
  chmodSync(join(programs, 'xdg-open'), 0o755)
  const env = { DISPLAY: ':0', PATH: `${programs}:${process.env['PATH']}` }
  const opened = (): Promise<string> =>
    until(
      () => readIf(noted),
      link => link !== '',
    )
  return { server, home, env, opened }
}

function readIf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

async function onServers(home: Home, env: Record<string, string> = {}): Promise<Terminal> {
  const terminal = openTerminal({ home: home.home, args: ['servers', '--log-file', join(home.home, 'log')], env })
  onTestFinished(() => terminal.close())
  await terminal.waitFor('guarded')
  terminal.press('down')
  await terminal.waitFor(/Signed in +no/)
  return terminal
}

async function agree(terminal: Terminal): Promise<void> {
  terminal.press('alt+o')
  await terminal.waitFor('Sign in to "guarded"?')
  terminal.press('down', 'enter')
  await terminal.waitFor('Waiting for you to sign in')
}

/** Checks that no credential is in a file below the home, or in these texts. */
function expectNoSecret({ state }: Server, home: Home, ...texts: string[]): void {
  const files = readdirSync(home.home, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const contents = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
  expect(state.secrets.length).toBeGreaterThan(2)
  const told = state.secrets.filter(secret => [...contents, ...texts].some(text => text.includes(secret)))
  expect(told).toEqual([])
}

test('a sign-in from the screen opens the browser, gets tokens, calls, refreshes, and shows no secret', async () => {
  const { server, home, env, opened } = await prepared()
  server.state.lastsS = 1
  const terminal = await onServers(home, env)
  await agree(terminal)
  const page = await fetch((await visit(await opened())).back)
  expect(await page.text()).toContain('This page can be closed')
  await terminal.waitFor(/Signed in to guarded, until (?:[\d-]+ )?\d\d:\d\d/)
  await terminal.waitFor('the next token is fetched automatically')
  const called = await home.run(['call', 'guarded', 'whoami', '--yes'])
  expect(called).toMatchObject({ code: 0, stdout: 'You are signed in.\n' })
  expect(server.state.refreshes).toBeGreaterThan(0)
  expectNoSecret(server, home, terminal.output, called.stderr)
  terminal.press('alt+x')
  await terminal.waitFor('Sign out of "guarded"?')
  terminal.press('down', 'enter')
  await terminal.waitFor('Signed out of guarded.')
  expect(await home.run(['tools', 'guarded'])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('Sign in to that server'),
  })
  terminal.type('q')
  expect(await terminal.waitForExit()).toMatchObject({ code: 0 })
})

/** Returns the link that `sign-in` prints. */
async function printed(stderr: () => string): Promise<string> {
  const links = await until(
    () => /^http\S+\n/m.exec(stderr()),
    found => found !== null,
  )
  return links![0].trim()
}

function startSignIn(home: Home, ...words: string[]) {
  const { child, ended, output } = home.start(['sign-in', 'guarded', ...words])
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  return { child, ended, output, stderr: () => stderr }
}

test('sign-in prints the link and waits for the callback, and sign-out removes the tokens', async () => {
  const { server, home } = await prepared()
  const { child, ended, stderr } = startSignIn(home)
  child.stdin.end()
  const link = await printed(stderr)
  expect(stderr()).toContain(`You sign in at ${new URL(server.authority).host}`)
  await fetch((await visit(link)).back)
  const end = await ended()
  expect(end).toMatchObject({ code: 0, stdout: expect.stringMatching(/Imported +yes/) })
  expect(await home.run(['call', 'guarded', 'whoami', '--yes'])).toMatchObject({ code: 0 })
  expectNoSecret(server, home, end.stdout, end.stderr)
  expect(await home.run(['sign-out', 'guarded'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
  expect(await home.run(['sign-out', 'guarded', '--yes'])).toMatchObject({ code: 0 })
  expect(await home.run(['tools', 'guarded'])).toMatchObject({ code: 3 })
})

test('sign-in accepts the address on standard input, and says what is wrong with it', async () => {
  const { server, home } = await prepared()
  const { child, ended, stderr } = startSignIn(home, '--json')
  const { back } = await visit(await printed(stderr))
  child.stdin.write('http://elsewhere.example/\n')
  await until(stderr, text => text.includes('Paste the address that begins with'))
  child.stdin.write(`${back}\n`)
  const end = await ended()
  expect(end.code).toBe(0)
  expect(JSON.parse(end.stdout)).toMatchObject({ imported: true })
  expectNoSecret(server, home, end.stdout, end.stderr)
})

test('a sign-in that is denied or hijacked continues, and an interrupted one ends with its signal', async () => {
  const { server, home } = await prepared()
  const denied = startSignIn(home)
  const link = await printed(denied.stderr)
  server.oddities.callback = { error: 'access_denied' }
  const { back: refused } = await visit(link)
  const foreign = new URL(refused)
  foreign.searchParams.set('state', 'guessed')
  await fetch(foreign)
  await until(denied.stderr, text => text.includes('from another sign-in'))
  await fetch(refused)
  await until(denied.stderr, text => text.includes('access was denied'))
  server.oddities.callback = {}
  await fetch((await visit(link)).back)
  expect(await denied.ended()).toMatchObject({ code: 0, stderr: expect.stringContaining('Signed in to guarded') })
  const terminal = openTerminal({ home: home.home, args: ['sign-in', 'guarded'] })
  onTestFinished(() => terminal.close())
  await terminal.waitFor('Waiting for the browser.')
  terminal.press('ctrl+c')
  const { code, signal } = await terminal.waitForExit()
  expect(signal === 'SIGINT' || code === 130).toBe(true)
  expect(await home.run(['sign-in', 'everything'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is a program'),
  })
})

test('for a server that does not register clients, the command says that a client is needed', async () => {
  const { server, home } = await prepared()
  server.oddities.metadata['registration_endpoint'] = undefined
  expect(await home.run(['sign-in', 'guarded'])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('--client-id takes the id'),
  })
  server.state.clients.set('by-hand', {})
  const { child, ended, stderr } = startSignIn(home, '--client-id', 'by-hand', '--scope', 'tools', '--scope', 'more')
  const link = await printed(stderr)
  expect(new URL(link).searchParams.get('scope')).toBe('tools more')
  child.stdin.end(`${(await visit(link)).back}\n`)
  expect(await ended()).toMatchObject({ code: 0 })
})
