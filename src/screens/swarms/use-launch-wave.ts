import { newIdempotencyKey } from '../../api/contract/endpoint.ts'
import { contract } from '../../api/contract/contract.ts'
import type { Journey } from '../../api/contract/journeys.ts'
import { serviceNow } from '../../api/client/transport/service-time.ts'
import { textOfValues, valuesOf } from '../../components/form/field-input.ts'
import type { FormSpec, FormValues } from '../../components/form/form-dialog.tsx'
import { useOpening } from '../../components/opening.tsx'
import { useRecordForm } from '../../components/records/use-record-form.ts'
import { launchSize, sessionsIn } from '../../domain/swarms/launch-size.ts'
import { useKnownRuns } from '../../hooks/use-known-runs.ts'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useRouter } from '../../tui/router/router-context.tsx'
import { plural } from '../../lib/format.ts'
import { environmentOptions, environmentsField } from './forms.ts'
import { effectLines, quotaOf, type Quota } from '../../domain/swarms/actions.ts'
import { wavePlace } from './route.ts'
import { useMakeEnvironment } from './use-records.ts'
import { resultOf, type JournalEntry } from '../../api/client/journal/entry.ts'
import type { Journal } from '../../api/client/journal/journal.ts'
import { REPEAT_WITHIN_MS } from '../../api/client/read-back/resolve.ts'
import type { JourneyRunLaunched } from '../../api/contract/journey-runs.ts'

/**
 * Launches journeys as one wave, from a form that shows the cost. Each journey has an idempotency key that lasts as
 * long as its request stays the same, so that sending again after a lost answer starts nothing twice.
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
          // The remaining problems are advice: only the service refuses a launch.
          client.projects.capabilities({ projectId }).catch(() => undefined),
          client.journeyRuns.overview({ projectId }).catch(() => undefined),
          lostWave(journal, projectId, journeys, Date.now()),
        ]),
    })
    if (!read) return
    const [environments, capabilities, overview, lost] = read
    const options = environmentOptions(environments)
    const quota = quotaOf(capabilities, overview, serviceNow())
    const waveId = lost?.waveId ?? crypto.randomUUID()
    const keys = new Map(lost?.keys)
    // Journeys launched before the answer was lost are not launched again.
    const before = lost ? Object.values(known).filter(run => run.waveId === waveId) : []
    const launched = new Set(before.map(({ journeyId }) => journeyId))
    const started = new Set<string>()
    const all = (): number => new Set([...started, ...before.map(({ id }) => id)]).size
    const came = await ask({
      making: [makeEnvironment('environmentIds')],
      form: () => launchForm({ name: nameOf(journeys), journeys, options, quota, started: all(), lost }),
      act: values => {
        const wanted = chosen(journeys, values)
        const name = nameOf(wanted)
        return {
          endpoint: contract.journeyRuns.launch,
          confirm: 'done' as const,
          async work({ send, plan }) {
            const environmentIds = valuesOf(values['environmentIds'] ?? '')
            const body = { waveId, ...(environmentIds.length > 0 && { environmentIds }) }
            const launches = wanted.flatMap(journey => {
              const intent = intentOf(journey.id, environmentIds)
              if (launched.has(journey.id) && !keys.has(intent)) return []
              const idempotencyKey = keys.get(intent) ?? newIdempotencyKey()
              keys.set(intent, idempotencyKey)
              return { journey, idempotencyKey, input: { projectId, journeyId: journey.id, body } }
            })
            let deduped = wanted.length - launches.length
            await plan(launches.map(launch => ({ endpoint: contract.journeyRuns.launch, ...launch })))
            for (const { journey, idempotencyKey, input } of launches) {
              const run = await send(contract.journeyRuns.launch, input, { idempotencyKey })
              await settleLost(journal, idempotencyKey, run)
              if (run.deduped && !started.has(run.id)) deduped += 1
              started.add(run.id)
              const total = sessionsIn(launchSize(journey, environmentIds))
              const at = serviceNow()
              const { id: journeyId, name: journeyName } = journey
              const known = {
                journeyId,
                journeyName,
                name: journeyName,
                waveId,
                at,
                total,
                ended: 0,
                failed: undefined,
              }
              know([{ ...known, id: run.id, state: 'running' }])
            }
            return deduped
          },
          start: `Launching ${name}…`,
          done: deduped => (deduped > 0 ? `${name}: launched before, nothing was started twice.` : `Launched ${name}.`),
        }
      },
    })
    if (came !== undefined || started.size > 0) router.go(wavePlace(projectId, waveId))
  }
}

function nameOf(journeys: readonly Journey[]): string {
  return journeys.length === 1 ? journeys[0]!.name : plural(journeys.length, 'journey')
}

function chosen(journeys: readonly Journey[], { journeyIds }: FormValues): readonly Journey[] {
  if (journeyIds === undefined) return journeys
  const ids = new Set(valuesOf(journeyIds))
  return journeys.filter(({ id }) => ids.has(id))
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

/** A wave with a lost answer to some launch; if it is sent again like this, nothing starts twice. */
export type LostWave = { waveId: string; environmentIds: readonly string[]; keys: ReadonlyMap<string, string> }

/** Returns what makes two launches the same request within a wave. */
export function intentOf(journeyId: string, environmentIds: readonly string[]): string {
  return [journeyId, ...environmentIds].join('\n')
}

/**
 * Returns the latest wave in which a launch of one of these journeys has an unknown outcome; undefined if there is
 * none.
 * @param now epoch milliseconds
 */
export async function lostWave(
  journal: Journal | undefined,
  projectId: string,
  journeys: readonly Journey[],
  now: number,
): Promise<LostWave | undefined> {
  const ids = new Set(journeys.map(({ id }) => id))
  const launches = ((await journal?.unresolved()) ?? []).flatMap(entry => launchIn(entry, projectId, now) ?? [])
  const own = launches.findLast(({ journeyId }) => ids.has(journeyId))
  if (!own) return undefined
  const { waveId, environmentIds } = own
  const keys = launches
    .filter(each => each.waveId === waveId)
    .map(each => [intentOf(each.journeyId, each.environmentIds), each.key] as const)
  return { waveId, environmentIds, keys: new Map(keys) }
}

/** Closes journal entries whose request was sent again with its key: the answer applies to them too. */
export async function settleLost(journal: Journal | undefined, key: string, run: JourneyRunLaunched): Promise<void> {
  if (!journal) return
  for (const entry of await journal.unresolved()) {
    if (entry.idempotencyKey !== key) continue
    const claim = await journal.claim(entry)
    claim?.conclude('happened', { outcome: 'succeeded', result: resultOf(run) })
  }
}

function launchIn({ operation, input, idempotencyKey: key, ...entry }: JournalEntry, projectId: string, now: number) {
  if (operation !== contract.journeyRuns.launch.operation || input['projectId'] !== projectId) return undefined
  if (!entry.complete || now - entry.intendedAt > REPEAT_WITHIN_MS) return undefined
  const { waveId, environmentIds = [] } = Object(input['body']) as { waveId?: string; environmentIds?: string[] }
  const journeyId = input['journeyId']
  if (typeof journeyId !== 'string' || waveId === undefined || key === undefined) return undefined
  return { journeyId, waveId, environmentIds, key }
}
