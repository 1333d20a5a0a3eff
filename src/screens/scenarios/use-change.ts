import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { consequencesOf, type Consequence } from '../../api/access/consequences.ts'
import { provedVersion } from '../../api/access/notes.ts'
import { proofsOf, readProofs, type ChangeAnswer, type Proof, type ReadBack } from '../../api/access/proof.ts'
import { effectOf, type AccessChange } from '../../api/access/table.ts'
import { modeWords } from '../../api/access/words.ts'
import { ApiError } from '../../api/api-error.ts'
import type { Client } from '../../api/client.ts'
import type { AnyEndpoint } from '../../api/contract/endpoint.ts'
import { refresh } from '../../api/queries.ts'
import type { Theme } from '../../app/theme/theme.ts'
import { useTheme } from '../../app/theme/theme-context.tsx'
import { useConfirm } from '../../components/confirm.tsx'
import { useTextOverlay } from '../../components/text-overlay.tsx'
import type { Line } from '../../components/viewer.tsx'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import type { ScenarioRow } from './columns.ts'

/** A scenario as it was shown when the person decided to act. */
export type Target = {
  id: string
  name: string
  mode: string | null | undefined
  /** Undefined while it is not known. */
  environmentId: string | undefined
}

export function targetOf({ scenario, environmentId }: ScenarioRow): Target {
  const { id, name, mode } = scenario
  return { id, name, mode, environmentId }
}

/** How a scenario stands; the environment is read only for what is about it, and only while the feature is on. */
type Standing = { mode: string | null | undefined; environmentId: string | undefined }

const NOT_YET: Standing = { mode: undefined, environmentId: undefined }
/** Changes of what an environment is published as. */
const ABOUT_ENVIRONMENT = new Set<AccessChange['do']>(['rebind', 'unpublish'])

/** One change of access, from its question to what is known afterwards. */
export type Changing<Answer extends ChangeAnswer> = {
  change: AccessChange
  /** Undefined for what is not published yet. */
  target: Target | undefined
  title: string
  /** The answer that acts. */
  action: string
  /** Said before the consequences. */
  before?: readonly Consequence[]
  endpoint: AnyEndpoint
  /** `Rotating the link of Study…` */
  start: string
  done: (answer: Answer) => string
  /** Sends it for the scenario as it was asked about. */
  send: (asked: Standing) => Promise<Answer>
  /** Keeps what the answer told, before anything is read back. */
  keep?: (answer: Answer) => void
  /** The scenario that the answer is about, where that is not the target. */
  scenarioId?: (answer: Answer) => string
}

/** `quiet` leaves what is known afterwards to the caller; `before` is said before the consequences. */
export type Quietly = { quiet?: boolean; before?: readonly Consequence[] }
export const QUIET: Quietly = { quiet: true }

export type Changed<Answer> = { answer: Answer; proofs: readonly Proof[] }

/** For what a person waits for. */
export const ASKED = { priority: 'asked' } as const
/** Resources that a change of access makes out of date beside those that its endpoint names. */
const TOUCHED = ['userTesting', 'userTestingSessions', 'userTestingInsights', 'scenarios']

/** Sessions that live now, where the service tells; not found means that nobody ever came. */
async function liveSessionsOf(client: Client, input: { projectId: string; scenarioId: string }) {
  try {
    const { liveSessions } = await client.userTestingInsights.metrics(input, ASKED)
    return typeof liveSessions === 'number' ? liveSessions : undefined
  } catch (error) {
    return error instanceof ApiError && error.status === 404 ? 0 : undefined
  }
}

async function readBack(
  client: Client,
  projectId: string,
  scenarioId: string,
  isGone: boolean,
): Promise<ReadBack> {
  const input = { projectId, scenarioId }
  if (isGone) {
    const listed = await client.scenarios.list({ projectId }, ASKED).catch(() => undefined)
    return { published: listed?.items.some(({ id }) => id === scenarioId) }
  }
  const [mode, liveSessions] = await Promise.all([
    client.scenarios.get(input, ASKED).then(
      answer => answer.mode,
      () => undefined,
    ),
    liveSessionsOf(client, input),
  ])
  return { mode, liveSessions }
}

async function refreshAll(queryClient: QueryClient, endpoint: AnyEndpoint): Promise<void> {
  await Promise.all([
    refresh(queryClient, endpoint),
    ...TOUCHED.map(resource => queryClient.invalidateQueries({ queryKey: [resource] })),
  ])
}

const MARKS: Record<Proof['how'], { symbol: 'ok' | 'error' | 'pending'; tone: 'ok' | 'error' | 'muted' }> = {
  proved: { symbol: 'ok', tone: 'ok' },
  contradicts: { symbol: 'error', tone: 'error' },
  untold: { symbol: 'pending', tone: 'muted' },
}

export function proofLines({ symbols }: Theme, proofs: readonly Proof[]): Line[] {
  return proofs.map(({ how, text }) => ({
    text: `${symbols[MARKS[how].symbol]} ${text}`,
    tone: MARKS[how].tone,
  }))
}

async function standingOf(
  client: Client,
  of: { projectId: string; isClosed: boolean; target: Target | undefined; change: AccessChange },
): Promise<Standing> {
  const { projectId, isClosed, target, change } = of
  if (!target) return NOT_YET
  const input = { projectId, scenarioId: target.id }
  if (isClosed || !ABOUT_ENVIRONMENT.has(change.do))
    return { mode: (await client.scenarios.get(input, ASKED)).mode, environmentId: undefined }
  const { mode, environmentId } = await client.userTesting.get(input, ASKED)
  return { mode, environmentId: environmentId ?? undefined }
}

