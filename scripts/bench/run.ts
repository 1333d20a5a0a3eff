import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../paths.ts'
import { budgetTable } from './budget.ts'
import { goalsTable } from './goals.ts'
import { heatTable } from './heat.ts'
import { liveName, sampleLive, type LiveSample } from './live.ts'
import { idleTable, measureIdle } from './idle.ts'
import { sampleOneShot, type OneShotSample } from './one-shot.ts'
import { measureOrganization, organizationTable } from './organization.ts'
import { isInstalled, peers } from './peers.ts'
import { copyBuild, longList, namedList, shortList, type Build } from './program.ts'
import { machine, markdown, writeInto, type Run } from './report.ts'
import { sampleSaves } from './saved.ts'
import { measureScale, scaleTable } from './scale.ts'
import { measureService, serviceTable } from './service.ts'
import { median } from './statistics.ts'
import { bareNode, sample, type Sample, type Target } from './target.ts'
import { measureWorkbenches, workbenchTable } from './workbench.ts'
import { installPeers, ownWorkbench, workbenchPeers } from './workbench-peers.ts'
import { prepareWorkspaces, type PreparedWorkspaces } from './workspaces.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', multiple: true },
    // Another build to compare in the same run, as `label=folder`: built from these sources, or from another checkout.
    build: { type: 'string', multiple: true, default: [] },
    live: { type: 'boolean', default: true },
    write: { type: 'boolean', default: false },
    // For the section `service`: the number of trials in its full database.
    trials: { type: 'string', default: '100000' },
    // For the section `workbench`: installs its peers below the user's cache first.
    peers: { type: 'boolean', default: false },
    // For the sections `idle` and `organization`: how long screens are left open. For `idle`: which screens, and on
    // what data; see `idle.ts` for their names.
    minutes: { type: 'string', default: '5' },
    screen: { type: 'string', multiple: true, default: [] },
    setting: { type: 'string', multiple: true, default: [] },
    // For the section `scale`: which lists; all by default.
    list: { type: 'string', multiple: true, default: [] },
  },
  allowNegative: true,
})

/** Number of starts of a Node that does nothing in each round: their median is the unit of start times. */
const bareStarts = 5

using own = copyBuild()
const others: readonly Build[] = values.build.map(text => {
  const [label = '', folder = ''] = text.split('=')
  return { label: ` ${label}`, dist: resolve(folder) }
})

/** Measures the targets in turn, so that a disturbance of the machine affects all of them. */
async function measure(targets: readonly Target[], workspaces: PreparedWorkspaces): Promise<Run> {
  const wanted = targets.filter(target => !values.only || values.only.some(name => target.name.includes(name)))
  const present = wanted.filter(target => isInstalled(target.command))
  const notes = wanted.filter(target => !present.includes(target)).map(target => `${target.name}: not installed.`)
  const samples = new Map<string, Sample[]>(present.map(target => [target.name, []]))
  const live = new Map<string, LiveSample[]>(values.live ? [[liveName(own), []]] : [])
  const oneShots: OneShotSample[] = []
  const bare: number[] = []
  // The first start after a pause reads everything from disk, and fills the compile cache.
  await bareNode()
  await sampleOneShot(own, workspaces.small)
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const starts: number[] = []
    for (let start = 0; start < bareStarts; start += 1) starts.push(await bareNode())
    bare.push(median(starts))
    for (const target of present) {
      process.stderr.write(`round ${round + 1}: ${target.name}\n`)
      samples.get(target.name)?.push(await sample(target))
    }
    if (values.live) live.get(liveName(own))?.push(await sampleLive(own, workspaces))
    oneShots.push(await sampleOneShot(own, workspaces.small))
  }
  return { bare, targets: samples, live, oneShots, notes }
}

/** Prepares the data for a build with the service of its own checkout, since an older one cannot read newer data. */
async function prepareFor(build: Build): Promise<PreparedWorkspaces | undefined> {
  const sources = resolve(build.dist, '../scripts/bench/workspaces.ts')
  if (!existsSync(sources) || build.dist.startsWith(root)) return undefined
  const theirs = (await import(sources)) as { prepareWorkspaces: typeof prepareWorkspaces }
  return await theirs.prepareWorkspaces()
}

