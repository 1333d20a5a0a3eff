import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HOSTILE } from '../../../../test/hostile-texts.ts'
import type { ProjectServer } from '../../../api/contract/servers.ts'
import type { StoredReach } from '../stored-reach.ts'
import { writeServers } from './exporting.ts'
import { ANY_FORMAT, formatOf, knownPlaces } from './formats.ts'
import { readServers, type ServerEntry } from './reading.ts'
import { resolved, type VariableContext } from './variables.ts'

const context: VariableContext = {
  env: { TOKEN: 'hunter2-very-secret', EMPTY: '' },
  home: '/home/me',
  separator: '/',
  readText: path => {
    if (path === '/work/.env') return 'A=1\nTOKEN="of the file"\n'
    throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
  },
}

const read = (file: string, value: unknown) =>
  readServers({
    file,
    text: typeof value === 'string' ? value : JSON.stringify(value),
    format: formatOf(file),
    folder: '/work',
  })
const one = (file: string, value: unknown): ServerEntry => {
  const { entries, problems } = read(file, value)
  expect([entries.length, problems]).toEqual([1, []])
  return entries[0]!
}
const formOf = (file: string, value: unknown) => resolved(one(file, value), context)
const program = { command: 'node', args: ['s.js'] }

test.each<[file: string, text: unknown]>([
  ['.mcp.json', { mcpServers: { s: program } }],
  ['mcp.json', { servers: { s: program } }],
  ['mcp.json', { s: program }],
  ['~/.claude.json', { projects: { '/work': { mcpServers: { s: program } } }, mcpServers: {} }],
  ['Claude/claude_desktop_config.json', { mcpServers: { s: { ...program, type: 'stdio' } } }],
  ['.vscode/mcp.json', '{ "servers": { "s": { "command": "node", "args": ["s.js"], }, }, // all\n }'],
  ['Code/User/settings.json', { 'mcp.servers': { s: program }, 'editor.fontSize': 12 }],
  ['Code/User/settings.json', { mcp: { servers: { s: program } } }],
  ['.cursor/mcp.json', { mcpServers: { s: program } }],
  ['windsurf/mcp_config.json', { mcpServers: { s: program } }],
  ['.config/zed/settings.json', { context_servers: { s: { source: 'custom', ...program } } }],
  ['.config/zed/settings.json', { context_servers: { s: { command: { path: 'node', args: ['s.js'] } } } }],
])('a file of %s with %j contains one server with a command', (file, text) => {
  const entry = one(file, text)
  expect(entry).toMatchObject({ name: 's', transportType: 'stdio', fields: program, problems: [], left: [] })
  expect(resolved(entry, context)).toMatchObject({ form: program, missing: [], problems: [] })
})

test.each([
  ['.mcp.json', { type: 'http', url: 'https://x.example/mcp' }],
  ['.cursor/mcp.json', { url: 'https://x.example/mcp' }],
  ['mcp_config.json', { serverUrl: 'https://x.example/mcp' }],
  ['mcp_config.json', { url: null, serverUrl: 'https://x.example/mcp' }],
  ['.mcp.json', { type: 'sse', url: 'https://x.example/mcp' }],
])('a file of %s with %j contains an address', (file, server) => {
  const { form } = formOf(file, { mcpServers: { s: server } })
  expect(form).toEqual({ transportType: 'http', url: 'https://x.example/mcp' })
})

test.each([
  ['.mcp.json', 600_000, { timeout: 600_000 }, []],
  ['~/.claude.json', 999, {}, ['timeout']],
  ['.mcp.json', '600000', {}, ['timeout']],
  ['.cursor/mcp.json', 60, {}, ['timeout']],
  ['mcp.json', 600_000, {}, ['timeout']],
])('a file of %s with a timeout of %j is used if the program documents its unit', (file, timeout, taken, left) => {
  for (const server of [program, { url: 'https://x.example/mcp' }]) {
    const entry = one(file, { mcpServers: { s: { ...server, timeout } } })
    expect(entry.left).toEqual(left)
    const { form } = resolved(entry, context)
    expect('timeout' in form ? { timeout: form['timeout'] } : {}).toEqual(taken)
  }
})

