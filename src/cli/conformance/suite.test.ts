import { chownSync, lchownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findSuite } from './suite.ts'

const OTHER_USER = 1234

/** Returns a folder in which the suite is installed, and the places of its package. */
function installed() {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-suite-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const place = join(folder, 'node_modules/@modelcontextprotocol/conformance')
  const [manifest, program] = [join(place, 'package.json'), join(place, 'suite.mjs')]
  mkdirSync(place, { recursive: true })
  writeFileSync(manifest, '{ "version": "1.2.3", "bin": "suite.mjs" }')
  writeFileSync(program, '')
  return { folder, place, manifest, program }
}

/** Moves a file or folder away and links to it. */
function linkTo(at: string, text?: string): void {
  const target = join(mkdtempSync(join(tmpdir(), 'mcpdeck-own-')), 'target')
  onTestFinished(() => rmSync(join(target, '..'), { recursive: true }))
  rmSync(at, { recursive: true })
  if (text === undefined) mkdirSync(target)
  else writeFileSync(target, text)
  symlinkSync(target, at)
}

test('the suite of this user is run, also through a link to its folder', () => {
  const { folder, place, manifest, program } = installed()
  expect(findSuite(folder, undefined)).toMatchObject({ version: '1.2.3', installedIn: place, args: [program] })
  linkTo(place)
  writeFileSync(manifest, '{ "version": "1.2.4", "bin": "suite.mjs" }')
  writeFileSync(program, '')
  expect(findSuite(folder, undefined)).toMatchObject({ version: '1.2.4', installedIn: place })
})

test.skipIf(process.getuid?.() !== 0).each<[string, (suite: ReturnType<typeof installed>) => void]>([
  [
    'folder, with a link to a manifest of this user',
    ({ place, manifest }) => {
      linkTo(manifest, '{ "version": "1.2.3", "bin": "suite.mjs" }')
      lchownSync(manifest, OTHER_USER, OTHER_USER)
      chownSync(place, OTHER_USER, OTHER_USER)
    },
  ],
  ['manifest', ({ manifest }) => chownSync(manifest, OTHER_USER, OTHER_USER)],
  ['program', ({ program }) => chownSync(program, OTHER_USER, OTHER_USER)],
  [
    'link to a folder of this user',
    ({ place, manifest, program }) => {
      linkTo(place)
      writeFileSync(manifest, '{ "version": "1.2.3", "bin": "suite.mjs" }')
      writeFileSync(program, '')
      lchownSync(place, OTHER_USER, OTHER_USER)
    },
  ],
])('nothing of another user is run: a %s', (_what, change) => {
  const suite = installed()
  change(suite)
  expect(findSuite(suite.folder, undefined)).toMatchObject({ command: 'npx', installedIn: undefined })
})
