import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startOAuthServer } from '../servers/oauth-server.ts'
import { openHome } from './program.ts'

const SECRET = 'correct-horse-battery'

/** A home with a saved server, whose authorization server knows the client "job". */
async function prepared() {
  const { url, state, authority } = await startOAuthServer()
  state.machine = (_, header) =>
    header === `Basic ${Buffer.from(`job:${SECRET}`).toString('base64')}` ? undefined : 'invalid_client'
  const home = await openHome()
  onTestFinished(() => home.close())
  const importing = async (server: object, env: Record<string, string> = {}, options = ['--yes']) => {
    const file = join(home.home, 'mcp.json')
    writeFileSync(file, JSON.stringify({ mcpServers: { guarded: { type: 'http', url, ...server } } }))
    return await home.run(['server', 'import', file, ...options], { env })
  }
  const { host } = new URL(authority)
  return { home, importing, state, host, url }
}

const BY_SECRET = ['sign-in', 'guarded', '--grant', 'client-credentials', '--client-id', 'job'] as const

test('a command signs in with a secret from a variable, and later ones renew the token', async () => {
  const { home, importing, state } = await prepared()
  await importing({})
  const ended = await home.run([...BY_SECRET, '--client-secret-env', 'JOB_SECRET', '--scope', 'tools', '--yes'], {
    env: { JOB_SECRET: SECRET },
  })
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/Grant +client-credentials/) })
  expect(ended.stderr).toContain('guarded gets its tokens without a person now.')
  state.accepted.clear()
  expect(await home.run(['call', 'guarded', 'whoami', '--yes'])).toMatchObject({
    code: 0,
    stdout: 'You are signed in.\n',
  })
  expect(state.redeemed).toHaveLength(2)
  const files = readdirSync(home.home, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const contents = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
  for (const secret of [SECRET, ...state.secrets])
    expect([...contents, ended.stdout, ended.stderr].filter(text => text.includes(secret))).toEqual([])
})

test('a refusal ends with 3 and its reason, and the browser is not offered', async () => {
  const { home, importing, host } = await prepared()
  await importing({})
  const ended = await home.run([...BY_SECRET, '--client-secret-env', 'JOB_SECRET', '--yes'], {
    env: { JOB_SECRET: 'wrong-secret' },
  })
  expect(ended).toMatchObject({ code: 3, stdout: '' })
  expect(ended.stderr).toContain(`${host} does not know the client "job", or its secret is wrong.`)
  expect(ended.stderr).not.toContain('wrong-secret')
})

test('a private key comes from a file, and a question names the host unless it was given', async () => {
  const { home, importing, state, host } = await prepared()
  await importing({})
  state.machine = ({ client_assertion = '' }) => (client_assertion === '' ? 'invalid_client' : undefined)
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = join(home.home, 'key.pem')
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const words = [...BY_SECRET, '--client-key-file', key]
  expect(await home.run(words)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`This sends the credentials for guarded to ${host}; add --yes`),
  })
  expect(state.redeemed).toEqual([])
  expect(await home.run([...words, '--issuer', `http://${host}`])).toMatchObject({ code: 0 })
})

test.each([
  [['--grant', 'client-credentials'], '--grant client-credentials needs --client-secret-env or --client-secret-file'],
  [['--grant', 'workload-identity'], '--grant workload-identity needs --assertion-env or --assertion-file'],
  [['--grant', 'enterprise'], '--grant enterprise needs --idp'],
  [['--grant', 'workload-identity', '--idp', 'https://x'], '--idp belongs to --grant enterprise'],
  [['--assertion-env', 'X'], '--assertion-env belongs to --grant workload-identity or enterprise'],
  [['--grant', 'client-credentials', '--open'], '--open is for a sign-in with a browser'],
  [
    ['--grant', 'client-credentials', '--client-id', 'a', '--client-secret-env', 'NOT_THERE'],
    'The variable NOT_THERE of --client-secret-env is empty',
  ],
  [
    ['--grant', 'client-credentials', '--client-secret-env', 'A', '--client-key-env', 'B'],
    'Give either --client-secret-env or --client-key-env',
  ],
])('wrong options %j of a sign-in are named', async (words, message) => {
  const home = await openHome()
  onTestFinished(() => home.close())
  mkdirSync(join(home.home, 'work'), { recursive: true })
  expect(await home.run(['sign-in', 'guarded', ...words])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(message),
  })
})

test('an import stores the client credentials of a file, says where they go, and can be repeated', async () => {
  const { importing, home, host } = await prepared()
  const oauth = { grant_type: 'client_credentials', client_id: 'job', client_secret: '${JOB_SECRET}' }
  const failed = await importing({ oauth }, { JOB_SECRET: 'wrong-secret' })
  expect(failed).toMatchObject({ code: 3, stderr: expect.stringContaining('does not know the client "job"') })
  const ended = await importing({ oauth }, { JOB_SECRET: SECRET })
  expect(ended).toMatchObject({ code: 0 })
  expect(ended.stderr).toContain('It gets its tokens without a person, as the client job')
  expect(ended.stderr).toContain(`It gets its tokens without a person, from ${host}.`)
  expect(ended.stdout + ended.stderr).not.toContain(SECRET)
  expect(await home.run(['call', 'guarded', 'whoami', '--yes'])).toMatchObject({ code: 0 })
  expect(await importing({ oauth }, { JOB_SECRET: SECRET }, [])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('This sends the credentials of 1 server to authorization servers; add --yes'),
  })
})

test('the build job of docs/scripting.md works as it is written', async () => {
  const { home, state, url } = await prepared()
  const [, section = ''] = readFileSync('docs/scripting.md', 'utf8').split('#### Without a person')
  const [, file = ''] = /^```json\n(.*?)^```/ms.exec(section) ?? []
  const [, steps = ''] = /^```yaml\n(.*?)^```/ms.exec(section) ?? []
  state.machine = ({ scope = '' }, header) =>
    scope === 'orders.read' && header === `Basic ${btoa(`nightly:${SECRET}`)}` ? undefined : 'invalid_client'
  writeFileSync(join(home.home, 'orders.mcp.json'), file.replace('https://mcp.example/orders', url))
  const commands = [...steps.matchAll(/run: mcpdeck (.*)/g)].map(([, words = '']) => words.split(' '))
  expect(commands.length).toBeGreaterThan(1)
  for (const words of commands) {
    // The server of the test has this tool in place of the one of the document.
    const own = words.map(word => (word === 'list-orders' ? 'whoami' : word))
    expect(await home.run(own, { cwd: home.home, env: { ORDERS_SECRET: SECRET } })).toMatchObject({ code: 0 })
  }
})