test('variables are filled in as each program documents them, and unknown ones are named', () => {
  const env = (file: string, text: string, holder = 'mcpServers') => {
    const { form, missing, problems } = formOf(file, { [holder]: { s: { command: 'x', env: { K: text } } } })
    return problems[0]?.message ?? missing[0]?.reference ?? (form['env'] as { K: string }).K
  }
  expect(env('.mcp.json', 'a${TOKEN}')).toBe('ahunter2-very-secret')
  expect(env('.mcp.json', '${NONE:-other}')).toBe('other')
  expect(env('.mcp.json', '${EMPTY}')).toBe('')
  expect(env('.mcp.json', '${NONE}')).toBe('${NONE}')
  expect(env('.mcp.json', '${A:-${TOKEN}}')).toContain('write the value itself')
  expect(env('.cursor/mcp.json', '${env:TOKEN}')).toBe('hunter2-very-secret')
  expect(env('.cursor/mcp.json', '${userHome}${/}${workspaceFolderBasename}')).toBe('/home/me/work')
  expect(env('.cursor/mcp.json', '${TOKEN}')).toContain('only Cursor knows')
  expect(env('claude_desktop_config.json', '${TOKEN}')).toBe('${TOKEN}')
  expect(env('.vscode/mcp.json', '${command:pick}', 'servers')).toContain('only VS Code knows')
})

test('an input is asked for as its file declares it, and the environment takes precedence over an env file', () => {
  const inputs = [{ type: 'promptString', id: 'key', description: 'API key', password: true }]
  const server = { command: 'x', envFile: '.env', env: { TOKEN: '${input:key}' } }
  const entry = one('.vscode/mcp.json', { inputs, servers: { s: server } })
  expect(resolved(entry, context).missing).toMatchObject([{ kind: 'input', about: 'API key', isSecret: true }])
  const { form, secrets } = resolved(entry, context, new Map([['${input:key}', 'given']]))
  expect(form['env']).toEqual({ A: '1', TOKEN: 'given' })
  expect(secrets).toContain('given')
  const { problems } = formOf('.vscode/mcp.json', { servers: { s: { ...server, envFile: 'none' } } })
  expect(problems[0]?.message).toBe('The envFile "none" of "s" cannot be read: ENOENT.')
})

test.each([
  [{ mcpServers: [] }, /"mcpServers" must hold servers by their names/],
  [{ mcpServers: { s: 5 } }, /"s" must be an object/],
  [{ mcpServers: { s: {} } }, /neither a command nor an address/],
  [{ mcpServers: { s: { command: 5 } } }, /"command" must be a text; it is 5/],
  [{ mcpServers: { s: { command: 'x', args: 'y' } } }, /"args" must be a list of texts; it is "y"/],
  [{ mcpServers: { s: { command: 'x', env: { A: [] } } } }, /"env.A" must be a text; it is a list/],
  [{ mcpServers: { s: { type: 'ws', url: 'wss://x' } } }, /has the type "ws", which is none of stdio/],
  [{ mcpServers: { s: { command: 'x', url: 'https://x' } } }, /a command and an address/],
  [{ mcpServers: { s: { url: 'ftp://x' } } }, /does not begin with http/],
  ['{"mcpServers": {"s": {"command": "x"}, "s": {"command": "y"}}}', /There are several "s" here/],
  ['{"mcpServers": {}} x', /This cannot be read as JSON/],
])('the file %j is refused with its position', (value, message) => {
  const { entries, problems } = read('.mcp.json', value)
  const all = [...problems, ...entries.flatMap(entry => resolved(entry, context).problems)]
  expect(all).toHaveLength(1)
  expect(all[0]!.message).toMatch(message)
  expect(all[0]).toMatchObject({ file: '.mcp.json', line: 1 })
})

