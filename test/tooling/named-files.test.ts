import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const files = globSync('{src,test,scripts,docs}/**/*.{ts,tsx,mjs,md}', { cwd: ROOT })
const texts = ['README.md', 'CONTRIBUTING.md', ...files.filter(file => !file.startsWith('test/tooling/'))]
const NAMED = /`([\w/-]+(?:\.[\w-]+)*\.(?:tsx?|mjs))`/g

/** A file is named by its whole path, or by the end of it. */
const exists = (name: string): boolean => files.some(file => `/${file}`.endsWith(`/${name}`))

test('no document names a folder of the machine that wrote it', () => {
  const documents = texts.filter(text => text.endsWith('.md')).map(text => readFileSync(join(ROOT, text), 'utf8'))
  for (const text of documents) expect(text).not.toMatch(/(?:^|[^\w.])\/[\w/.-]*(?:node_modules|dist)\//m)
})

test('every source file that documents and comments name exists', () => {
  const named = texts.flatMap(text =>
    [...readFileSync(join(ROOT, text), 'utf8').matchAll(NAMED)].map(([, name = '']) => ({ text, name })),
  )
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter(({ name }) => !exists(name))).toEqual([])
})

test('every page and picture that a document links to exists', () => {
  const documents = texts.filter(text => text.endsWith('.md'))
  const linked = documents.flatMap(text =>
    [...readFileSync(join(ROOT, text), 'utf8').matchAll(/\]\(([^)#:]+?)(?:#[^)]*)?\)|(?:src|srcset)="([^"]+)"/g)].map(
      ([, page, picture]) => ({ text, path: join(dirname(text), page ?? picture!) }),
    ),
  )
  expect(linked.length).toBeGreaterThan(50)
  expect(linked.filter(({ path }) => !existsSync(join(ROOT, path)))).toEqual([])
})

test('every heading that a document links to exists', () => {
  const documents = texts.filter(text => text.endsWith('.md'))
  const text = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
  const anchors = (file: string): string[] =>
    [...text(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\d _-]/gu, '')
        .replaceAll(' ', '-'),
    )
  const linked = documents.flatMap(file =>
    [...text(file).matchAll(/\]\(([^)#:]*)#([^)]+)\)/g)].map(([, page = '', anchor = '']) => ({
      file,
      page: page === '' ? file : join(dirname(file), page),
      anchor,
    })),
  )
  expect(linked.length).toBeGreaterThan(3)
  expect(linked.filter(({ page, anchor }) => !anchors(page).includes(anchor))).toEqual([])
})
