import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { machine, table, writeInto } from './bench/report.ts'
import { inspectorPackage } from './bench/workbench-peers.ts'
import { chosen, folder, inspectorLauncher, onEach, stepOn } from './npm-servers/installed.ts'
import { inspectorCall, inspectorTools, inspectorWords } from './npm-servers/inspector.ts'
import { npmServers, type NpmServer } from './npm-servers/list.ts'
import {
  mcpdeckCall,
  mcpdeckDoctor,
  mcpdeckSnapshot,
  mcpdeckTools,
  mcpdeckWords,
  type Start,
} from './npm-servers/mcpdeck.ts'
import { cellOf, type Ended, type Outcome } from './npm-servers/outcome.ts'
import { root } from './paths.ts'

// Tries mcpdeck and the MCP Inspector's command line on servers from npm, and makes a table of the results.
const { values } = parseArgs({
  options: {
    /** Tries only servers with this in their name; other rows are kept from the last run. */
    only: { type: 'string', multiple: true },
    /** Writes the table to docs/npm-servers.md. */
    write: { type: 'boolean', default: false },
    /** Number of servers that are tried at the same time. */
    together: { type: 'string', default: '3' },
  },
})

/** The outcomes for one server; a call is missing if the list has none. */
type Row = {
  version: string
  date: string
  mcpdeck: { tools: Outcome; call?: Outcome; snapshot: Outcome; doctor: Outcome }
  inspector: { tools: Outcome; call?: Outcome }
}

const kept = join(folder, 'outcomes.json')

/** Runs all steps on one server, each in its own home. */
async function tryServer(server: NpmServer): Promise<Row> {
  const { call, version } = server
  const step = (wordsOf: (start: Start) => string[]): Promise<Ended> => stepOn(server, wordsOf)
  const ours = (verb: string): Promise<Ended> => step(start => mcpdeckWords(verb, start))
  const theirs = (asked?: typeof call): Promise<Ended> => step(start => inspectorWords(launcher, start, asked))
  return {
    version,
    date: new Date().toISOString().slice(0, 10),
    mcpdeck: {
      tools: mcpdeckTools(await ours('tools')),
      ...(call && { call: mcpdeckCall(await step(start => mcpdeckWords('call', start, call))) }),
      snapshot: mcpdeckSnapshot(await ours('snapshot')),
      doctor: mcpdeckDoctor(await ours('doctor')),
    },
    inspector: { tools: inspectorTools(await theirs()), ...(call && { call: inspectorCall(await theirs(call)) }) },
  }
}

/** Returns the rows of earlier runs, by the name of their server. */
function readKept(): Record<string, Row> {
  return existsSync(kept) ? JSON.parse(readFileSync(kept, 'utf8')) : {}
}

function report(rows: readonly (readonly [name: string, row: Row])[]): string {
  const head = ['server', 'version', 'tools', 'call', 'snapshot', 'doctor', 'Inspector: tools', 'Inspector: call']
  const cells = rows.map(([name, { version, mcpdeck, inspector }]) => {
    const { tools, call, snapshot, doctor } = mcpdeck
    const ours = [tools, call, snapshot, doctor].map(outcome => cellOf(outcome, tools))
    const theirs = [inspector.tools, inspector.call].map(outcome => cellOf(outcome, inspector.tools))
    return [`\`${name}\``, version, ...ours, ...theirs]
  })
  const days = [...new Set(rows.map(([, { date }]) => date))].toSorted()
  const run = `Run on ${days.join(' and ')}, ${machine()}; the Inspector is ${inspectorPackage.version}.`
  return [run, table(head, cells), summary(rows)].join('\n\n')
}

function summary(rows: readonly (readonly [name: string, row: Row])[]): string {
  const good = (of: (row: Row) => Outcome | undefined): number => rows.filter(([, row]) => of(row)?.good).length
  const calls = rows.filter(([, row]) => row.mcpdeck.call).length
  const behind = rows.flatMap(([name, { mcpdeck, inspector }]) =>
    (['tools', 'call'] as const)
      .filter(step => inspector[step]?.good && !mcpdeck[step]?.good)
      .map(step => `\`${name}\` (${step})`),
  )
  return (
    `Of ${rows.length} servers mcpdeck lists ${good(row => row.mcpdeck.tools)}, takes a snapshot of ` +
    `${good(row => row.mcpdeck.snapshot)} and examines ${good(row => row.mcpdeck.doctor)} to the end; the Inspector ` +
    `lists ${good(row => row.inspector.tools)}. Of ${calls} calls mcpdeck gets ${good(row => row.mcpdeck.call)} ` +
    `answered, the Inspector ${good(row => row.inspector.call)}. What the Inspector can list or call and mcpdeck ` +
    `cannot: ${behind.join(', ') || 'nothing'}.`
  )
}

const launcher = await inspectorLauncher()
const rows = readKept()
await onEach(chosen(values.only), Number(values.together), async server => {
  const row = await tryServer(server)
  rows[server.name] = row
  writeFileSync(kept, JSON.stringify(rows))
  process.stderr.write(`${server.name}: mcpdeck ${row.mcpdeck.tools.text}, Inspector ${row.inspector.tools.text}\n`)
})
const known = npmServers.flatMap(({ name, version }) => {
  const row = rows[name]
  return row?.version === version ? [[name, row] as const] : []
})
const text = report(known)
console.log(text)
if (values.write) await writeInto(join(root, 'docs/npm-servers.md'), text, 'npm-servers')