/**
 * Makes one change of access: reads what holds now, asks with the consequences of that, looks again whether it still holds, sends,
 * and shows what the answer and a reading afterwards prove. `quiet` leaves the last to the caller.
 */
export function useChange(projectId: string, isClosed: boolean) {
  const { client, accessNotes } = useWorkspace()
  const queryClient = useQueryClient()
  const confirm = useConfirm()
  const runTask = useRunTask()
  const show = useTextOverlay()
  const theme = useTheme()

  /** Undefined when it could not be read, which was told. */
  const look = (target: Target | undefined, change: AccessChange) =>
    target === undefined
      ? Promise.resolve({ ...NOT_YET, liveSessions: undefined })
      : runTask({
          start: `Reading how ${target.name} stands now…`,
          work: async () => {
            const input = { projectId, scenarioId: target.id }
            const [standing, liveSessions] = await Promise.all([
              standingOf(client, { projectId, isClosed, target, change }),
              isClosed ? undefined : liveSessionsOf(client, input),
            ])
            return { ...standing, liveSessions }
          },
        })

  /** Notes that the version moved, or may have. */
  const noteMove = (change: AccessChange, target: Target | undefined, by: string): void => {
    const { accessVersion } = effectOf(change)
    if (target && (accessVersion === 'moves' || accessVersion === 'unsure'))
      accessNotes?.note(target.id, { kind: 'moved', by })
  }

  /** What can be read after a change whose answer never came. */
  const showLost = async (title: string, change: AccessChange, target: Target): Promise<void> => {
    const read = await readBack(client, projectId, target.id, change.do === 'unpublish')
    show(`${title} The answer was lost`, [
      { text: `${theme.symbols.warn} It may have happened all the same.`, tone: 'warn' },
      ...proofLines(theme, readProofs(change, read)),
    ])
  }

  return async <Answer extends ChangeAnswer>(
    changing: Changing<Answer>,
    options: Quietly = {},
  ): Promise<Changed<Answer> | undefined> => {
    const { target, endpoint } = changing
    const now = await look(target, changing.change)
    if (!now) return undefined
    const change = changing.change.do === 'mode' ? { ...changing.change, from: now.mode } : changing.change
    const { lines, word } = consequencesOf(change, {
      mode: now.mode,
      liveSessions: now.liveSessions,
      accessVersion: target && provedVersion(accessNotes?.of(target.id)),
    })
    const agreed = await confirm({
      title: changing.title,
      lines: [
        ...changedMeanwhile(target, now),
        ...(options.before ?? []),
        ...(changing.before ?? []),
        ...lines,
      ],
      action: changing.action,
      ...(word && { word: word.text, wordFor: word.reason }),
    })
    if (!agreed) return undefined
    let isLost = false
    const outcome = await runTask({
      start: changing.start,
      work: async () => {
        const again = await standingOf(client, { projectId, isClosed, target, change })
        const moved = whatMoved(now, again)
        if (moved !== undefined) return { sent: false, moved } as const
        try {
          const answer = await changing.send(now)
          noteMove(change, target, change.do)
          changing.keep?.(answer)
          return { sent: true, answer } as const
        } catch (error) {
          isLost = error instanceof ApiError && error.leavesDoubt
          if (isLost) noteMove(change, target, 'a change whose answer was lost')
          throw error
        } finally {
          await refreshAll(queryClient, endpoint)
        }
      },
      done: value =>
        value.sent
          ? changing.done(value.answer)
          : { tone: 'warn', text: `Not sent: while you decided, ${value.moved}.` },
    })
    if (isLost && target) await showLost(changing.title, change, target)
    if (!outcome?.sent) return undefined
    const { answer } = outcome
    const id = changing.scenarioId?.(answer) ?? target?.id ?? ''
    const read = await readBack(client, projectId, id, change.do === 'unpublish')
    const proofs = proofsOf(change, { scenarioId: target?.id }, answer, read)
    if (!options.quiet) show(`${changing.done(answer)} What is known now:`, proofLines(theme, proofs))
    return { answer, proofs }
  }
}

export type Change = ReturnType<typeof useChange>

/** What is otherwise than the person saw. */
function changedMeanwhile(target: Target | undefined, now: Standing): Consequence[] {
  if (!target) return []
  const lines: Consequence[] = []
  if (target.mode !== now.mode)
    lines.push({
      text: `Changed since it was shown here: it was for ${modeWords(target.mode)}, now it is for ${modeWords(now.mode)}.`,
      tone: 'warn',
    })
  if (isElsewhere(target, now))
    lines.push({
      text: 'Changed since it was shown here: it points at another environment now.',
      tone: 'warn',
    })
  return lines
}

/** What somebody else changed between two looks, as a clause. */
function whatMoved(before: Standing, after: Standing): string | undefined {
  if (before.mode !== after.mode) return `its mode became ${modeWords(after.mode)}`
  return isElsewhere(before, after) ? 'it was pointed at another environment' : undefined
}

/** Whether both tell an environment, and not the same. */
function isElsewhere(
  before: Pick<Standing, 'environmentId'>,
  after: Pick<Standing, 'environmentId'>,
): boolean {
  const [one, other] = [before.environmentId, after.environmentId]
  return one !== undefined && other !== undefined && one !== other
}
