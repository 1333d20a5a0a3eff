import { newIdempotencyKey } from '../../api/contract/endpoint.ts'
import { contract } from '../../api/contract/contract.ts'
import type { Journey } from '../../api/contract/journeys.ts'
import type { ProjectCapabilities } from '../../api/contract/projects.ts'
import { serviceNow } from '../../api/client/transport/service-time.ts'
import { textOfValues, valuesOf } from '../../components/form/field-input.ts'
import type { FormSpec, FormValues } from '../../components/form/form-dialog.tsx'
import { useOpening } from '../../components/opening.tsx'
import { useRecordForm } from '../../components/records/use-record-form.ts'
import { launchedToday, launchSize, sessionsIn, type LaunchSize } from '../../domain/swarms/launch-size.ts'
import { useKnownRuns } from '../../hooks/use-known-runs.ts'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useRouter } from '../../tui/router/router-context.tsx'
import { formatCount, plural, UNKNOWN } from '../../tui/theme/format.ts'
import { intentOf, lostWave, settleLost, type LostWave } from './lost-launches.ts'
import { environmentOptions, environmentsField } from './forms.ts'
import { wavePlace } from './route.ts'
import { useMakeEnvironment } from './use-records.ts'

/** Launches of the day as far as anything tells of them. */
type Quota = { aDay: number | undefined; used: number | undefined }
type Lines = FormSpec['about']

/** Most journeys that are told one by one. */
const MOST_LINES = 4

/**
 * Launches journeys as one wave, from a form that shows what that takes. Each journey has an idempotency key that lasts
 * as long as its request stays the same: sending again after a lost answer starts nothing twice.
 */
export function useLaunchWave(projectId: string) {
  const { client, journal } = useWorkspace()
  const router = useRouter()
  const opening = useOpening(useRunTask())
  const ask = useRecordForm()
  const { known, know } = useKnownRuns(projectId)
  const makeEnvironment = useMakeEnvironment(projectId)
  return async (journeys: readonly Journey[]): Promise<void> => {
    const read = await opening({
      start: 'Reading where it can run…',
      work: () =>
        Promise.all([
          client.items(contract.environments.list, { projectId }),
          // What is left is advice: the launch is the service's to refuse.
          client.projects.capabilities({ projectId }).catch(() => undefined),
          client.journeyRuns.overview({ projectId }).catch(() => undefined),
          lostWave(journal, projectId, journeys, Date.now()),
        ]),
    })
    if (!read) return
    const [environments, capabilities, overview, lost] = read
    const options = environmentOptions(environments)
    const quota: Quota = { aDay: launchesPerDay(capabilities), used: overview && launchedToday(overview, serviceNow()) }
    const waveId = lost?.waveId ?? crypto.randomUUID()
    const keys = new Map(lost?.keys)
    // What was launched before the answer was lost is not launched again.
    const before = lost ? Object.values(known).filter(run => run.waveId === waveId) : []
    const launched = new Set(before.map(({ journeyId }) => journeyId))
    const started = new Set<string>()
    const all = (): number => new Set([...started, ...before.map(({ id }) => id)]).size
    const name = journeys.length === 1 ? journeys[0]!.name : plural(journeys.length, 'journey')
    const came = await ask({
      making: [makeEnvironment('environmentIds')],
      form: () => launchForm({ name, journeys, options, quota, started: all(), lost }),
      act: values => ({
        endpoint: contract.journeyRuns.launch,
        confirm: 'done' as const,
        async work({ send }) {
          const environmentIds = valuesOf(values['environmentIds'] ?? '')
          let deduped = 0
          for (const journey of chosen(journeys, values)) {
            const intent = intentOf(journey.id, environmentIds)
            if (launched.has(journey.id) && !keys.has(intent)) continue
            const idempotencyKey = keys.get(intent) ?? newIdempotencyKey()
            keys.set(intent, idempotencyKey)
            const body = { waveId, ...(environmentIds.length > 0 && { environmentIds }) }
            const run = await send(
              contract.journeyRuns.launch,
              { projectId, journeyId: journey.id, body },
              { idempotencyKey },
            )
            await settleLost(journal, idempotencyKey, run)
            if (run.deduped && !started.has(run.id)) deduped += 1
            started.add(run.id)
            const total = sessionsIn(launchSize(journey, environmentIds))
            const at = serviceNow()
            const { id: journeyId, name: journeyName } = journey
            const known = { journeyId, journeyName, name: journeyName, waveId, at, total, ended: 0, failed: undefined }
            know([{ ...known, id: run.id, state: 'running' }])
          }
          return deduped
        },
        start: `Launching ${name}…`,
        done: deduped => (deduped > 0 ? `${name}: launched before, nothing was started twice.` : `Launched ${name}.`),
      }),
    })
    if (came !== undefined || started.size > 0) router.go(wavePlace(projectId, waveId))
  }
}

