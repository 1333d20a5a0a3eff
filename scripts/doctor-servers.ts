import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { DoctorReport } from '../src/api/contract/server-operations.ts'
import { examined, type DoctorFinding } from '../src/domain/servers/findings.ts'
import { chosen, folder, nameOfFile, onEach, stepOn } from './npm-servers/installed.ts'
import { findingsIn, readLabels, writeLabels, type Labelled, type Labels } from './npm-servers/labelled.ts'
import { npmServers, type NpmServer } from './npm-servers/list.ts'
import { mcpdeckWords } from './npm-servers/mcpdeck.ts'
import { parsed } from './npm-servers/outcome.ts'
import { writeSchemas } from './npm-servers/schemas.ts'

// Runs the doctor on servers from npm, saves their answers, and writes the findings of the current rules to
// scripts/npm-servers/labelled.json, in which a person marks each finding as true or false. `npm run docs` makes the
// table in docs/doctor.md from it. `--schemas` writes the input schemas of their tools to test/npm-schemas.jsonl, each
// with its package and version and without its authors' texts, for the tests of forms.
const { values } = parseArgs({
  options: {
    /** Examines only servers with this in their name. */
    only: { type: 'string', multiple: true },
    /** Also examines servers whose answers are saved. */
    again: { type: 'boolean', default: false },
    /** Number of servers that are examined at the same time. */
    together: { type: 'string', default: '2' },
    /** Writes the input schemas of the saved answers, and does nothing else. */
    schemas: { type: 'boolean', default: false },
  },
})

/** The doctor's report on this version of a server. */
type Kept = { version: string; date: string; report: DoctorReport }

const answers = join(folder, 'doctor')
const fileOf = (name: string): string => join(answers, `${nameOfFile(name)}.json`)

function keptOf({ name, version }: NpmServer): Kept | undefined {
  if (!existsSync(fileOf(name))) return undefined
  const kept = JSON.parse(readFileSync(fileOf(name), 'utf8')) as Kept
  return kept.version === version ? kept : undefined
}

async function examine(server: NpmServer): Promise<void> {
  const { out } = await stepOn(server, start => mcpdeckWords('doctor', start))
  const { items } = Object(parsed(out)) as { items?: { report?: DoctorReport & { findings?: unknown } }[] }
  const { findings: _, ...report } = items?.[0]?.report ?? {}
  if (!('status' in report)) return void process.stderr.write(`${server.name}: no report\n`)
  const kept = { version: server.version, date: new Date().toISOString().slice(0, 10), report }
  writeFileSync(fileOf(server.name), JSON.stringify(kept))
  process.stderr.write(`${server.name}: ${report.status}\n`)
}

/** Removes output and paths of a server, which differ between runs. */
function textOf({ text }: DoctorFinding): string {
  return text.replace(/, first: .*$/s, '')
}

function labelled(finding: DoctorFinding, before: readonly Labelled[]): Labelled {
  const { rule = '', place = '' } = finding
  const text = textOf(finding)
  const known = before.find(each => each.rule === rule && each.place === place && each.text === text)
  return known ?? { rule, place, text, isTrue: null }
}

/** Returns the findings of the current rules with their existing labels. */
async function labelsOf(before: Labels): Promise<Labels> {
  const servers: Record<string, Labels['servers'][string]> = {}
  const dates: string[] = []
  for (const server of npmServers) {
    const kept = keptOf(server)
    if (!kept?.report.tools?.length) continue
    dates.push(kept.date)
    const { findings } = await examined(kept.report)
    const known = before.servers[server.name]?.findings ?? []
    servers[server.name] = {
      version: kept.version,
      tools: kept.report.tools.length,
      findings: findings.map(finding => labelled(finding, known)),
    }
  }
  return { date: dates.toSorted().at(-1) ?? '', servers }
}

/** Returns what a person needs to label a finding: the tool, or a summary of its server. */
function subjectOf(server: string, place: string): string {
  const { tools = [] } = keptOf(npmServers.find(({ name }) => name === server)!)?.report ?? {}
  const own = (tools ?? []).filter(({ name }) => place === `tools/${name}` || place.startsWith(`tools/${name}/`))
  if (own.length > 0) return own.map(tool => JSON.stringify(tool, null, 2)).join('\n')
  return (tools ?? []).map(({ name, annotations }) => `${name} ${JSON.stringify(annotations ?? null)}`).join('\n')
}

if (values.schemas) {
  const count = writeSchemas(npmServers.map(server => ({ server, tools: keptOf(server)?.report.tools ?? [] })))
  console.log(`${count} schemas are in test/npm-schemas.jsonl.`)
  process.exit()
}
mkdirSync(answers, { recursive: true })
const wanted = chosen(values.only).filter(server => values.again || !keptOf(server))
await onEach(wanted, Number(values.together), examine)
const labels = await labelsOf(readLabels())
writeLabels(labels)
const all = findingsIn(labels)
const open = all.filter(({ isTrue }) => isTrue === null)
for (const { server, rule, place, text } of open)
  console.log(`\n${server} | ${rule} | ${place}\n${text}\n${subjectOf(server, place)}`)
const wrong = all.filter(({ isTrue }) => isTrue === false).length
console.log(
  `\n${all.length} findings at ${Object.keys(labels.servers).length} servers: ${wrong} false, ${open.length} not labelled.`,
)
// Threads that validate schemas would stay for the next schema.
process.exit(open.length > 0 ? 1 : 0)