test('client credentials of a file become a grant, with their variables filled in', () => {
  const oauth = { grant_type: 'client_credentials', client_id: 'job', client_secret: '${TOKEN}', scope: 'read' }
  const own = formOf('.mcp.json', { mcpServers: { s: { type: 'http', url: 'https://x.example/mcp', oauth } } })
  expect(own).toMatchObject({
    form: { url: 'https://x.example/mcp', useOAuth: true },
    grant: { clientId: 'job', clientSecret: 'hunter2-very-secret', scope: 'read' },
    problems: [],
  })
  expect(own.form).not.toHaveProperty('clientId')
  expect(own.secrets).toContain('hunter2-very-secret')
})

test('a grant of a file that lacks its secret is refused, and what else the file says of it is left out', () => {
  const server = (oauth: object) => ({ mcpServers: { s: { type: 'http', url: 'https://x.example/mcp', oauth } } })
  const { problems } = one('.mcp.json', server({ grant_type: 'client_credentials', client_id: 'job' }))
  expect(problems.map(({ message }) => message)).toEqual([
    'The client_credentials grant needs a client_id, and either a client_secret or a private_key.',
  ])
  const whole = { grant_type: 'client_credentials', clientId: 'job', private_key: 'KEY', token_url: 'https://y' }
  expect(one('.mcp.json', server(whole))).toMatchObject({ problems: [], left: ['oauth.token_url'] })
  const more = { client_id: 'read', ...whole, audience: 'https://api', token_url: null }
  expect(one('.mcp.json', server(more)).left).toEqual(['oauth.clientId', 'oauth.audience'])
})

test('the secret of a client in a file is one secret, and its variable is filled in', () => {
  const auth = { CLIENT_ID: 'app', CLIENT_SECRET: '${env:TOKEN}' }
  const own = formOf('.cursor/mcp.json', { mcpServers: { s: { url: 'https://x.example/mcp', auth } } })
  expect(own.form).toMatchObject({ clientId: 'app', clientSecret: 'hunter2-very-secret' })
  expect(new Set(own.secrets)).toEqual(new Set(['hunter2-very-secret']))
})

test('no value makes reading throw, and no problem contains a secret', () => {
  const leaf = fc.oneof(fc.constantFrom(...HOSTILE, '${', '${A}', 'x'), fc.integer(), fc.boolean(), fc.constant(null))
  const server = fc.dictionary(
    fc.constantFrom(
      'command',
      'args',
      'env',
      'url',
      'serverUrl',
      'headers',
      'type',
      'envFile',
      'disabled',
      'oauth',
      'auth',
      '__proto__',
    ),
    fc.oneof(leaf, fc.array(leaf), fc.dictionary(fc.string(), leaf)),
  )
  const servers = fc.dictionary(fc.string(), fc.oneof(server, leaf))
  const holder = fc.constantFrom('mcpServers', 'servers', 'context_servers', 'mcp.servers', 'inputs')
  fc.assert(
    fc.property(fc.dictionary(holder, fc.oneof(servers, leaf)), value => {
      const found = readServers({ file: 'f', text: JSON.stringify(value), format: ANY_FORMAT })
      for (const entry of found.entries) {
        const { form, missing, problems } = resolved(entry, context)
        if (missing.length + problems.length === 0) expect(typeof (form['command'] ?? form['url'])).toBe('string')
        expect(problems.map(({ message }) => message).join()).not.toContain('hunter2')
      }
    }),
  )
})

