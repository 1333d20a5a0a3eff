import { consequencesOf, type Consequence } from '../../domain/scenarios/consequences.ts'
import { provedVersion } from '../../domain/scenarios/notes.ts'
import {
  adviceAfterLoss,
  lossProofs,
  notMemberText,
  proofsOf,
  type ChangeAnswer,
  type Proof,
  type ReadBack,
} from '../../domain/scenarios/proof.ts'
import { liveSessionsOf, readBack } from '../../domain/scenarios/read-back.ts'
import { effectOf, type AccessChange } from '../../domain/scenarios/table.ts'
import type { JournalEntry } from '../../api/client/journal/entry.ts'
import { resolveJournal } from '../../api/client/read-back/resolve.ts'
import { ApiError, isMissing } from '../../api/client/errors/api-error.ts'
import { secretsOf } from '../../domain/scenarios/session-secrets.ts'
import type { AnyEndpoint } from '../../api/contract/endpoint.ts'
import type { Theme } from '../../tui/theme/theme.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { useConfirm } from '../../components/confirm.tsx'
import { useOpening } from '../../components/opening.tsx'
import { useTextOverlay } from '../../components/text-overlay.tsx'
import type { Line } from '../../components/viewer.tsx'
import { useNotify } from '../../hooks/notify.tsx'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWrites, type WriteTask } from '../../hooks/use-write.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import {
  changedMeanwhile,
  NOT_YET,
  readAccessState,
  type AccessState,
  type Target,
  whatMoved,
} from '../../domain/scenarios/access-state.ts'

/** A change of access, from its question to what is known afterwards. */
export type Changing<Answer extends ChangeAnswer> = {
  change: AccessChange
  /** Undefined if the scenario is not published yet. */
  target: Target | undefined
  title: string
  /** Label of the answer that acts. */
  action: string
  /** Lines before the effects, about the current state of the scenario. */
  before?: (now: AccessState) => readonly Consequence[]
  endpoint: AnyEndpoint
  /** Shown at the start: `Rotating the link of Study…` */
  start: string
  done: (answer: Answer) => string
  /** Sends it for the state of the scenario in the question. */
  send: (send: WriteTask['send'], asked: AccessState) => Promise<Answer>
  /** Stores what the answer returned, before anything is read back. */
  retain?: (answer: Answer, asked: AccessState) => void
  /** Returns a sentence about what else the answer contained and where it is now. */
  followUp?: (answer: Answer) => string | undefined
  /** Called if it is unknown whether the change happened. */
  onOutcomeUnknown?: () => void
  /** The scenario in the answer, if that is not the target. */
  scenarioId?: (answer: Answer) => string
}

/**
 * `silent` leaves it to the caller to show what is known afterwards; `before` is shown before the effects; `declined`
 * returns to the form of the change.
 */
export type ChangeOptions = { silent?: boolean; before?: readonly Consequence[]; declined?: () => Promise<unknown> }
export const SILENT: ChangeOptions = { silent: true }

/** `changedAt` is the time of the last change according to the service, read after the change. */
export type Changed<Answer> = { answer: Answer; proofs: readonly Proof[]; changedAt: number | undefined }

/** A change with a lost answer, and what was read afterwards. */
export type OutcomeUnknown = { answer: undefined; change: AccessChange; read: ReadBack }

const MARKS: Record<Proof['how'], { symbol: 'ok' | 'error' | 'pending'; tone: 'ok' | 'error' | 'muted' }> = {
  proved: { symbol: 'ok', tone: 'ok' },
  contradicts: { symbol: 'error', tone: 'error' },
  untold: { symbol: 'pending', tone: 'muted' },
}

export function proofLines({ symbols }: Theme, proofs: readonly Proof[]): Line[] {
  return proofs.map(({ how, text }) => ({ text: `${symbols[MARKS[how].symbol]} ${text}`, tone: MARKS[how].tone }))
}

/** `moved` says what someone else changed in between, as a clause. */
type Sent<Answer> = { sent: true; answer: Answer } | { sent: false; moved: string } | { sent: false; notMember: string }

