import { isoTime } from '../../lib/times.ts'
import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { cachedItems } from '../../api/client/cache/cached.ts'
import { contract } from '../../api/contract/contract.ts'
import type { ExaminedReport } from '../../domain/servers/findings.ts'
import type { ProjectServer } from '../../api/contract/servers.ts'
import { type AroundRun, doctorFacts, factsOf, nameOf } from '../../domain/notebook/notebook-facts.ts'
import { MAX_FACT, nextToGo, type Pinned } from '../../domain/notebook/notebook.ts'
import { useConfirmDiscard } from '../../components/ask-text.tsx'
import { useAttempt } from '../../components/attempt.tsx'
import { useCurrentCrumbs } from '../../components/crumbs.tsx'
import { useCurrentSubject, type Subject } from '../../components/subject.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { notebookOf } from '../../hooks/use-notebook.ts'
import { useOwn } from '../../hooks/use-own.ts'
import { redactedStart, type Own } from '../../lib/redaction/redaction.ts'
import { useWorkspace, type Workspace } from '../../hooks/workspace.tsx'
import { callLogOf, type CallRecord } from '../../domain/calls/call-log.ts'
import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import type { Place } from '../../tui/router/place.ts'
import { useRouter } from '../../tui/router/router-context.tsx'

/** Pins the selected item, in its current state, into the open incident, and then asks for a note. */
export function usePin(): KeyHandler | Unavailable {
  const current = useCurrentSubject()
  const crumbs = useCurrentCrumbs()
  const router = useRouter()
  const queryClient = useQueryClient()
  const workspace = useWorkspace()
  const toasts = useToasts()
  const askToKeep = useConfirmDiscard()
  const attempt = useAttempt()
  const ownOf = useOwn()
  if (!current()) return unavailable('Nothing that can be pinned is chosen.')
  return async () => {
    const subject = current()
    if (!subject) return
    const notebook = notebookOf(workspace)
    const place = subject.place ?? router.here()
    const own = ownOf()
    const { name, facts, ...rest } = pinnedOf({ subject, place, crumbs, queryClient, workspace, own })
    const pinned: Pinned = {
      ...rest,
      name: beginning(name, MAX_FACT, own),
      facts: facts.map(([label, value]) => [label, beginning(value, MAX_FACT, own)] as const),
    }
    const stored = attempt('Nothing was pinned', () => {
      const going = nextToGo(notebook.incidents())
      return { ...notebook.pin(pinned), going }
    })
    if (!stored) return
    const { incident, entry, going } = stored
    // Only a pin that begins a new incident removes the oldest one.
    const isGone = going && !notebook.incidents().some(({ id }) => id === going.id)
    await askToKeep(
      {
        title: `Pinned ${pinned.kind} ${pinned.name}`,
        lines: [`It is in “${incident.title}” with the current time. A note about it, if there is one to make:`],
        multiline: true,
      },
      note => {
        if (note.trim() !== '') notebook.editNote(incident.id, entry.id, { from: '', to: note })
      },
    )
    const gone = isGone ? ` The oldest incident, “${going.title}” is no longer stored.` : ''
    toasts.show('ok', `Pinned ${pinned.kind} ${pinned.name} into “${incident.title}”.${gone}`)
  }
}

/**
 * Returns the selected item with everything known of it. On a tab of a server, also returns the examination or the call
 * that the tab shows.
 */
function pinnedOf(from: {
  subject: Subject
  place: Place
  crumbs: readonly string[]
  queryClient: QueryClient
  workspace: Workspace
  own: Own
}): Pinned {
  const { subject, place, crumbs, queryClient, workspace, own } = from
  const { kind, id, record } = subject
  const where = [['Pinned from', crumbs.join(' › ')] as const]
  const { tab, projectId, suiteId } = place.params
  const around = kind === 'run' ? aroundRun({ suiteId, ...record }, queryClient) : {}
  const named = { id, place, name: nameOf(kind, record, around.suite) }
  if (kind === 'server' && tab === 'doctor') {
    const { resource, name } = contract.servers.doctor
    const report = queryClient.getQueryData<ExaminedReport>([resource, name, { projectId, serverId: id }])
    if (report)
      return { ...named, kind: 'doctor report', facts: [...doctorFacts(report, record as ProjectServer), ...where] }
  }
  if (kind === 'server' && tab === 'calls') {
    const [call] = callLogOf(workspace.client).of(id)
    if (call) return { ...named, kind: 'server call', facts: [...callFacts(call, own), ...where] }
  }
  return { ...named, kind, facts: [...factsOf(kind, record, around), ...where] }
}

/**
 * Returns the name of a run's suite, and the run's trials, as far as they were read. The last run in the record of a
 * suite does not name its suite; the place of its line on Now does.
 */
function aroundRun({ id, suiteId }: { id: string; suiteId?: unknown }, queryClient: QueryClient): AroundRun {
  const suite = cachedItems(queryClient, contract.suites.list).find(({ item }) => item.id === suiteId)
  const trials = cachedItems(queryClient, contract.iterations.list).filter(({ input }) => input.runId === id)
  return { suite: suite?.item.name ?? undefined, trials: trials.map(({ item }) => item) }
}

/** Returns a text, or its beginning without secrets: an export would not recognize one that was cut. */
function beginning(text: string, most: number, own: Own): string {
  return text.length > most ? redactedStart(text, most, own) : text
}

const MOST_ANSWER = 400

/** Returns the newest call to a server, with the beginning of its answer. */
function callFacts({ kind, target, startedAt, outcome }: CallRecord, own: Own): Pinned['facts'] {
  const facts: [string, string][] = [
    ['Called', `${kind} ${target}`],
    ['At', isoTime(startedAt)],
    ['Outcome', outcome.state],
  ]
  if (outcome.state !== 'running') facts.push(['Took (ms)', String(Math.round(outcome.durationMs))])
  if (outcome.state === 'answered') facts.push(['Answer', beginning(outcome.text, MOST_ANSWER, own)])
  if (outcome.state === 'failed')
    facts.push(['Error', outcome.error instanceof Error ? outcome.error.message : String(outcome.error)])
  return facts
}