test('an export is read back as the same servers, with references for what is not returned', () => {
  const saved = (name: string, url?: string): ProjectServer => ({
    id: name,
    name,
    enabled: true,
    transportType: url === undefined ? 'stdio' : 'http',
    url: url ?? null,
  })
  const names = fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 5 })
  fc.assert(
    fc.property(names, fc.constantFrom('mcp' as const, 'vscode' as const), (all, format) => {
      const servers = all.map((name, index) => saved(name, index % 2 === 0 ? `https://x.example/${index}` : undefined))
      const { value, left } = writeServers(servers, format)
      const { entries, problems } = readServers({ file: 'f', text: JSON.stringify(value), format: ANY_FORMAT })
      expect(problems).toEqual([])
      const shown = entries.map(({ name, transportType, fields }) => [name, transportType, fields.url ?? null])
      const wanted = servers.map(({ name, transportType, url }) => [name, transportType, url])
      expect(new Map(shown.map(each => [each[0], each]))).toEqual(new Map(wanted.map(each => [each[0], each])))
      expect(left).toHaveLength(servers.length)
      for (const entry of entries.filter(({ transportType }) => transportType === 'stdio'))
        expect(resolved(entry, context).missing).toHaveLength(1)
    }),
  )
  const reaches: Record<string, StoredReach> = {
    local: { command: 'node', args: ['server.js', '--api-key', 'hunter2'], env: { TOKEN: 'hunter2' } },
    remote: { headers: { 'X-Key': 'hunter2' } },
    plain: { command: 'npx', args: ['-y', 'server'] },
  }
  const all = [saved('local'), saved('remote', 'https://x.example/mcp'), saved('plain')]
  const reached = writeServers(all, 'mcp', id => reaches[id])
  expect(reached.value).toEqual({
    mcpServers: {
      local: {
        command: 'node',
        args: ['server.js', '--api-key', '${LOCAL_ARGUMENT_3}'],
        env: { TOKEN: '${LOCAL_TOKEN}' },
      },
      remote: { type: 'http', url: 'https://x.example/mcp', headers: { 'X-Key': '${REMOTE_X_KEY}' } },
      plain: { command: 'npx', args: ['-y', 'server'] },
    },
  })
  expect(reached.left).toEqual([
    'local: its secrets and the values of its environment are references.',
    'remote: the values of its headers are references.',
  ])
  const events = writeServers([saved('events', 'https://x.example/sse')], 'vscode')
  expect(events.value).toEqual({ servers: { events: { type: 'sse', url: 'https://x.example/sse' } } })
  const secret = writeServers([saved('my api', 'https://x.example/mcp?key=hunter2')], 'mcp')
  expect(secret.value).toEqual({ mcpServers: { 'my api': { type: 'http', url: '${MY_API_URL}' } } })
})

test('the known places of files match each operating system', () => {
  const paths = (platform: NodeJS.Platform, home: string, env = {}) =>
    knownPlaces({ platform, home, folder: platform === 'win32' ? 'C:\\w' : '/w', env }).map(({ path }) => path)
  expect(paths('linux', '/home/me', { XDG_CONFIG_HOME: '/cfg' })).toEqual(
    expect.arrayContaining([
      '/w/.mcp.json',
      '/w/.vscode/mcp.json',
      '/home/me/.claude.json',
      '/home/me/.cursor/mcp.json',
      '/home/me/.codeium/windsurf/mcp_config.json',
      '/cfg/Claude/claude_desktop_config.json',
      '/cfg/Code/User/mcp.json',
      '/cfg/zed/settings.json',
    ]),
  )
  expect(paths('darwin', '/Users/me')).toEqual(
    expect.arrayContaining([
      '/Users/me/Library/Application Support/Claude/claude_desktop_config.json',
      '/Users/me/Library/Application Support/Code/User/settings.json',
      '/Users/me/.config/zed/settings.json',
    ]),
  )
  expect(paths('win32', 'C:\\Users\\me')).toEqual(
    expect.arrayContaining([
      'C:\\w\\.cursor\\mcp.json',
      'C:\\Users\\me\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
      'C:\\Users\\me\\AppData\\Roaming\\Zed\\settings.json',
    ]),
  )
  for (const path of [...paths('win32', 'C:\\Users\\me'), ...paths('linux', '/home/me')])
    if (!/[/\\]w[/\\]mcp\.json$/.test(path)) expect(formatOf(path), path).not.toBe(ANY_FORMAT)
})