/** A scenario in the state shown in the question. */
type Asked = AccessState & { liveSessions: number | undefined }

/** Reads a scenario before a change and after a lost one, and records what is learned. */
function useLooks(projectId: string, isClosed: boolean) {
  const { client, accessNotes, journal } = useWorkspace()
  const opening = useOpening(useRunTask())
  const notify = useNotify()
  const show = useTextOverlay()
  const theme = useTheme()

  const standing = (target: Target | undefined, change: AccessChange) =>
    readAccessState(client, { projectId, isClosed, target, change, notes: accessNotes })

  /** Undefined if the scenario could not be read, or is gone; that was already reported. */
  const look = (target: Target | undefined, change: AccessChange): Promise<Asked | undefined> =>
    target === undefined
      ? Promise.resolve({ ...NOT_YET, liveSessions: undefined })
      : opening({
          start: `Reading how ${target.name} stands now…`,
          work: async () => {
            const input = { projectId, scenarioId: target.id }
            try {
              const [now, liveSessions] = await Promise.all([
                standing(target, change),
                isClosed ? undefined : liveSessionsOf(client, input),
              ])
              return { ...now, liveSessions }
            } catch (error) {
              if (!isMissing(error)) throw error
              notify('warn', `${target.name} is not published any more, so there is nothing to change.`)
              return undefined
            }
          },
        })

  /** Records that the version changed, or may have. */
  const noteMove = (change: AccessChange, target: Target | undefined, by: string): void => {
    const { accessVersion } = effectOf(change)
    if (target && (accessVersion === 'moves' || accessVersion === 'unsure'))
      accessNotes?.note(target.id, { kind: 'moved', by })
  }

  const noteLoss = (
    { target, onOutcomeUnknown }: { target: Target | undefined; onOutcomeUnknown?: () => void },
    change: AccessChange,
  ): void => {
    noteMove(change, target, 'a change whose answer was lost')
    onOutcomeUnknown?.()
  }

  /** After a change whose answer was lost, reads the scenario back and announces what that proves. */
  const readLost = async (
    { title, target, endpoint }: { title: string; target: Target | undefined; endpoint: AnyEndpoint },
    change: AccessChange,
    { silent = false }: ChangeOptions,
  ): Promise<OutcomeUnknown> => {
    const read = target ? await readBack(client, projectId, target.id, change.do === 'unpublish') : {}
    // The journal now reads the change back by its own rules, so that journal and screen agree.
    const only = ({ operation, readBack }: JournalEntry) => operation === endpoint.operation && readBack === undefined
    if (journal) await resolveJournal({ journal, client, only }).catch(() => undefined)
    const proofs = lossProofs(change, read)
    const [whether] = proofs
    // Otherwise the error that was shown already says that the change may have been made.
    if (whether.how !== 'untold') notify(whether.how === 'proved' ? 'ok' : 'warn', whether.text)
    if (!silent) show(`${title} The answer was lost`, [...proofLines(theme, proofs), adviceAfterLoss(change, read)])
    return { answer: undefined, change, read }
  }

  /** Records when the scenario changed, from reads before and after a change from here. */
  const noteChanged = (id: string, before: number | undefined, after: number): void => {
    const secrets = secretsOf(client)
    secrets.seen(id, after)
    if (before === undefined) return
    accessNotes?.note(id, { kind: 'changed', from: before, to: after })
    secrets.moved(id, before, after)
  }

  return { standing, look, noteMove, noteLoss, noteChanged, readLost }
}

/**
 * Makes one change of access: reads the current state, asks with its effects, checks that the state is unchanged,
 * sends, and shows what the answer and a later read prove. If another person changed something during the question,
 * shows that and asks again.
 */
