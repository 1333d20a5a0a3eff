import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { apiDocument } from './docs/api.ts'
import { configDocument } from './docs/config.ts'
import { doctorDocument } from './docs/doctor.ts'
import { galleryDocument, galleryPictures } from './docs/gallery.ts'
import { keysDocument } from './docs/keys.ts'
import { limitsDocument } from './docs/limits.ts'
import { nounsDocument } from './docs/nouns.ts'
import { screensDocument } from './docs/screens.ts'
import { serviceDocument } from './docs/service.ts'
import { stabilityDocument } from './docs/stability.ts'
import { oddWord } from './lint/words.ts'
import { root } from './paths.ts'

/** A document that is generated from the source. `file` is relative to the repository. */
type Generator = { file: string; text: () => Promise<string> }

const generators: readonly Generator[] = [
  { file: 'docs/api.md', text: async () => apiDocument() },
  { file: 'docs/config.md', text: async () => configDocument() },
  { file: 'docs/doctor.md', text: async () => doctorDocument() },
  { file: 'docs/gallery.md', text: async () => galleryDocument() },
  ...galleryPictures,
  { file: 'docs/keys.md', text: async () => keysDocument() },
  { file: 'docs/limits.md', text: async () => limitsDocument() },
  { file: 'docs/nouns.md', text: async () => nounsDocument() },
  { file: 'docs/screens.md', text: async () => screensDocument() },
  { file: 'docs/service.md', text: async () => serviceDocument() },
  { file: 'docs/stability.md', text: async () => stabilityDocument((await current('docs/stability.md')) ?? '') },
]

async function current(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch {
    return undefined
  }
}

/** Writes a document, or only compares it if `check` is set; resolves to whether it was already up to date. */
async function refresh({ file, text }: Generator, check: boolean): Promise<boolean> {
  const path = join(root, file)
  const wanted = await text()
  if ((await current(path)) === wanted) return true
  if (!check) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, wanted)
  }
  return false
}

const { check } = parseArgs({ options: { check: { type: 'boolean', default: false } } }).values
const states = await Promise.all(generators.map(generator => refresh(generator, check)))
const stale = generators.filter((_, index) => !states[index]).map(generator => generator.file)
if (stale.length > 0) console.log(`${check ? 'out of date, run npm run docs' : 'written'}: ${stale.join(', ')}`)
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...(await readdir(join(root, 'docs'))).map(name => `docs/${name}`),
]
const odd = await Promise.all(pages.filter(page => page.endsWith('.md')).map(oddLines))
for (const line of odd.flat()) console.log(line)
if (check && stale.length + odd.flat().length > 0) process.exitCode = 1

/** Returns the lines of a page that have an odd word, each with its place. */
async function oddLines(page: string): Promise<string[]> {
  const lines = (await readFile(join(root, page), 'utf8')).split('\n')
  return lines.flatMap((line, at) => (oddWord(line) ? [`${page}:${at + 1}: ${oddWord(line)}`] : []))
}
