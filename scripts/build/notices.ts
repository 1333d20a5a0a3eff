import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** The name of the notices in `dist`. */
export const noticesFile = 'THIRD_PARTY_LICENSES'

const HEADER = `mcpdeck contains parts of the packages below, each under the licence that follows its name.
This file is made by the build from what it bundled.`
const RULE = '-'.repeat(80)
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i
const IN_PACKAGE = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//

/** Packages without the license file that they name, and a package of the same project that has it. */
const SAME_PROJECT = new Map([['@modelcontextprotocol/server-everything', '@modelcontextprotocol/client']])

type Manifest = {
  name: string
  version: string
  license?: string | { type?: string }
  author?: string | { name?: string }
}

/**
 * Returns the licenses of all packages that modules were bundled from, by name.
 * @param moduleIds absolute paths of the modules, as the bundler reports them
 * @throws if a package names no license, or a file that does not exist
 */
export function noticesOf(moduleIds: readonly string[]): string {
  const folders = new Set(moduleIds.flatMap(id => IN_PACKAGE.exec(id.replaceAll('\\', '/'))?.[1] ?? []))
  const notices = new Set([...folders].map(noticeOf))
  return `${[HEADER, ...[...notices].toSorted()].join(`\n\n${RULE}\n\n`)}\n`
}

function noticeOf(folder: string): string {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  const licence = typeof license === 'string' ? license : license?.type
  if (licence === undefined) throw new Error(`${name} ${version} names no licence, so it cannot be bundled.`)
  const other = SAME_PROJECT.get(name)
  const texts = licenceTexts(other === undefined ? folder : join(folder.slice(0, -name.length), other))
  if (texts.length === 0 && /^SEE LICEN[CS]E/i.test(licence))
    throw new Error(`${name} ${version} lacks the file that its licence is in, so it cannot be bundled.`)
  const by = typeof author === 'string' ? author : author?.name
  const head = `${name} ${version}\nLicence: ${licence}${by === undefined ? '' : `\nAuthor: ${by}`}`
  return [head, ...texts].join('\n\n')
}

function licenceTexts(folder: string): string[] {
  const files = readdirSync(folder).filter(file => LICENCE_FILE.test(basename(file)))
  return files.toSorted().map(file => readFileSync(join(folder, file), 'utf8').trim())
}
