import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const AUDIT = join(root, 'scripts/audit.ts')
const read = (name: string) => readFileSync(join(root, name), 'utf8')

const lock = {
  lockfileVersion: 3,
  packages: {
    '': { name: 'ours', version: '1.0.0' },
    'node_modules/a': { version: '1.2.3' },
    'node_modules/b/node_modules/a': { version: '2.0.0-beta.1' },
    'node_modules/@s/c': { version: '0.9.0' },
    'node_modules/alias': { name: 'd', version: '4.0.0' },
  },
}

/** Runs the audit like `npm run audit:offline`, with the given lock file and advisories. */
function audit(advisories: unknown, lockfile: unknown = lock) {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-audit-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const write = (name: string, value: unknown) => {
    writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value))
    return join(folder, name)
  }
  const file = advisories === undefined ? join(folder, 'none.json') : write('advisories.json', advisories)
  const args = [AUDIT, '--lockfile', write('package-lock.json', lockfile), file]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return { status, stdout, stderr }
}

const bulk = (range: string) => ({ a: [{ id: 7, title: 'Bad', vulnerable_versions: range }] })
const osv = (name: string, events: object[], more: object = {}) => ({
  id: 'GHSA-1',
  summary: 'Worse',
  affected: [{ package: { ecosystem: 'npm', name }, ranges: [{ type: 'SEMVER', events }] }],
  ...more,
})

test.each<[string, unknown, string[]]>([
  ['a range of npm', bulk('<1.2.4'), ['a 1.2.3: 7 Bad']],
  ['a range of npm that a prerelease is in', bulk('>=2.0.0-alpha <2.0.0'), ['a 2.0.0-beta.1: 7 Bad']],
  ['an OSV range without a fix', osv('@s/c', [{ introduced: '0' }]), ['@s/c 0.9.0: GHSA-1 Worse']],
  [
    'OSV events in any order',
    [osv('a', [{ fixed: '1.3.0' }, { introduced: '1.0.0' }, { introduced: '5.0.0' }])],
    ['a 1.2.3: GHSA-1 Worse'],
  ],
  [
    'a last affected version',
    { vulns: [osv('d', [{ introduced: '3.0.0' }, { last_affected: '4.0.0' }])] },
    ['d 4.0.0: GHSA-1 Worse'],
  ],
])('the audit reports %s, and its exit code is 1', (_, advisories, found) => {
  const { status, stdout } = audit(advisories)
  expect(
    stdout
      .split('\n')
      .slice(0, -2)
      .map(line => line.replace(/ \(.*/, '')),
  ).toEqual(found)
  expect(stdout).toContain(`${found.length} known, 4 versions`)
  expect(status).toBe(1)
})

test.each<[string, unknown]>([
  ['a range that ends before', bulk('<1.2.3')],
  ['a fixed version', osv('a', [{ introduced: '1.0.0' }, { fixed: '1.2.3' }])],
  ['a withdrawn record', osv('a', [{ introduced: '0' }], { withdrawn: '2026-01-01T00:00:00Z' })],
  ['another package', osv('alias', [{ introduced: '0' }])],
  ['no advisories', {}],
])('the audit reports nothing for %s, and its exit code is 0', (_, advisories) => {
  const { status, stdout } = audit(advisories)
  expect(stdout).toContain('0 known, 4 versions')
  expect(status).toBe(0)
})

test.each<[string, unknown, unknown, string]>([
  ['no file', undefined, lock, 'There is no file of advisories'],
  ['no JSON', '{', lock, 'Nothing was checked: '],
  ['a range that cannot be read', bulk('whatever!'), lock, 'no vulnerable_versions that can be read'],
  [
    'a record without versions',
    osv('a', [], { affected: [{ package: { ecosystem: 'npm', name: 'a' } }] }),
    lock,
    'names no version',
  ],
  ['an old lock file', {}, { dependencies: {} }, 'packages of the lock file holds no object'],
  [
    'a version that cannot be compared',
    {},
    { packages: { 'node_modules/x': { version: 'git' } } },
    'node_modules/x has no version',
  ],
])('with %s the audit checked nothing, and its exit code is 2 instead of 0', (_, advisories, lockfile, why) => {
  const { status, stderr } = audit(advisories, lockfile)
  expect(stderr).toContain(why)
  expect(status).toBe(2)
})

test('every package that npm installs is checked against its integrity, and Node against its digest', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { integrity?: string; version?: string; hasInstallScript?: boolean }>
  }
  const installed = Object.entries(packages).filter(([place]) => place !== '')
  expect(installed.filter(([, { integrity }]) => integrity === undefined)).toEqual([])
  // Files that an install script downloads have no integrity; only the install script of `node` is run.
  const { allowScripts, devDependencies } = JSON.parse(read('package.json')) as Record<string, object>
  expect(allowScripts).toEqual({ node: true })
  expect(devDependencies).toMatchObject({ node: packages['node_modules/node']?.version })
  expect(read('scripts/ci/node.sha256')).toContain(`\`node\` ${packages['node_modules/node']?.version} `)
})

// Other systems have no recorded digest: CI runs on these.
test.runIf(process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch))(
  'CI runs the recorded Node, and no other program in its place',
  () => {
    const check = join(root, 'scripts/ci/check-node.sh')
    expect(spawnSync(check, { encoding: 'utf8' })).toMatchObject({ status: 0 })
    const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-node-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    cpSync(join(root, 'scripts/ci'), join(folder, 'scripts/ci'), { recursive: true })
    mkdirSync(join(folder, 'node_modules/node/bin'), { recursive: true })
    writeFileSync(join(folder, 'node_modules/node/bin/node'), 'another program')
    writeFileSync(
      join(folder, 'scripts/ci/node.sha256'),
      read('scripts/ci/node.sha256').replaceAll(/ {2}\S+$/gm, `  ${systemName()}`),
    )
    const refused = spawnSync(join(folder, 'scripts/ci/check-node.sh'), { encoding: 'utf8' })
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('is not the Node on record') })
  },
)

function systemName(): string {
  return spawnSync('uname', ['-sm'], { encoding: 'utf8' }).stdout.trim().replace(' ', '-')
}
