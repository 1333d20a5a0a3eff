import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { parse } from 'yaml'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { check, loadConfig, problemLine } from '../../src/cli/config/file.ts'
import { defaultFile } from '../../src/cli/config/default-file.ts'
import { DEFAULTS } from '../../src/cli/config/defaults.ts'
import { addProfile, keepTheme, saveShare } from '../../src/cli/config/edit.ts'
import { Config } from '../../src/cli/config/schema.ts'
import { THEME_CHOICES } from '../../src/tui/theme/theme-choice.ts'
import { openHome } from './program.ts'

/** The problems of a text, as `config check` prints them. */
async function problems(text: string): Promise<string[]> {
  const checked = await check(text)
  return checked.ok ? [] : checked.problems.map(problem => problemLine('f', problem))
}

describe('a mistake is reported with its line, its column and the allowed values', () => {
  const profile = (lines: string) => `profiles:\n  prod:\n    baseUrl: https://x.test\n${lines}`
  test.each<[string, string, RegExp]>([
    ['a value that is none', 'mouse: true\nnotify: loud\n', /^f:2:9: "notify" is "loud"; it can be .+\.$/],
    [
      'a theme that is none',
      'theme: nrod\nthemes: { mine: {} }\n',
      /^f:1:8: "theme" cannot be used: there is no theme .+"nord"\? Allowed here: auto, .+, mine\.$/,
    ],
    [
      'a colour that is none',
      'themes:\n  mine: { like: nord, ok: green }\n',
      /^f:2:27: "themes\.mine\.ok" cannot be used: a colour is written #rrggbb\.$/,
    ],
    [
      'a tone that is none',
      'themes:\n  mine: { okay: "#00ff00" }\n',
      /^f:2:11: There is no setting "okay"\. .*Allowed here: like, ground, text, .+\.$/,
    ],
    [
      'a setting that is none',
      '\nprofils: {}\n',
      /^f:2:1: There is no setting "profils"\. Did you mean "profiles"\? Allowed here: default, .+\.$/,
    ],
    [
      'a setting of a profile that is none',
      profile('    reedOnly: true\n'),
      /^f:4:5: .+"reedOnly"\. Did you mean "readOnly"\? Allowed here: baseUrl, .+\.$/,
    ],
    [
      'a screen that is none',
      profile('    web: { run: https://x.test/ }\n'),
      /^f:4:12: There is no setting "run"\. Did you mean "runs"\? Allowed here: now, projects, .+\.$/,
    ],
    [
      'a screen that is none to read more often',
      'reads:\n  servrs: less\n',
      /^f:2:3: There is no setting "servrs"\. Did you mean "servers"\? Allowed here: now, projects, .+\.$/,
    ],
    ['a part of a name', profile('    url: x\n'), /Did you mean "baseUrl"\?/],
    [
      'a type',
      profile('    readOnly: yes\n'),
      /^f:4:15: "profiles\.prod\.readOnly" must be true or false, not "yes"\.$/,
    ],
    ['a missing address', 'profiles:\n  prod:\n    slug: x\n', /^f:2:3: "profiles\.prod\.baseUrl" is missing\.$/],
    [
      'an address that is none',
      'profiles:\n  prod: { baseUrl: x.test }\n',
      /^f:2:20: .+ it is not an http or https URL, such as https:\/\/host\/api\/v1\.$/,
    ],
    [
      'two key sources',
      profile('    keyFile: a\n    keyEnv: B\n'),
      /^f:5:13: .+second source.+keyFile, keyCommand, keyEnv\.$/,
    ],
    [
      'a default that is none',
      `default: prd\n${profile('')}`,
      /^f:1:10: .+Did you mean "prod"\? Allowed here: local, prod\.$/,
    ],
    [
      'a name that is taken',
      'profiles:\n  local: { baseUrl: "https://x.test" }\n',
      /^f:2:3: "profiles\.local" cannot be a name here/,
    ],
    [
      'a binding that is none',
      'keys:\n  app.refrsh: R\n',
      /^f:2:3: There is no binding "app\.refrsh"\. Did you mean "app\.refresh"\?/,
    ],
    ['a key that is none', 'keys:\n  app.refresh: [R, foo]\n', /^f:2:20: .+keys are written like x, X, ctrl\+x/],
    [
      'a key that something else has',
      'keys:\n  app.refresh: q\n',
      /^f:2:3: app\.refresh cannot be on q: app\.quit is on q\.$/,
    ],
    ['no block of settings', '- 1\n', /^f:1:1: The file must be a block of settings, not a list\.$/],
    ['no YAML', 'theme: dark\nkeys: [1\n', /^f:3:1: This is not YAML: .+\.$/],
    ['a setting twice', 'theme: dark\ntheme: light\n', /^f:2:1: This is not YAML: Map keys must be unique\.$/],
  ])('%s', async (_, text, expected) => {
    const [first, ...others] = await problems(text)
    expect(first).toMatch(expected)
    expect(others).toEqual([])
  })

  test('for every mistake, in the order of the file', async () => {
    const found = await problems('mouse: 1\nprofiles:\n  a b: {}\n  prod:\n    baseUrl: 1\n    colour: red\ntheme: x\n')
    expect(found.map(line => line.split(':')[1])).toEqual(['1', '3', '5', '6', '7'])
  })

  test('for bindings and the default profile too, despite other mistakes', async () => {
    const found = await problems(
      'default: prd\nprofiles:\n  prod: {}\ntheme: x\nkeys:\n  app.refrsh: r\n  app.help: 5\n  app.quit: "?"\n',
    )
    expect(found).toEqual([
      expect.stringMatching(/^f:1:\d+: "default" cannot .+ Did you mean "prod"\?/),
      expect.stringMatching(/^f:3:/),
      expect.stringMatching(/^f:4:/),
      expect.stringMatching(/^f:6:3: There is no binding "app.refrsh"\. Did you mean "app.refresh"\?/),
      expect.stringMatching(/^f:7:/),
      expect.stringMatching(/^f:8:3: app\.quit cannot be on \?/),
    ])
  })

  test('a key that was written into the config file is reported and never shown', async () => {
    const text = ['keyFile', 'keyCommand', 'keyEnv', 'project', 'readOnly', 'key', 'badge']
      .map((name, index) => `  p${index}: { baseUrl: "https://x.test", ${name}: sk_very_secret }`)
      .join('\n')
    const found = await problems(`theme: sk_very_secret\nprofiles:\n${text}\n`)
    expect(found).toHaveLength(8)
    expect(found.join('\n')).not.toContain('very_secret')
  })

  test('a config file with more aliases than its settings need is refused', async () => {
    const bomb = [
      'a: &a [x]',
      ...'bcdefgh'.split('').map((name, index) => `${name}: &${name} [${`*${'abcdefg'[index]},`.repeat(9)}]`),
    ]
    expect(await problems(bomb.join('\n'))).toEqual([expect.stringMatching(/^f:1:1: /)])
  })
})

