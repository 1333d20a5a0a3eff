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

// Lets the doctor examine servers from npm, keeps what they answered, and puts what the rules of today find in it into
// scripts/npm-servers/labelled.json, where a person says of each finding whether it is true. `npm run docs` makes the
// table in docs/doctor.md of it. `--schemas` puts what their tools take into test/npm-schemas.jsonl, each with its
// package and version and without the words of its authors, for the tests of forms.
const { values } = parseArgs({
  options: {
    /** Servers with this in their name alone are examined. */
    only: { type: 'string', multiple: true },
    /** Examines those too whose answers are kept. */
    again: { type: 'boolean', default: false },
    /** How many servers are examined at the same time. */
    together: { type: 'string', default: '2' },
    /** Writes the input schemas of what was kept, and does nothing else. */
    schemas: { type: 'boolean', default: false },
  },
})

/** What the doctor heard of a server of this version. */
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

/** What a server prints and where it runs differ from time to time. */
function textOf({ text }: DoctorFinding): string {
  return text.replace(/, first: .*$/s, '')
}

function labelled(finding: DoctorFinding, before: readonly Labelled[]): Labelled {
  const { rule = '', place = '' } = finding
  const text = textOf(finding)
  const known = before.find(each => each.rule === rule && each.place === place && each.text === text)
  return known ?? { rule, place, text, isTrue: null }
}

/** The findings of today's rules with the labels that they have. */
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

/** What somebody has to see who labels a finding: the tool, or all of its server in short. */
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
// Threads that check schemas stay for the next one.
process.exit(open.length > 0 ? 1 : 0)
