import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gt, valid } from 'semver'
import { notesOf, releasedChangelog } from './changelog.ts'

const HELP = `npm run release -- VERSION [--dry-run]   change version and changelog, make the files, commit and tag
npm run release -- --files              make the files of the version that is checked out, as a tag's workflow does`

/** The reason why nothing is released. */
class Refusal extends Error {}

type Manifest = { version: string; scripts?: Record<string, string> }

const folder = process.cwd()
const release = join(folder, 'release')
const readText = (name: string): string => readFileSync(join(folder, name), 'utf8')
const manifest = (): Manifest => JSON.parse(readText('package.json')) as Manifest
const git = (...args: string[]): string => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()
const npm = (...args: string[]): string =>
  execFileSync('npm', [...args, '--loglevel=error'], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })

/** Yields the reasons against releasing this version now. */
function* obstacles(version: string): Generator<string> {
  const before = manifest().version
  if (valid(version) !== version) yield `${version} is no version such as 1.2.0.`
  else if (!gt(version, before)) yield `${version} does not follow ${before}.`
  if (git('tag', '--list', `v${version}`) !== '') yield `The tag v${version} is there already.`
  if (git('status', '--porcelain') !== '') yield 'The working tree holds changes that are not committed.'
}

/** Makes the npm package, the executables if the project has any, the notes, and the checksums of all of them. */
function makeFiles(): string[] {
  rmSync(release, { recursive: true, force: true })
  if (manifest().scripts?.['package'] !== undefined) npm('run', 'package')
  mkdirSync(release, { recursive: true })
  npm('pack', '--pack-destination', release)
  const files = readdirSync(release).filter(name => /\.(?:tgz|tar\.gz)$/.test(name))
  const sums = files.map(name => {
    const sum = createHash('sha256').update(readFileSync(join(release, name)))
    return `${sum.digest('hex')}  ${name}\n`
  })
  writeFileSync(join(release, 'SHA256SUMS'), sums.join(''))
  writeFileSync(join(release, 'NOTES.md'), notesOf(readText('CHANGELOG.md'), manifest().version))
  return [...files, 'SHA256SUMS', 'NOTES.md']
}

/** Updates version and changelog, makes the files, commits and tags; restores version and changelog if that fails. */
function makeRelease(version: string, changelog: string): void {
  const names = ['package.json', 'package-lock.json', 'CHANGELOG.md'] as const
  const before = names.map(name => [name, readText(name)] as const)
  try {
    npm('version', version, '--no-git-tag-version', '--ignore-scripts')
    writeFileSync(join(folder, 'CHANGELOG.md'), changelog)
    for (const file of makeFiles()) console.log(`release/${file}`)
    git('commit', '--quiet', '--message', `Release ${version}`, '--', ...names)
  } catch (error) {
    for (const [name, text] of before) writeFileSync(join(folder, name), text)
    throw error
  }
  git('tag', '--annotate', `v${version}`, '--message', `Release ${version}`)
  console.log(`Committed and tagged as v${version}. git push --follow-tags publishes it.`)
}

function main(): void {
  const options = { 'dry-run': { type: 'boolean' }, files: { type: 'boolean' } } as const
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const [version, ...others] = positionals
  if (values.files && version === undefined) {
    if (git('tag', '--points-at', 'HEAD').split('\n').includes(`v${manifest().version}`)) return void makeFiles()
    throw new Refusal(`The commit is not tagged v${manifest().version}, the version in package.json.`)
  }
  if (version === undefined || others.length > 0 || values.files) throw new Refusal(HELP)
  const found = [...obstacles(version)]
  const changelog = releasedChangelog(readText('CHANGELOG.md'), version, new Date().toISOString().slice(0, 10))
  if (!values['dry-run']) {
    if (found.length > 0) throw new Refusal(found.join('\n'))
    return makeRelease(version, changelog)
  }
  const [{ filename, files }] = JSON.parse(npm('pack', '--dry-run', '--json', '--ignore-scripts')) as [
    { filename: string; files: unknown[] },
  ]
  console.log(`${notesOf(changelog, version)}\n${filename.replace(manifest().version, version)}: ${files.length} files`)
  for (const obstacle of found) console.log(`In the way: ${obstacle}`)
}

try {
  main()
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  console.error(error.message)
  process.exitCode = 2
}
