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
export type Target = { id: string; name: string; mode: string | null | undefined }

export function targetOf({ scenario }: ScenarioRow): Target {
  const { id, name, mode } = scenario
  return { id, name, mode }
}

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
  send: () => Promise<Answer>
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

  const modeOf = async (target: Target | undefined): Promise<string | null | undefined> =>
    target && (await client.scenarios.get({ projectId, scenarioId: target.id }, ASKED)).mode

  /** Undefined when it could not be read, which was told. */
  const look = (target: Target | undefined) =>
    target === undefined
      ? Promise.resolve({ mode: undefined, liveSessions: undefined })
      : runTask({
          start: `Reading how ${target.name} stands now…`,
          work: async () => {
            const input = { projectId, scenarioId: target.id }
            const [mode, liveSessions] = await Promise.all([
              modeOf(target),
              isClosed ? undefined : liveSessionsOf(client, input),
            ])
            return { mode, liveSessions }
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
    const now = await look(target)
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
        ...changedMeanwhile(target, now.mode),
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
        const again = await modeOf(target)
        if (again !== now.mode) return { sent: false, mode: again } as const
        try {
          const answer = await changing.send()
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
          : { tone: 'warn', text: `Not sent: while you decided, its mode became ${modeWords(value.mode)}.` },
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

/** A mode that is another one than the person saw. */
function changedMeanwhile(target: Target | undefined, mode: string | null | undefined): Consequence[] {
  if (!target || target.mode === mode) return []
  const text = `Changed since it was shown here: it was for ${modeWords(target.mode)}, now it is for ${modeWords(mode)}.`
  return [{ text, tone: 'warn' }]
}
