import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { table } from './bench/report.ts'
import { reasonFor } from './conformance/allowed.ts'
import { createSuite, type Result } from './conformance/suite.ts'

// Runs the client half of the official conformance suite with mcpdeck as the client, and prints a table. Exit code 0 if
// all scenarios pass, apart from those in scripts/conformance/allowed.ts.
const { values } = parseArgs({
  options: {
    /** Versions of the suite. */
    suite: { type: 'string', multiple: true, default: ['0.1.16', '0.2.0-alpha.12'] },
    /** Runs only scenarios with this in their name. */
    only: { type: 'string', multiple: true },
    /** A folder in which each version of the suite is installed in a folder of its own; npx fetches it otherwise. */
    installed: { type: 'string' },
    /** Keeps the reports of the suite, with all commands and their answers, in this folder. */
    keep: { type: 'string' },
    /** Number of scenarios that run at the same time. */
    together: { type: 'string', default: String(availableParallelism()) },
  },
})

type Row = Result & { version: string; scenario: string }

async function rowsOf(version: string): Promise<Row[]> {
  using suite = createSuite(version, values)
  const { only } = values
  const wanted = (await suite.scenarios()).filter(name => !only || only.some(part => name.includes(part)))
  const rows: Row[] = []
  const worker = async (): Promise<void> => {
    for (let scenario = wanted.shift(); scenario; scenario = wanted.shift()) {
      const row = { version, scenario, ...(await suite.run(scenario)) }
      rows.push(row)
      process.stderr.write(`${version} ${scenario}: ${row.state}\n`)
    }
  }
  await Promise.all(Array.from({ length: Number(values.together) }, worker))
  return rows.toSorted((a, b) => a.scenario.localeCompare(b.scenario))
}

/** Returns the remark of a row: the reason of a permitted failure, else the first failed check. */
function remark({ version, scenario, state, why }: Row): string {
  const reason = reasonFor(version, scenario)
  if (state !== 'passed') return reason ?? why
  return reason === undefined ? '' : 'passes: remove it from scripts/conformance/allowed.ts'
}

const rows: Row[] = []
for (const version of values.suite) rows.push(...(await rowsOf(version)))
const cells = rows.map(row => [row.version, row.scenario, row.state, `${row.passed} of ${row.checks}`, remark(row)])
console.log(table(['suite', 'scenario', 'state', 'checks passed', 'remark'], cells))
for (const version of values.suite) {
  const own = rows.filter(row => row.version === version)
  const count = (state: Row['state']): number => own.filter(row => row.state === state).length
  const figures = `${count('passed')} passed, ${count('failed')} failed, ${count('nothing checked')} checked nothing`
  console.log(`\n${version}: ${own.length} scenarios, ${figures}.`)
}
const isAsKnown = rows.every(row => (row.state === 'passed') === (reasonFor(row.version, row.scenario) === undefined))
process.exitCode = rows.length > 0 && isAsKnown ? 0 : 1
