import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { noticesFile, noticesOf } from '../../scripts/build/notices.ts'

const root = join(import.meta.dirname, '../..')

test('the build lists the licence of each package that it contains, and of no other', () => {
  const notices = readFileSync(join(root, 'dist', noticesFile), 'utf8')
  const ofMcp = ['client', 'sdk', 'server-everything'].map(name => `@modelcontextprotocol/${name}`)
  for (const name of ['react', 'ink', 'zod', 'commander', 'undici', 'yaml', ...ofMcp]) {
    const { version } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as {
      version: string
    }
    expect(notices).toContain(`\n\n${name} ${version}\nLicence: `)
  }
  expect(notices).toContain('Permission is hereby granted')
  expect(notices).not.toMatch(/^(?:vitest|fast-check|semver) \d/m)
})

test('a package without a licence cannot be bundled', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-notices-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const made = join(folder, 'node_modules/@some/package')
  mkdirSync(made, { recursive: true })
  const write = (more: object) =>
    writeFileSync(join(made, 'package.json'), JSON.stringify({ name: '@some/package', version: '1.2.3', ...more }))
  const modules = [join(made, 'lib/index.js'), join(folder, 'src/own.ts')]
  write({})
  expect(() => noticesOf(modules)).toThrow('@some/package 1.2.3 names no licence')
  write({ license: 'SEE LICENSE IN LICENSE' })
  expect(() => noticesOf(modules)).toThrow('@some/package 1.2.3 lacks the file that its licence is in')
  write({ license: 'ISC' })
  writeFileSync(join(made, 'LICENSE.md'), 'The text of it')
  expect(noticesOf(modules)).toMatch(/@some\/package 1\.2\.3\nLicence: ISC\n\nThe text of it\n$/)
})