test('any text is accepted, or refused with positions inside the text', async () => {
  const parts = fc.constantFrom(
    'theme',
    'profiles',
    'keys',
    'prod',
    'baseUrl',
    'app.quit',
    'https://x.test',
    ':',
    ': ',
    '\n',
    '\n  ',
    '\n    ',
    '- ',
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    '&a ',
    '*a',
    '#',
    '!!binary ',
    '---\n',
    '~',
    '1',
    'true',
    '? ',
    '<<: ',
    '\t',
    '|\n',
    '\u0000',
    '__proto__',
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 9, arbitrary: parts }, fc.string()), { maxLength: 30 }),
      async words => {
        const text = words.join('')
        const checked = await check(text)
        const lines = text.split('\n')
        for (const { line, column, message } of checked.ok ? [] : checked.problems) {
          expect(line).toBeGreaterThan(0)
          expect(line).toBeLessThanOrEqual(lines.length)
          expect(column).toBeLessThanOrEqual((lines[line - 1] ?? '').length + 1)
          expect(message).toMatch(/[.?]$/)
        }
      },
    ),
  )
})

describe('the default file', () => {
  test('changes nothing as written, and is valid with every line uncommented', async () => {
    expect(parse(defaultFile())).toBeNull()
    expect(await problems(defaultFile())).toEqual([])
    // Without a file the schema is not used.
    expect(Config.parse({})).toEqual(DEFAULTS)
    const uncommented = defaultFile()
      .split('\n')
      .filter(line => /^# +[\w.]+:|^# +- /.test(line))
      .map(line => line.slice(2))
      .join('\n')
    expect(await problems(uncommented)).toEqual([])
    expect(Object.keys(parse(uncommented) as object)).toEqual(Object.keys(Config.shape))
  })
})

describe('mcpdeck config', () => {
  let home: Awaited<ReturnType<typeof openHome>>
  let file: string
  beforeEach(async () => {
    home = await openHome()
    file = join(home.home, '.config/mcpdeck/config.yaml')
    vi.stubEnv('XDG_STATE_HOME', join(home.home, '.local/state'))
  })
  afterEach(() => home.close())

  function write(text: string): void {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text, { mode: 0o600 })
  }

  test('init writes the commented file for its owner only, and never overwrites another', async () => {
    expect(await home.run(['config', 'init'])).toEqual({ code: 0, stdout: `${file}\n`, stderr: '' })
    expect(readFileSync(file, 'utf8')).toBe(defaultFile())
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const again = await home.run(['config', 'init'])
    expect(again).toMatchObject({ code: 2, stdout: '' })
    expect(again.stderr).toContain('There is a config file already')
  })

  test('path follows MCPDECK_CONFIG, and check and show print the settings in effect', async () => {
    const elsewhere = join(home.home, 'elsewhere.yaml')
    writeFileSync(elsewhere, 'theme: light\n')
    const env = { MCPDECK_CONFIG: elsewhere }
    expect((await home.run(['config', 'path'], { env })).stdout).toBe(`${elsewhere}\n`)
    const shown = await home.run(['config', 'show', '--json'], { env })
    expect(JSON.parse(shown.stdout)).toMatchObject({ theme: 'light', mouse: true, default: 'local' })
    expect(await home.run(['config', 'check'], { env })).toMatchObject({ code: 0, stdout: `${elsewhere} is fine.\n` })
    expect((await home.run(['config', 'check'])).stdout).toContain('everything is at its default')
  })

  test('a broken file stops the commands that need it, but not help, check and doctor', async () => {
    write('theme: blue\nprofiles: 3\n')
    const opened = await home.run([])
    expect(opened).toMatchObject({ code: 2, stdout: '' })
    expect(opened.stderr).toBe(
      `mcpdeck: ${file}:1:8: "theme" cannot be used: there is no theme of this name. ` +
        `Allowed here: ${THEME_CHOICES.join(', ')}. There is one more: mcpdeck config check.\n`,
    )
    expect((await home.run(['--help'])).code).toBe(0)
    const checked = await home.run(['config', 'check'])
    expect(checked.code).toBe(2)
    expect(checked.stderr.split('\n')).toHaveLength(3)
    const asJson = await home.run(['config', 'check', '--json'])
    expect(JSON.parse(asJson.stdout)).toMatchObject({ path: file, problems: [{ line: 1, column: 8 }, { line: 2 }] })
    const doctor = await home.run(['doctor'])
    expect(doctor.code).toBe(2)
    const lines = doctor.stdout.split('\n').map(line => line.trim())
    expect(lines).toContain(`${file}:2:11: "profiles" must be a block of settings by name, not 3.`)
    expect((await home.run(['api', '--list'])).code).toBe(0)
  })

  test('a custom theme is previewed with the contrast of its tones, and low contrast is reported', async () => {
    write('themes:\n  mine: { like: nord, error: "#5e2129" }\n')
    const { stdout, code } = await home.run(['theme', 'preview', 'mine'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^mine: of your config file\n ✓ passed .+\n▌✓ passed/)
    expect(stdout).toContain('error is hard to read: at least 4.5:1 is wanted.')
    expect(stdout).not.toContain('ok is hard to read')
    const listed = JSON.parse((await home.run(['theme', 'list', '--json'])).stdout)
    expect(listed.items.at(-1)).toMatchObject({ name: 'mine', colours: { error: '#5e2129', ground: '#2e3440' } })
    const refused = await home.run(['theme', 'preview', 'nrod'])
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean "nord"?') })
  })

  test('a chosen theme is saved, and the comments of the file are kept', async () => {
    write('# mine\nmouse: false # over ssh\n')
    await keepTheme('nord', { MCPDECK_CONFIG: file })
    expect(readFileSync(file, 'utf8')).toBe('# mine\nmouse: false # over ssh\ntheme: nord\n')
  })

  test('changes that are made at the same time are all kept', async () => {
    vi.stubEnv('MCPDECK_CONFIG', file)
    const names = ['one', 'two', 'three']
    await Promise.all([
      ...names.map(name => addProfile(name, { baseUrl: `https://${name}.test` })),
      keepTheme('nord', process.env),
      saveShare('runs', 'more'),
    ])
    const { profiles, theme, reads } = (await loadConfig(process.env)).config
    expect(Object.keys(profiles)).toEqual(expect.arrayContaining(names))
    expect([theme, reads]).toMatchObject(['nord', { runs: 'more' }])
  })

  test('a file that cannot be read is a configuration error', async () => {
    mkdirSync(file, { recursive: true })
    expect(await home.run([])).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be read') })
    chmodSync(file, 0o700)
  })
})
