import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { affected, installedIn, parseAdvisories } from './audit/advisories.ts'
import { root } from './paths.ts'

/** Exit codes: no known advisory, at least one, or nothing could be checked. */
const EXIT = { none: 0, found: 1, notChecked: 2 } as const

// Compares package-lock.json with a file of advisories, without a network: `npm run audit:offline -- advisories.json`.
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { lockfile: { type: 'string', default: join(root, 'package-lock.json') } },
})
const file = resolve(positionals[0] ?? process.env['MCPDECK_ADVISORIES'] ?? join(root, 'advisories.json'))
process.exitCode = audit()

function audit(): number {
  if (!existsSync(file)) {
    console.error(
      `There is no file of advisories at ${file}, so nothing was checked. Name one: npm run audit:offline -- ` +
        "FILE, with OSV records or npm's bulk advisories as JSON.",
    )
    return EXIT.notChecked
  }
  try {
    const installed = installedIn(readFileSync(values.lockfile, 'utf8'))
    const advisories = parseAdvisories(readFileSync(file, 'utf8'))
    const found = affected(installed, advisories)
    for (const { installed: of, advisory } of found)
      console.log(`${of.name} ${of.version}: ${advisory.id} ${advisory.title} (${of.place})`)
    console.log(
      `${found.length} known, ${installed.length} versions against advisories on ${advisories.size} packages.`,
    )
    return found.length > 0 ? EXIT.found : EXIT.none
  } catch (error) {
    console.error(`Nothing was checked: ${error instanceof Error ? error.message : String(error)}.`)
    return EXIT.notChecked
  }
}