function chosen(journeys: readonly Journey[], { journeyIds }: FormValues): readonly Journey[] {
  if (journeyIds === undefined) return journeys
  const ids = new Set(valuesOf(journeyIds))
  return journeys.filter(({ id }) => ids.has(id))
}

function launchesPerDay(capabilities: ProjectCapabilities | undefined): number | undefined {
  const limit = capabilities?.plan?.limits?.['launchesPerDay']
  return typeof limit === 'number' ? limit : undefined
}

const LOST =
  'An earlier launch may have happened: its answer was lost. Sent as it is here, nothing of it starts twice; on ' +
  'other environments it is another launch. To begin a new wave, dismiss that write on Now first.'

function launchForm(of: {
  name: string
  journeys: readonly Journey[]
  options: ReturnType<typeof environmentOptions>
  quota: Quota
  started: number
  lost: LostWave | undefined
}): FormSpec {
  const { name, journeys, options, quota, started, lost } = of
  const journeysField = {
    id: 'journeyIds',
    label: 'Journeys',
    required: true,
    kind: '',
    initial: textOfValues(journeys.map(({ id }) => id)),
    input: { kind: 'choices', options: journeys.map(each => ({ value: each.id, label: each.name })) },
  } as const
  return {
    title: `Launch ${name}`,
    about: [
      ...(lost ? [{ text: LOST, tone: 'warn' as const }] : []),
      ...(started > 0
        ? [
            {
              text: `${plural(started, 'journey')} of it launched so far; sending the same again starts none twice.`,
              tone: 'warn' as const,
            },
          ]
        : []),
    ],
    fields: [
      ...(journeys.length > 1 ? [journeysField] : []),
      environmentsField(options, lost?.environmentIds ?? [], 'None chosen: each journey runs on its own targets.'),
    ],
    effect: values => effectLines(chosen(journeys, values), valuesOf(values['environmentIds'] ?? ''), quota),
    act: 'Launch the wave',
  }
}

/** Targets × sessions of each, what that adds up to, and what it takes of the day. */
function effectLines(journeys: readonly Journey[], environmentIds: readonly string[], quota: Quota): Lines {
  const sizes = journeys.map(journey => launchSize(journey, environmentIds))
  const sessions = sizes.map(sessionsIn)
  const all = sessions.includes(undefined) ? undefined : sessions.reduce<number>((sum, each = 0) => sum + each, 0)
  const rest = journeys.length - MOST_LINES
  return [
    ...journeys
      .slice(0, MOST_LINES)
      .map(({ name }, at) => ({ text: `${name}: ${sizeLine(sizes[at]!)}`, tone: 'plain' as const })),
    ...(rest > 0 ? [{ text: `and ${plural(rest, 'journey')} more`, tone: 'muted' as const }] : []),
    {
      text: `In all ${all === undefined ? 'a number of sessions that is not known here' : plural(all, 'session')}. It spends model credits.`,
      tone: 'warn',
    },
    { text: quotaLine(journeys.length, quota), tone: 'muted' },
  ]
}

function sizeLine(size: LaunchSize): string {
  const { targets, sessionsEach, turns } = size
  const all = sessionsIn(size)
  const where = targets === undefined ? 'the clients it is pinned to' : plural(targets, 'target')
  const each = sessionsEach === undefined ? UNKNOWN : plural(sessionsEach, 'session')
  return `${where} × ${each}${all === undefined ? '' : ` = ${formatCount(all)}`}, up to ${formatCount(turns)} turns each`
}

function quotaLine(launches: number, { aDay, used }: Quota): string {
  const takes = `It takes ${plural(launches, 'launch', 'launches')} of the organization’s day`
  if (aDay === undefined) return `${takes}; the service does not say how many are left.`
  if (used === undefined) return `${takes} of ${formatCount(aDay)}; how many are left is not known.`
  const left = Math.max(0, aDay - used)
  return `${takes} of ${formatCount(aDay)}; at most ${formatCount(left)} are left, as this project used ${formatCount(used)} since 00:00 UTC.`
}
