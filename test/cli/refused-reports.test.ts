import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, type TestContext } from 'vitest'
import { openHome } from './program.ts'

const GREEN = '<testsuites name="mcpdeck" tests="2" failures="0" errors="0"/>\n'
const RED = /<testsuites name="mcpdeck" tests="1" failures="0" errors="1"/

async function openReports({ onTestFinished: atEnd }: Pick<TestContext, 'onTestFinished'> = { onTestFinished }) {
  const home = await openHome()
  atEnd(() => home.close())
  const [junit, summary] = [join(home.home, 'report.xml'), join(home.home, 'summary.md')]
  writeFileSync(junit, GREEN)
  writeFileSync(summary, '## Smoke: passed\n')
  return { home, junit, summary, read: (file: string) => readFileSync(file, 'utf8') }
}

const REFUSED: readonly [what: string, args: (reports: readonly string[]) => string[], why: string][] = [
  ['an unknown option', reports => ['run', 'Smoke', '--yess', ...reports], 'Unknown option'],
  ['an unknown option of the program', reports => ['--bogus', 'run', 'Smoke', ...reports], '--bogus'],
  ['an unknown option behind it', reports => ['watch', 'r1', ...reports, '--bogus'], '--bogus'],
  ['a value of another type', reports => ['run', 'Smoke', '--timeout', 'soon', ...reports], '--timeout'],
  ['a value that is missing', reports => ['run', 'Smoke', ...reports, '--model'], '--model'],
  ['the same of the program', reports => ['run', 'Smoke', ...reports, '--profile'], '--profile'],
  ['a choice that is none', reports => ['run', 'Smoke', '--in-doubt', 'guess', ...reports], '--in-doubt'],
  ['an empty value', reports => ['run', 'Smoke', ...reports, '--model', ''], '--model is empty'],
  ['a word too many', reports => ['run', 'Smoke', 'test', ...reports], 'Too many arguments'],
  ['a word that is missing', reports => ['watch', ...reports], 'Missing required argument'],
  ['a command that is misspelt', reports => ['rnu', 'Smoke', ...reports], '--junit'],
  ['a profile that is not there', reports => ['run', 'Smoke', '--yes', '--profile', 'x', ...reports], 'x'],
]

