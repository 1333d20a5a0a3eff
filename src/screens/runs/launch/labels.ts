import { isGroup } from '../../../domain/runs/launch-rules.ts'
import { casesWithoutChecks } from '../../../domain/suites/case-checks.ts'
import { launchSize } from '../../../domain/runs/launch-size.ts'
import { LAUNCH_COST } from '../../../domain/runs/labels.ts'
import { formatDuration, plural, UNKNOWN } from '../../../lib/format.ts'
import { clean } from '../../../tui/theme/text.ts'
import type { FormText } from '../../../components/form/fields-form.tsx'
import type { DraftedLaunch } from './draft.ts'
import { environmentName, suiteName, type LaunchFacts } from './facts.ts'

/** Default number of slots of an organization (contract: "Limits"). */
const USUAL_SLOTS = 2

/** Returns what the launch will do, cost and use. */
export function effectLines(facts: LaunchFacts, launch: DraftedLaunch): FormText[] {
  return [
    hasSize(launch)
      ? { text: sizeSentence(facts, launch), tone: 'plain' }
      : { text: 'The number of trials is unknown until the marked fields are corrected.', tone: 'warn' },
    ...whereLines(facts, launch),
    ...offLines(facts, launch),
    ...attachLines(facts, launch),
    ...uncheckedLines(facts, launch),
    { text: `${slotSentence(facts)} ${timeSentence(facts)}`, tone: 'plain' },
    { text: LAUNCH_COST, tone: 'muted' },
  ]
}

/** Whether the cases and iterations of the draft can be counted. */
function hasSize({ errors }: DraftedLaunch): boolean {
  return !errors.iterations && !errors.cases && !errors.someCases
}

/** Returns what the form's button says, such as `Attach Staging and launch 12 trials`. */
export function actSentence(facts: LaunchFacts, launch: DraftedLaunch): string {
  if (!hasSize(launch)) return 'Launch'
  const { trials, runs } = countOf(facts, launch)
  const names = launch.attach.map(id => environmentName(facts, id))
  const what = runs > 1 ? `${plural(runs, 'run')} as one group, ${plural(trials, 'trial')}` : plural(trials, 'trial')
  const [only, ...others] = launch.targets.environmentIds
  const where = only !== undefined && others.length === 0 ? ` on ${environmentName(facts, only)}` : ''
  return `${names.length > 0 ? `Attach ${names.join(', ')} and launch` : 'Launch'} ${what}${where}`
}

/** Maximum number of cases named because they check nothing. */
const MOST_NAMED = 3

/** Warns about cases that pass whatever is answered, for which a pass means nothing. */
function uncheckedLines(facts: LaunchFacts, launch: DraftedLaunch): FormText[] {
  const titles = casesWithoutChecks(facts.suite, casesOf(facts, launch)).map(({ title }) => clean(title))
  if (titles.length === 0) return []
  const more = titles.length > MOST_NAMED ? ` and ${plural(titles.length - MOST_NAMED, 'other')}` : ''
  const named = `${titles.slice(0, MOST_NAMED).join(', ')}${more}`
  return [{ text: `Checks nothing, so it passes whatever is answered: ${named}.`, tone: 'warn' }]
}

function casesOf(facts: LaunchFacts, { request }: DraftedLaunch) {
  const chosen = new Set(request.caseIds)
  return chosen.size === 0 ? facts.cases : facts.cases.filter(({ id }) => chosen.has(id))
}

function countOf(facts: LaunchFacts, launch: DraftedLaunch) {
  const { request, targets } = launch
  const cases = casesOf(facts, launch)
  // An environment always has a model, which every case of the run then uses.
  const oneModel = request.model !== undefined || targets.environmentIds.length > 0
  const size = launchSize(facts.suite, cases, { iterations: request.iterations, oneModel })
  const runs = isGroup(targets) ? targets.environmentIds.length + targets.clientIds.length : 1
  return { ...size, runs, trials: size.trials * runs }
}

function sizeSentence(facts: LaunchFacts, launch: DraftedLaunch): string {
  const { cases, iterations, trials, runs } = countOf(facts, launch)
  const { least, most } = iterations
  const tries = `${least === most ? plural(most, 'trial') : `${least} to ${most} trials`} each`
  const targets = runs > 1 ? ` × ${plural(runs, 'target')}` : ''
  const isConfigured = launch.request.caseIds.length === 0 && launch.request.iterations === undefined
  return (
    `${plural(cases, 'case')} × ${tries}${targets} = ` +
    `${plural(trials, 'trial')}${isConfigured ? ', as configured' : ''}.`
  )
}

function whereLines(facts: LaunchFacts, { request, targets }: DraftedLaunch): FormText[] {
  const { environmentIds, clientIds } = targets
  if (environmentIds.length > 0) return environmentIds.map(id => environmentLine(facts, id))
  if (clientIds.length > 0) {
    const names = new Map((facts.suite.hosts ?? []).map(({ id, name }) => [id, clean(name)]))
    return [{ text: `Client ${clientIds.map(id => names.get(id) ?? id).join(', ')}.`, tone: 'plain' }]
  }
  if ((facts.suite.environmentIds ?? []).length > 0) return []
  if (request.serverIds.length > 0) {
    const names = new Map(facts.servers.map(({ id, name }) => [id, clean(name)]))
    const servers = request.serverIds.map(id => names.get(id) ?? clean(id)).join(', ')
    return [{ text: `Servers ${servers}, for this run instead of the saved ones.`, tone: 'plain' }]
  }
  const saved = (facts.suite.environment?.servers ?? []).map(clean)
  return saved.length === 0 ? [] : [{ text: `The saved servers: ${saved.join(', ')}.`, tone: 'plain' }]
}