export function useChange(projectId: string, isClosed: boolean) {
  const { client, accessNotes } = useWorkspace()
  const confirm = useConfirm()
  const write = useWrites()
  const show = useTextOverlay()
  const theme = useTheme()
  const { standing, look, noteMove, noteLoss, noteChanged, readLost } = useLooks(projectId, isClosed)

  const ask = async <Answer extends ChangeAnswer>(
    { title, action, target, before }: Changing<Answer>,
    { change, now, news }: { change: AccessChange; now: Asked; news: readonly Consequence[] },
    options: ChangeOptions,
  ): Promise<boolean> => {
    const { lines, word } = consequencesOf(change, {
      mode: now.mode,
      liveSessions: now.liveSessions,
      accessVersion: target && provedVersion(accessNotes?.of(target.id)),
    })
    const isAgreed = await confirm({
      title,
      lines: [...news, ...(options.before ?? []), ...(before?.(now) ?? []), ...lines],
      action,
      ...(word && { word: word.text, wordFor: word.reason }),
    })
    if (!isAgreed) await options.declined?.()
    return isAgreed
  }

  /** Sends the change if the scenario is as in the question; undefined after a failure, which was reported. */
  const send = async <Answer extends ChangeAnswer>(
    changing: Changing<Answer>,
    change: AccessChange,
    asked: Asked,
    options: ChangeOptions,
  ): Promise<Sent<Answer> | OutcomeUnknown | undefined> => {
    const { target, endpoint } = changing
    let isLost = false
    const outcome = await write<AnyEndpoint, Sent<Answer>>({
      endpoint,
      confirm: 'done',
      start: changing.start,
      work: async task => {
        const moved = whatMoved(asked, await standing(target, change))
        try {
          if (moved !== undefined) return { sent: false, moved } as const
          const answer = await changing.send(task.send, asked)
          noteMove(change, target, change.do)
          changing.retain?.(answer, asked)
          return { sent: true, answer } as const
        } catch (error) {
          // The scenario existed a moment ago, so it is the member who does not.
          if (change.do === 'remove' && isMissing(error)) return { sent: false, notMember: change.member } as const
          isLost = error instanceof ApiError && error.leavesDoubt
          if (isLost) noteLoss(changing, change)
          throw error
        }
      },
      done: value => (value.sent ? changing.done(value.answer) : { tone: 'warn', text: unsentWords(value) }),
    })
    return isLost ? await readLost(changing, change, options) : outcome
  }

  return async <Answer extends ChangeAnswer>(
    changing: Changing<Answer>,
    options: ChangeOptions = {},
  ): Promise<Changed<Answer> | OutcomeUnknown | undefined> => {
    const { target } = changing
    let news: readonly Consequence[] | undefined
    for (;;) {
      const now = await look(target, changing.change)
      if (!now) return undefined
      news ??= target ? changedMeanwhile(target, now) : []
      const change = changing.change.do === 'mode' ? { ...changing.change, from: now.mode } : changing.change
      if (!(await ask(changing, { change, now, news }, options))) return undefined
      const sent = await send(changing, change, now, options)
      if (!sent || 'read' in sent) return sent
      if ('notMember' in sent) return undefined
      if (!sent.sent) {
        news = [{ text: unsentWords(sent), tone: 'warn' }]
        continue
      }
      const { answer } = sent
      const id = changing.scenarioId?.(answer) ?? target?.id ?? ''
      const { changedAt, ...read } = await readBack(client, projectId, id, change.do === 'unpublish')
      if (changedAt !== undefined) noteChanged(id, target && now.changedAt, changedAt)
      const proofs = proofsOf(change, { scenarioId: target?.id }, answer, read)
      if (!options.silent)
        show(`${changing.done(answer)} What is known now:`, [
          ...proofLines(theme, proofs),
          ...followUpLines(changing, answer),
        ])
      return { answer, proofs, changedAt }
    }
  }
}

function unsentWords(sent: { moved: string } | { notMember: string }): string {
  return 'moved' in sent ? `Not sent: while you decided, ${sent.moved}.` : notMemberText(sent.notMember)
}

function followUpLines<Answer extends ChangeAnswer>({ followUp }: Changing<Answer>, answer: Answer): Line[] {
  const text = followUp?.(answer)
  return text === undefined ? [] : ['', text]
}

export type Change = ReturnType<typeof useChange>
