import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openHttpServer } from './service-double.ts'
import { commandArguments } from '../../src/cli/arguments/command-arguments.ts'
import { Config } from '../../src/cli/config/schema.ts'
import { chooseProfile, type ProfileOptions } from '../../src/cli/config/profiles.ts'
import { UsageError } from '../../src/cli/config/settings.ts'
import { openTerminal } from '../pty/terminal.ts'
import { openHome } from './program.ts'

const config = Config.parse({
  default: 'prod',
  profiles: { prod: { baseUrl: 'https://prod.test' }, stage: { baseUrl: 'https://stage.test/api/v1' } },
})

describe('choosing a profile', () => {
  test.each<[ProfileOptions, Record<string, string>, string]>([
    [{}, {}, 'prod'],
    [{ profile: 'stage' }, { MCPDECK_PROFILE: 'prod', MCPDECK_BASE_URL: 'https://x.test' }, 'stage'],
    [{ profile: 'local' }, { MCPDECK_PROFILE: 'prod' }, 'local'],
    [{ local: true }, { MCPDECK_BASE_URL: 'https://x.test' }, 'local'],
    [{ baseUrl: 'https://y.test' }, { MCPDECK_PROFILE: 'prod' }, 'https://y.test/api/v1'],
    [{}, { MCPDECK_PROFILE: 'stage' }, 'stage'],
    [{}, { MCPDECK_PROFILE: 'local' }, 'local'],
    [{}, { MCPDECK_BASE_URL: 'https://x.test/' }, 'https://x.test/api/v1'],
    [{ dataDir: '/data' }, {}, 'local'],
    [{ dataDir: '/data' }, { MCPDECK_PROFILE: 'stage' }, 'stage'],
  ])('%j with %j opens %s', (options, env, expected) => {
    const choice = chooseProfile(options, env, config)
    const opened = choice.kind === 'local' ? 'local' : choice.name === 'service' ? choice.baseUrl : choice.name
    expect(opened).toBe(expected)
  })

  test('contradictory options open nothing', () => {
    const none = Config.parse({})
    const choose =
      (options: ProfileOptions, env: Record<string, string>, from = config) =>
      () =>
        chooseProfile(options, env, from)
    expect(choose({ local: true, profile: 'prod' }, {})).toThrow('--local and --profile cannot be combined.')
    expect(choose({ profile: 'prod', baseUrl: 'https://x.test' }, {})).toThrow(UsageError)
    expect(choose({}, { MCPDECK_PROFILE: 'prod', MCPDECK_BASE_URL: 'https://x.test' })).toThrow('both set')
    expect(choose({ profile: 'prd' }, {})).toThrow('Did you mean "prod"?')
    expect(choose({ profile: '__proto__' }, {})).toThrow(UsageError)
    expect(choose({}, { MCPDECK_API_KEY: 'sk_x' }, none)).toThrow('MCPDECK_API_KEY is set but no address')
    expect(choose({ baseUrl: 'https://u:p@x.test' }, {})).toThrow('must not contain a user name')
  })

  test('a key that the environment pairs with an address is not sent to a named profile', () => {
    const env = { MCPDECK_API_KEY: 'sk_of_x', MCPDECK_BASE_URL: 'https://x.test' }
    expect(chooseProfile({ profile: 'prod' }, env, config)).toMatchObject({ source: { kind: 'stored' } })
    expect(chooseProfile({ profile: 'prod' }, { MCPDECK_API_KEY: 'sk_x' }, config)).toMatchObject({
      source: { kind: 'variable', name: 'MCPDECK_API_KEY' },
    })
  })
})