/** Lists servers that the launch uses but that are switched off: every trial that needs one fails in its setup. */
function offLines({ suite, servers, previews }: LaunchFacts, { request, targets }: DraftedLaunch): FormText[] {
  const saved = new Set(suite.environment?.servers ?? [])
  const chosen = new Set(
    targets.environmentIds.length > 0
      ? targets.environmentIds.flatMap(id => previews.get(id)?.resolved?.effectiveServerIds ?? [])
      : request.serverIds,
  )
  const isSaved = chosen.size === 0 && areSavedUsed(suite, targets)
  const off = servers.filter(
    ({ id, name, enabled }) => !enabled && (chosen.has(id) || (isSaved && (saved.has(name) || saved.has(id)))),
  )
  if (off.length === 0) return []
  const [are, them] = off.length === 1 ? ['is', 'it'] : ['are', 'them']
  const text =
    `${off.map(({ name }) => clean(name)).join(', ')} ${are} switched off, so trials that need ${them} fail in ` +
    `their setup. The screen Servers switches ${them} on.`
  return [{ text, tone: 'warn' }]
}

/** Whether the suite's own servers may be used: targets and attached environments bring their own. */
function areSavedUsed(suite: LaunchFacts['suite'], { environmentIds, clientIds }: DraftedLaunch['targets']): boolean {
  return environmentIds.length + clientIds.length + (suite.environmentIds ?? []).length === 0
}

/** Returns what an environment resolves to, or why it does not. */
export function environmentLine(facts: LaunchFacts, id: string): FormText {
  const name = environmentName(facts, id)
  const { resolved, fault } = facts.previews.get(id) ?? {}
  if (fault !== undefined) return { text: `${name} cannot run now: ${fault}`, tone: 'warn' }
  if (!resolved) return { text: `${name}: reading what it resolves to…`, tone: 'muted' }
  const { environment, hostName, servers, effectiveModelId, modelId } = resolved
  const parts = [
    hostName && `client ${clean(hostName)}`,
    servers?.length && `servers ${servers.map(each => clean(each.name ?? each.serverId)).join(', ')}`,
    `model ${clean(effectiveModelId ?? modelId ?? UNKNOWN)}`,
  ].filter(Boolean)
  return { text: `${name}, revision ${environment.revision}: ${parts.join('; ')}.`, tone: 'plain' }
}

/** Returns what attaching changes permanently. */
function attachLines(facts: LaunchFacts, { attach }: DraftedLaunch): FormText[] {
  if (attach.length === 0) return []
  const { suite } = facts
  const before = suite.environmentIds ?? []
  const names = attach.map(id => environmentName(facts, id)).join(', ')
  const changes = [
    before.length === 0 && 'its saved servers are no longer used, nor can servers be chosen at a launch',
    before.length + attach.length > 1 &&
      before.length < 2 &&
      'from then on every launch and its schedule have to name an environment',
  ].filter(Boolean)
  const schedule =
    suite.schedule?.enabled && before.length + attach.length > 1 && !suite.schedule.environmentId
      ? ' Its schedule names none, so it would be refused until it does.'
      : ''
  const what = changes.length > 0 ? `: ${changes.join('; ')}` : ''
  return [{ text: `First attaches ${names} to ${suiteName(suite)}, for good${what}.${schedule}`, tone: 'warn' }]
}

/** Says how many slots are used. The limit applies to the organization, but only runs of the project can be listed. */
function slotSentence({ inFlight, slots, unread }: LaunchFacts): string {
  if (unread.slots === 'reading' && inFlight.length === 0) return 'Reading which run slots are in use…'
  if (unread.slots === 'failed' && inFlight.length === 0)
    return 'Which run slots are in use is unknown: the runs cannot be read.'
  const limit = slots ?? USUAL_SLOTS
  const usual = slots === undefined ? ', unless the organization has another number' : ''
  const least = unread.slots === undefined ? '' : 'At least '
  return `${least}${inFlight.length} of ${limit} run slots in use by this project${usual}; others may hold more.`
}

/** Says how long runs took; only runs that executed completely show that. */
function timeSentence({ durations, unread }: LaunchFacts): string {
  if (unread.durations === 'reading') return 'Reading how long its runs took…'
  if (unread.durations === 'failed') return 'Its duration is unknown: its runs cannot be read.'
  if (!durations) return 'Its duration is unknown: no run of it has completed yet.'
  const { runs, median, least, most } = durations
  if (runs === 1) return `Its last run took ${formatDuration(median)}.`
  return `Its last ${runs} runs took ${formatDuration(median)} (${formatDuration(least)} to ${formatDuration(most)}).`
}

/** Whether the next launch will probably be refused because no slot is free. */
export function isFull({ inFlight, slots }: LaunchFacts): boolean {
  return inFlight.length >= (slots ?? USUAL_SLOTS)
}
