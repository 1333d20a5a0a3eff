import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { root } from '../../scripts/paths.ts'
import { minimalEnv } from '../pty/home.ts'

const SCRIPT = join(root, 'scripts/release.ts')

/** A project of one file with a history, and a function that runs the script in it. */
function project() {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-release-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const who = { GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.org' }
  const env = { ...minimalEnv(folder), ...who, GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.org' }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env, encoding: 'utf8' }).trim()
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  write('package.json', '{\n  "name": "thing",\n  "version": "1.0.0",\n  "files": ["index.js"]\n}\n')
  write(
    'package-lock.json',
    '{\n  "name": "thing",\n  "version": "1.0.0",\n  "lockfileVersion": 3,\n  "packages": {}\n}\n',
  )
  write('index.js', '')
  write('.gitignore', 'release/\n.*/\n')
  write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n- New: a thing.\n\n## 1.0.0, 2026-01-01\n\n- Old.\n')
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '--message', 'Begin')
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [SCRIPT, ...args], { cwd: folder, env, encoding: 'utf8' })
  return { folder, git, read, write, run }
}

test('a release changes version and changelog, makes files with checksums, commits and tags', () => {
  const { folder, git, read, run } = project()
  expect(run('1.1.0')).toMatchObject({ status: 0 })
  const { version } = JSON.parse(read('package.json')) as { version: string }
  expect([version, git('tag', '--points-at', 'HEAD'), git('status', '--porcelain')]).toEqual(['1.1.0', 'v1.1.0', ''])
  expect(git('log', '--format=%s')).toBe('Release 1.1.0\nBegin')
  expect(read('CHANGELOG.md')).toMatch(
    /## Unreleased\n\n## 1\.1\.0, 2\d{3}-\d\d-\d\d\n\n- New: a thing\.\n\n## 1\.0\.0/,
  )
  expect(read('release/NOTES.md')).toBe('- New: a thing.\n')
  const sum = createHash('sha256').update(readFileSync(join(folder, 'release/thing-1.1.0.tgz')))
  expect(read('release/SHA256SUMS')).toBe(`${sum.digest('hex')}  thing-1.1.0.tgz\n`)
  // Nothing new was committed since then.
  expect(run('1.2.0').status).not.toBe(0)
  expect([git('status', '--porcelain'), git('tag', '--list')]).toEqual(['', 'v1.1.0'])
  // The files that the workflow of the tag builds again.
  rmSync(join(folder, 'release'), { recursive: true })
  expect(run('--files')).toMatchObject({ status: 0 })
  expect(read('release/NOTES.md')).toBe('- New: a thing.\n')
})

test('a release that cannot be made says why, and changes nothing', () => {
  const { git, write, run } = project()
  git('tag', 'v1.1.0')
  expect(run('1.1.0')).toMatchObject({ status: 2, stderr: 'The tag v1.1.0 is there already.\n' })
  expect(run('0.9.0')).toMatchObject({ status: 2, stderr: '0.9.0 does not follow 1.0.0.\n' })
  expect(run('next')).toMatchObject({ status: 2, stderr: expect.stringContaining('next is no version') })
  expect(run('--files')).toMatchObject({ status: 2, stderr: expect.stringContaining('not tagged v1.0.0') })
  write('index.js', 'changed')
  expect(run('1.2.0')).toMatchObject({ status: 2, stderr: expect.stringContaining('not committed') })
  expect(run()).toMatchObject({ status: 2, stderr: expect.stringContaining('--dry-run') })
  expect([git('status', '--porcelain'), git('log', '--format=%s')]).toEqual(['M index.js', 'Begin'])
})

test.runIf(existsSync(join(root, '.git')))('a dry run of a release of this project succeeds', () => {
  const changelog = join(root, 'CHANGELOG.md')
  const before = readFileSync(changelog, 'utf8')
  // Otherwise Git refuses to read a folder of another user.
  const trusted = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' }
  const options = { cwd: root, encoding: 'utf8', env: { ...process.env, ...trusted } } as const
  const { status, stdout } = spawnSync(process.execPath, [SCRIPT, '999.0.0', '--dry-run'], options)
  expect(status).toBe(0)
  expect(stdout).toMatch(/^mcpdeck-999\.0\.0\.tgz: \d{2,} files$/m)
  expect(stdout.length).toBeGreaterThan(500)
  expect([readFileSync(changelog, 'utf8'), manifest.version]).toEqual([before, manifest.version])
})