describe('splitting a key command into words', () => {
  test.each<[string, string[]]>([
    ['pass show mcpdeck/production', ['pass', 'show', 'mcpdeck/production']],
    [` op  read 'op://a b/c' `, ['op', 'read', 'op://a b/c']],
    [String.raw`a "b \"c\" \\" d\ e ''`, ['a', String.raw`b "c" \ `.trim(), 'd e', '']],
    [`a'b'"c"d`, ['abcd']],
    [`a '$HOME;|'`, ['a', '$HOME;|']],
  ])('%s', (text, words) => {
    expect(commandArguments(text)).toEqual(words)
  })

  test.each(['a | b', 'a; b', 'a $HOME', 'a "$(b)"', 'a `b`', 'cat ~/key', 'a > b', 'a && b', 'a *', '# a'])(
    'refuses %s, which needs a shell',
    text => {
      expect(() => commandArguments(text)).toThrow('without a shell')
    },
  )

  test.each([`a 'b`, 'a "b', 'a \\', '  '])('refuses %j, which is not a command', text => {
    expect(() => commandArguments(text)).toThrow(UsageError)
  })

  test('returns any words in single quotes unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }), words => {
        const quoted = words.map(word => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
        expect(commandArguments(quoted)).toEqual(words)
      }),
    )
  })
})