describe.concurrent('the report of an earlier command is replaced if a command is refused for', () => {
  test.for(REFUSED)('%s', async ([, args, why], ending) => {
    const { home, junit, summary, read } = await openReports(ending)
    expect(await home.run(args([`--junit=${junit}`, '--summary', summary]))).toMatchObject({ code: 2, stdout: '' })
    expect(read(junit)).toMatch(RED)
    expect(read(junit)).toContain(why)
    expect(read(summary)).toMatch(/^## Smoke: passed\n\n\n## .*: no verdict\n/)
  })

  test('a config file that cannot be read', async ending => {
    const { home, junit, summary, read } = await openReports(ending)
    mkdirSync(join(home.home, '.config/mcpdeck'), { recursive: true })
    writeFileSync(join(home.home, '.config/mcpdeck/config.yaml'), 'profiles: [')
    const args = ['run', 'Smoke', '--yes', '--junit', junit, '--summary', summary]
    expect(await home.run(args)).toMatchObject({ code: 2, stdout: '' })
    expect(read(junit)).toMatch(RED)
    expect(read(summary)).toMatch(/^## Smoke: passed\n\n\n## Smoke: no verdict\n/)
  })

  test('the same file for both reports', async ending => {
    const { home, junit, read } = await openReports(ending)
    const args = ['run', 'Smoke', '--yes', '--junit', junit, '--summary', junit]
    expect(await home.run(args)).toMatchObject({ code: 2, stdout: '' })
    expect(read(junit)).toMatch(RED)
  })

  test('a summary that cannot be written', async ending => {
    const { home, junit, read } = await openReports(ending)
    const args = ['run', 'Smoke', '--yes', '--junit', junit, '--summary', home.home]
    expect(await home.run(args)).toMatchObject({ code: 2, stdout: '' })
    expect(read(junit)).toMatch(RED)
  })

  test.for<[what: string, outputs: Record<string, string>, contents: Record<string, string>]>([
    ['a comment that is someone else’s', { comment: 'theirs.md', html: 'page.html' }, { 'theirs.md': 'theirs' }],
    ['a page that is someone else’s', { html: 'theirs.html', comment: 'comment.md' }, { 'theirs.html': 'theirs' }],
    ['a report in no directory', { junit: 'none/report.xml', comment: 'comment.md', html: 'page.html' }, {}],
    ['a baseline in the place of a report', { junit: 'base', baseline: 'base', comment: 'comment.md' }, { base: '' }],
    ['one file for a page and a comment', { html: 'comment.md', comment: 'comment.md', junit: 'report.xml' }, {}],
  ])('the other reports, for %s', async ([, outputs, contents], ending) => {
    const { home, read } = await openReports(ending)
    const at = (file: string) => join(home.home, file)
    const earlier = {
      'page.html': '<!doctype html>\n<!-- A report of mcpdeck. -->\nSmoke: passed',
      'comment.md': '<!-- mcpdeck comment.md -->\n## Smoke: passed\n',
      'report.xml': GREEN,
    }
    for (const [file, text] of Object.entries({ ...earlier, ...contents })) writeFileSync(at(file), text)
    const args = Object.entries(outputs).flatMap(([option, file]) => [`--${option}`, at(file)])
    expect(await home.run(['watch', 'r1', ...args])).toMatchObject({ code: 2, stdout: '' })
    for (const [file, text] of Object.entries(contents)) expect(read(at(file))).toBe(text)
    for (const file of Object.keys(earlier))
      if (Object.values(outputs).includes(file)) expect(read(at(file))).toMatch(/no verdict|errors="1"/)
  })

  test.for([
    [['--sinse', '8h'], '--sinse'],
    [['--json'], '--report excludes --json'],
    [['--profile', 'x'], 'x'],
    [['--base-url', 'http://127.0.0.1:9/'], 'No key for'],
  ] as const)('options of `now --report --force`: %s; without --force the file stays', async ([wrong, why], ending) => {
    const { home, junit: report, read } = await openReports(ending)
    const ALL_CLEAR = '# Shift report: all clear\n'
    writeFileSync(report, ALL_CLEAR)
    expect(await home.run(['now', '--report', report, ...wrong])).toMatchObject({ stdout: '' })
    expect(read(report)).toBe(ALL_CLEAR)
    const { code } = await home.run(['now', '--report', report, '--force', ...wrong])
    expect([2, 3]).toContain(code)
    expect(read(report)).toMatch(/^# No shift report\n\nFrom [-\d]+ [:\d]+ UTC:\n\n    [^\n]+\n$/)
    expect(read(report)).toContain(why)
    expect(read(report)).not.toContain('has not written it yet')
    expect(statSync(report).mode & 0o777).toBe(0o600)
  })

  test('a shift report that is written replaces an earlier file', async ending => {
    const { home, junit: report, read } = await openReports(ending)
    expect([0, 1, 3]).toContain((await home.run(['now', '--report', report, '--force'])).code)
    expect(read(report)).toMatch(/^# Shift report of /)
  })
})

describe.concurrent('a command line that is refused', () => {
  test('writes to a device and through a link, but over no file whose role is uncertain', async ending => {
    const { home, junit, read } = await openReports(ending)
    const link = join(home.home, 'link.xml')
    symlinkSync(junit, link)
    expect(await home.run(['run', 'Smoke', '--bogus', '--junit', '/dev/null'])).toMatchObject({ code: 2, stdout: '' })
    // Here `--junit` is the text of the notes, and after `--` it is a plain word.
    for (const args of [
      ['run', 'Smoke', '--bogus', '--notes', '--junit', junit],
      ['run', '--bogus', '--', '--junit', junit],
      ['tyr', '--env', 'A=b', '--', 'npm', 'run', 'server', '--junit', junit],
      ['call', 'server', 'tool', '--junit', junit],
      ['run', '--junit', junit, '--help'],
    ]) {
      await home.run(args)
      expect(read(junit)).toBe(GREEN)
    }
    expect(await home.run(['run', 'Smoke', '--bogus', '--junit', link])).toMatchObject({ code: 2 })
    expect(read(junit)).toMatch(RED)
  })

  test('says of a file that it cannot read that the report cannot be written', async ending => {
    const { home } = await openReports(ending)
    const loop = join(home.home, 'loop')
    symlinkSync(loop, loop)
    const { code, stderr } = await home.run(['watch', 'r1', '--html', loop])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`The report ${loop} cannot be written: `),
    })
  })

  test('reports both the wrong usage and a report that cannot be written', async ending => {
    const { home } = await openReports(ending)
    const { code, stderr } = await home.run(['run', 'Smoke', '--bogus', '--junit', home.home])
    expect(code).toBe(2)
    expect(stderr).toContain('--bogus')
    expect(stderr).toContain(`The report ${home.home} cannot be written`)
  })
})