const document = join(root, 'docs/performance.md')

async function reportPrograms(): Promise<void> {
  using prepared = new DisposableStack()
  const workspaces = prepared.use(await prepareWorkspaces())
  const targets = [longList, shortList, namedList].map(list => list(own, workspaces))
  for (const build of others) {
    const theirs = await prepareFor(build)
    targets.push(longList(build, theirs ? prepared.use(theirs) : workspaces))
  }
  targets.push(...peers)
  const run = await measure(targets, workspaces)
  const tables = [markdown(run), goalsTable(run)].filter(Boolean).join('\n\n')
  console.log(tables)
  if (values.write) await writeInto(document, tables, 'bench')
}

async function reportService(): Promise<void> {
  const rounds = Number(values.rounds)
  const figures = serviceTable(await measureService(own, rounds, Number(values.trials)))
  const tables = `Medians of ${rounds} interleaved rounds, ${machine()}.\n\n${figures}`
  console.log(tables)
  if (values.write) await writeInto(document, tables, 'bench:service')
}

async function reportIdle(): Promise<void> {
  using workspaces = await prepareWorkspaces()
  const wanted = { screens: values.screen, settings: values.setting, minutes: Number(values.minutes) }
  const figures = idleTable(await measureIdle(own, workspaces, wanted))
  const tables = `Each screen left open for ${wanted.minutes} minutes, ${machine()}.\n\n${figures}`
  console.log(tables)
  if (values.write) await writeInto(document, tables, 'bench:idle')
}

async function reportWorkbench(): Promise<void> {
  if (values.peers) installPeers()
  const rounds = Number(values.rounds)
  const { present, notes } = workbenchPeers()
  const ours = ownWorkbench(own)
  const programs = [ours, ...others.map(ownWorkbench), ...present]
  const run = await measureWorkbenches(programs, rounds)
  const saves: number[] = []
  while (saves.length < rounds) saves.push(...(await sampleSaves(own)))
  const figures = workbenchTable({ ...run, saves }, ours.name, present)
  const tables = [`Medians of ${rounds} interleaved rounds, 120×40, ${machine()}.`, figures, ...notes].join('\n\n')
  console.log(tables)
  if (values.write) await writeInto(document, tables, 'bench:workbench')
}

async function reportOrganization(): Promise<void> {
  const figures = organizationTable(await measureOrganization(own, Number(values.minutes)))
  const tables = `51 projects of 20 suites, ${machine()}.\n\n${figures}`
  console.log(tables)
  if (values.write) await writeInto(document, tables, 'bench:organization')
}

async function reportScale(): Promise<void> {
  const rounds = Number(values.rounds)
  const figures = scaleTable(await measureScale(own, rounds, values.list))
  const tables = `Medians of ${rounds} interleaved rounds, 120×40, ${machine()}.\n\n${figures}`
  console.log(tables)
  if (values.write) await writeInto(document, tables, 'bench:scale')
}

async function reportBudget(): Promise<void> {
  const figures = await budgetTable()
  console.log(figures)
  if (values.write) await writeInto(document, figures, 'bench:budget')
}

async function reportHeat(): Promise<void> {
  const figures = `${machine()}.\n\n${heatTable()}`
  console.log(figures)
  if (values.write) await writeInto(document, figures, 'bench:heat')
}

/** Sections other than the lists that are measured side by side. */
const apart = ['service', 'idle', 'workbench', 'organization', 'scale', 'budget', 'heat']

const { only } = values
if (!only || only.some(name => !apart.includes(name))) await reportPrograms()
if (!only || only.includes('idle')) await reportIdle()
if (!only || only.includes('workbench')) await reportWorkbench()
if (!only || only.includes('service')) await reportService()
if (!only || only.includes('organization')) await reportOrganization()
if (!only || only.includes('scale')) await reportScale()
if (!only || only.includes('budget')) await reportBudget()
if (!only || only.includes('heat')) await reportHeat()