describe('profiles of a service', () => {
  const KEY = 'sk_the_key_itself'
  let home: Awaited<ReturnType<typeof openHome>>
  let service: Awaited<ReturnType<typeof openHttpServer>>
  beforeEach(async () => {
    home = await openHome()
    service = await openHttpServer(KEY)
  })
  afterEach(async () => {
    await service.close()
    await home.close()
  })

  const file = (name: string, text: string, mode = 0o600): string => {
    const path = join(home.home, name)
    writeFileSync(path, text, { mode })
    chmodSync(path, mode)
    return path
  }
  const add = (...args: string[]) => home.run(['profile', 'add', 'prod', service.address, '--use', ...args])
  const me = (env?: Record<string, string>) => home.run(['api', 'getMe'], env && { env })

  test('are added, listed, shown, made the default and removed, and comments are kept', async () => {
    expect((await home.run(['profile', 'use', 'prod'])).code).toBe(2)
    const path = join(home.home, '.config/mcpdeck/config.yaml')
    expect(existsSync(path), 'what is refused leaves no file').toBe(false)
    expect(await add('--key-env', 'K', '--badge', 'red', '--read-only')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Profile prod is the default now; its key: variable K.\n',
    })
    expect((await home.run(['profile', 'add', 'prod', service.address])).stderr).toContain('already')
    const listed = await home.run(['profile', 'list', '--json'])
    expect(JSON.parse(listed.stdout)).toEqual({
      items: [
        { name: 'local', baseUrl: null, keySource: null, isDefault: false, readOnly: false },
        {
          name: 'prod',
          baseUrl: `${service.address}/api/v1`,
          keySource: 'variable K',
          isDefault: true,
          readOnly: true,
        },
      ],
    })
    expect((await home.run(['profile', 'list', '--names'])).stdout).toBe('local\nprod\n')
    const shown = await home.run(['profile', 'show', '--json'])
    expect(JSON.parse(shown.stdout)).toMatchObject({ name: 'prod', because: 'the default profile', badge: 'red' })
    expect((await home.run(['profile', 'use', 'prd'])).stderr).toContain('Did you mean "prod"?')
    expect((await home.run(['profile', 'use', 'local'])).code).toBe(0)
    expect(JSON.parse((await home.run(['profile', 'show', '--json'])).stdout)).toMatchObject({ name: 'local' })
    expect((await home.run(['profile', 'remove', 'prod'])).code).toBe(0)
    expect(readFileSync(path, 'utf8')).toContain('# Services by name.')
    expect(readFileSync(path, 'utf8')).not.toContain('prod:\n    baseUrl: http:')
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('refuse a write before it is sent if they are read-only', async () => {
    await add('--key-env', 'K', '--read-only')
    const refused = await home.run(['api', 'createProject', '--field', 'name=x'], { env: { K: KEY } })
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('profile prod refuses every write')
    expect(service.seen).toEqual([])
  })

  test('take a key from a variable, a file or a command, and show its slug in the header', async () => {
    await add('--key-env', 'K', '--slug', 'acme')
    expect(await me({ K: KEY })).toMatchObject({ code: 0 })
    await home.run(['api', 'runs.list', '--field', 'projectId=p', '--field', 'suiteId=s'], { env: { K: KEY } })
    expect(service.seen.some(({ headers }) => headers['x-acme-eval-vocabulary'] === '2')).toBe(true)
    expect((await me()).stderr).toContain('set K.')
    await home.run(['profile', 'remove', 'prod'])
    await add('--key-file', file('a key', `${KEY}\nmore\n`))
    expect(await me()).toMatchObject({ code: 0 })
    await home.run(['profile', 'remove', 'prod'])
    await add('--key-command', `printf '${KEY}\\n'`)
    expect(await me()).toMatchObject({ code: 0 })
  })

  test('refuse a key file that others can read, and an invalid key', async () => {
    const path = file('open.key', `${KEY}\n`, 0o640)
    await add('--key-file', path)
    const refused = await me()
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain(`${path} can be read by others (mode 640)`)
    chmodSync(path, 0o600)
    writeFileSync(path, 'a secret that is no key\n')
    expect((await me()).stderr).toMatch(/does not look like a key of the service: it starts with "sk_"/)
    writeFileSync(path, '\nsk_second_line\n')
    expect((await me()).stderr).toContain('its first line is empty')
    expect(service.seen).toEqual([])
  })

  test('give a key command no key and few variables, and show none of its arguments when it fails', async () => {
    const out = join(home.home, 'env')
    const script = file('key.sh', `#!/bin/sh\nenv > '${out}'\nif read x; then exit 4; fi\necho ${KEY}\n`, 0o700)
    await add('--key-command', `'${script}' hidden-argument`)
    const env = { MCPDECK_API_KEY: 'sk_other', MCPDECK_MODEL_API_KEY: 'sk_model', AWS_SECRET: 'x' }
    expect(await me(env)).toMatchObject({ code: 0 })
    const names = readFileSync(out, 'utf8')
      .split('\n')
      .map(line => line.split('=')[0])
    expect(names).toContain('HOME')
    expect(names.filter(name => /KEY|AWS/.test(name ?? ''))).toEqual([])
    writeFileSync(script, '#!/bin/sh\nprintf "\\033[2Jlocked\\n" >&2\nexit 7\n')
    const failed = await me()
    expect(failed.code).toBe(2)
    expect(failed.stderr).toContain('gave no key: it ended with code 7 (␛[2Jlocked).')
    expect(failed.stderr).not.toContain('hidden-argument')
  })

  test('never pass a key as an argument, and never print, log or store it where it does not belong', async () => {
    const log = join(home.home, 'log')
    await add('--key-command', `printf ${KEY}`)
    const ended = await Promise.all([
      home.run(['profile', 'list']),
      home.run(['profile', 'show']),
      home.run(['config', 'show']),
      home.run(['doctor', '--log-file', log]),
    ])
    const said = ended.map(({ stdout, stderr }) => stdout + stderr).join('')
    expect(said.replaceAll(`printf ${KEY}`, '')).not.toContain(KEY)
    expect(readFileSync(log, 'utf8')).not.toContain(KEY)
    expect((await home.run(['--api-key', KEY])).code).toBe(2)
  })

  test('say how to give a key if there is neither a source nor a terminal', async () => {
    expect(await add()).toMatchObject({ code: 0, stderr: expect.stringContaining('asked for at a terminal') })
    const ended = await me()
    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain('there is no terminal to ask on: set MCPDECK_API_KEY')
    expect(await me({ MCPDECK_API_KEY: KEY })).toMatchObject({ code: 0 })
  })

  describe('at a terminal', () => {
    const typed = () => join(home.home, '.local/share/mcpdeck/keys', `prod@${service.host.replace(':', '_')}.key`)

    test('the key is typed once, hidden, stored for its owner, and removed with the profile', async () => {
      await add()
      await using first = openTerminal({ args: ['api', 'getMe'], home: home.home })
      await first.waitFor(`API key of prod at ${service.host}:`)
      first.type(`${KEY}x\u007F\r`)
      expect(await first.waitForExit()).toEqual({ code: 0, signal: undefined })
      expect(first.output).not.toContain('sk_')
      expect(readFileSync(typed(), 'utf8')).toBe(`${KEY}\n`)
      expect(statSync(typed()).mode & 0o777).toBe(0o600)
      expect(await me()).toMatchObject({ code: 0 })
      expect((await home.run(['profile', 'remove', 'prod'])).stderr).toContain('add --yes')
      expect((await home.run(['profile', 'remove', 'prod', '--yes'])).code).toBe(0)
      expect(existsSync(typed())).toBe(false)
    })

    test('Ctrl+C at the question exits, and nothing is stored', async () => {
      await add()
      await using asked = openTerminal({ home: home.home })
      await asked.waitFor('API key of prod')
      asked.type('sk_half\u0003')
      expect(await asked.waitForExit()).toMatchObject({ code: 130 })
      expect(existsSync(typed())).toBe(false)
      expect(asked.buffer).toBe('normal')
    })

    test('the header names profile and host in the color of its badge, unlike for the local profile', async () => {
      await add('--key-env', 'K', '--badge', 'red', '--read-only')
      await using remote = openTerminal({ home: home.home, env: { K: KEY } })
      await remote.waitFor(`prod · ${service.host}`)
      expect(remote.row(0)).toContain('read-only')
      await using local = openTerminal({ args: ['--local'], home: home.home })
      await local.waitFor(' local ')
      const colour = (terminal: typeof local) => terminal.cell(1, 0)?.getBgColor()
      expect(colour(remote)).not.toBe(colour(local))
    })

    test('after a change of the config nothing from before the change is shown', async () => {
      await using left = openTerminal({ home: home.home })
      await left.waitFor('Sandbox')
      left.type('q')
      await left.waitForExit()
      await add('--key-env', 'K')
      await using next = openTerminal({ home: home.home, env: { K: KEY } })
      await next.waitFor(`prod · ${service.host}`)
      expect(next.output).not.toContain('Last seen')
      expect(next.output).not.toContain('Sandbox')
    })

    test('an action is bound to the key from the config, and no longer to its default', async () => {
      const config = file('config.yaml', 'keys:\n  app.help: ctrl+g\n')
      await using person = openTerminal({ home: home.home, env: { MCPDECK_CONFIG: config } })
      await person.waitFor('Sandbox')
      await person.waitFor('Ctrl+G help')
      person.type('?')
      person.type('\u0007')
      await person.waitFor('What works here')
    })

    test('an address opens in the profile that it names', async () => {
      await add('--key-env', 'K')
      await using local = openTerminal({ args: ['mcpdeck://local/projects'], home: home.home })
      await local.waitFor('Sandbox')
      local.type('q')
      await local.waitForExit()
      // The default profile does not return to what this one showed.
      await using plain = openTerminal({ home: home.home, env: { K: KEY } })
      await plain.waitFor(`prod · ${service.host}`)
      expect(plain.output).not.toContain('Sandbox')
      const unknown = await home.run(['mcpdeck://other/projects'])
      expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no profile "other".') })
      expect(await home.run(['mcpdeck://%zz/projects'])).toMatchObject({ code: 2 })
    })

    test('a page of a hosted UI opens in the profile with matching addresses', async () => {
      await add('--key-env', 'K')
      const web = (name: string) => `  ${name}:
    baseUrl: ${service.address}
    keyEnv: K
    web: { runs: 'https://app.example/p/{projectId}/r/{runId}' }
`
      const one = file('one.yaml', `profiles:\n${web('prod')}`)
      const page = 'https://app.example/p/prj_x/r/run_y/trials'
      const env = { K: KEY, MCPDECK_CONFIG: one }
      await using person = openTerminal({ args: [page], home: home.home, env })
      await person.waitFor(`prod · ${service.host}`)
      await person.waitFor('[4 Runs]')
      person.type('q')
      await person.waitForExit()
      const both = file('both.yaml', `profiles:\n${web('prod')}${web('spare')}`)
      const places = [
        [page, both, 'can be a page of the profiles prod, spare; say which one with --profile.'],
        ['https://app.example/else', one, 'is the page of no place that profile local knows'],
        ['projects/%zz/nowhere', one, 'There is no place "projects/%zz/nowhere".'],
      ] as const
      for (const [place, config, stderr] of places)
        expect(await home.run([place], { env: { ...env, MCPDECK_CONFIG: config } })).toMatchObject({
          code: 2,
          stderr: expect.stringContaining(stderr),
        })
    })
  })
})
