import { useMemo, useRef } from 'react'
import { contract } from '../../api/contract/contract.ts'
import { SESSION_SOURCES } from '../../api/contract/choices.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { SessionSummary } from '../../api/contract/sessions.ts'
import { useChat } from '../../components/conversations/use-chat.tsx'
import { ageColumn, agoText, countColumn, lookCell, noteColumn } from '../../components/collection/plain-parts.ts'
import { collectionScreen, type Answer } from '../../components/collection/collection-screen.tsx'
import { fieldsTab } from '../../components/collection/tabbed-pane.tsx'
import type { Collection } from '../../components/collection/use-collection.ts'
import type { Column } from '../../components/list/columns.ts'
import { useFormDialog, type FormSpec } from '../../components/form/form-dialog.tsx'
import { trialLook } from '../../components/records/trial-look.ts'
import { UnavailableAction } from '../../tui/keymap/dispatcher.ts'
import type { Place } from '../../tui/router/place.ts'
import { usePlace, useRouter } from '../../tui/router/router-context.tsx'
import { clean } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Symbols } from '../../tui/theme/theme.ts'
import { classOfTrial, TRIAL_CLASSES } from '../../domain/runs/trial-class.ts'
import { isOpenTrial, TRIALS_READ } from '../../domain/runs/trials.ts'
import { useLiveQueries } from '../../hooks/use-api-query.ts'
import { ownName, useFirstOfEach } from '../../hooks/use-each.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { formatCount, plural, UNKNOWN } from '../../lib/format.ts'
import { runsRoute } from '../runs/route.ts'
import { scenariosRoute } from '../scenarios/route.ts'
import { journeyRunPlace } from '../swarms/route.ts'
import { sessionsKeys } from './bindings.ts'
import { SessionTranscript } from './transcript.tsx'
import { useTraceExport } from './use-trace-export.ts'

/** Words for sessions of each source; an unknown source is shown as received. */
const SOURCE_LABELS = new Map<string, string>([
  ['direct', 'chat'],
  ['scenario', 'visitor'],
  ['eval', 'eval'],
  ['swarm', 'swarm'],
])

/** Width of `10 ⊘ cancelled`: the number distinguishes the trials of one case. */
const TRIAL_WIDTH = 14
/** Matches the run number: runs of a suite differ in nothing else. */
const RUN_NUMBER = / #\d+$/

/** Maximum number of runs in the feed whose trials are read automatically, one request each. */
const MOST_RUNS = { local: 20, remote: 3 }
/** Milliseconds for which data of ended runs is not read again. */
const TRIALS_AGE_MS = 60_000

/** The trials of the sessions in a feed, by their ids, as far as they were read. */
type TrialsById = ReadonlyMap<string, EvalIteration>

/** A summary of a session; its messages and result are beside or below it, or one tab away. */
const OVERVIEW = fieldsTab(
  'Overview',
  (row: SessionSummary) => [
    ...(row.matchPreview ? [['Found in', row.matchPreview] as const] : []),
    ['Belongs to', [sourceLabel(row), row.parentRef?.label].filter(Boolean).join(' of ')],
    ['Began with', row.firstMessagePreview],
    ['Messages', messagesText(row)],
    ['Last activity', agoText(row.lastActivityAt)],
  ],
  row => [
    ['Began', agoText(row.startedAt)],
    ['Model', row.modelId],
    ['Tokens in', formatCount(row.cumulativeInputTokens)],
    ['Tokens out', formatCount(row.cumulativeOutputTokens)],
    ['State', row.status],
    ['Visible to', row.visibility],
    ['Id', row.id],
  ],
)

function messagesText({ messageCount, cumulativeToolCallCount: calls }: SessionSummary): string {
  const count = formatCount(messageCount)
  return calls == null ? count : `${count}, and ${plural(calls, 'tool call')}`
}

/** All sessions of a project in one feed: eval runs, swarms, visitors and chat, newest first. */
export const SessionsScreen = collectionScreen({
  noun: 'session',
  title: 'Sessions',
  what: 'the sessions',
  list: contract.sessions.list,
  param: 'sessionId',
  useQuery: useFeedQuery,
  useAnswer: useSearchAnswer,
  rows: {
    useRows(items, projectId) {
      const { symbols } = useTheme()
      const trials = useTrials(items, projectId)
      return { rows: items, columns: useMemo(() => sessionColumns(symbols, trials), [symbols, trials]) }
    },
    itemOf: (row: SessionSummary) => row,
  },
  tabs: [
    // A swarm's session is found only by searching the whole trace export.
    { ...OVERVIEW, companion: 'transcript', isCostly: ({ row }) => row.sourceType === 'swarm' },
    { id: 'transcript', title: 'Transcript', Content: SessionTranscript },
  ],
  nameOf: titleOf,
  keys: sessionsKeys,
  useActions: useSessionActions,
  empty: key => ({
    why: 'There are no sessions here.',
    next: `They come from eval runs, waves, visitors and chats. Press ${key('source')} to change which are shown.`,
  }),
})

/** Reads how sessions ended and which trial of its case each is: the feed says neither, but their runs do. */
function useTrials(sessions: readonly SessionSummary[], projectId: string): TrialsById {
  const { queries, budget } = useWorkspace()
  const runs = useMemo(() => sessions.flatMap(({ parentRef }) => parentRef?.suiteRunId ?? []), [sessions])
  const most = MOST_RUNS[budget.snapshot().unlimited ? 'local' : 'remote']
  const { first } = useFirstOfEach(runs, ownName, most)
  const { reads } = useLiveQueries(first, {
    nameOf: ownName,
    options: runId =>
      queries.iterations.list.options(
        { projectId, runId, limit: TRIALS_READ },
        { staleTime: TRIALS_AGE_MS, meta: { priority: 'background' } },
      ),
    isLive: answer => answer?.items.some(isOpenTrial) ?? false,
  })
  const answers = reads.map(({ data }) => data)
  // The list is new with every render, the answers in it are not.
  const last = useRef(answers)
  const isSame = answers.length === last.current.length && answers.every((each, at) => each === last.current[at])
  if (!isSame) last.current = answers
  const known = last.current
  return useMemo(() => new Map(known.flatMap(each => each?.items ?? []).map(trial => [trial.id, trial])), [known])
}

/** Returns the columns of the feed; `trials` contains the trials of its runs, as far as they were read. */
function sessionColumns(symbols: Symbols, trials: TrialsById): readonly Column<SessionSummary>[] {
  const trialOf = ({ parentRef }: SessionSummary) => trials.get(parentRef?.iterationId ?? '')
  return [
    { id: 'source', title: 'From', width: 8, cell: row => ({ text: sourceLabel(row), tone: 'muted' }) },
    { id: 'title', title: 'Session', width: 'flex', cell: titleOf },
    {
      id: 'trial',
      title: 'Trial',
      width: TRIAL_WIDTH,
      from: 40,
      cell(row) {
        const trial = trialOf(row)
        if (!trial) return { text: row.sourceType === 'eval' ? UNKNOWN : '', tone: 'muted' }
        const { text, tone } = lookCell(symbols, trialLook(trial))
        return { text: `${String(trial.iterationNumber).padStart(2)} ${text}`, tone }
      },
      sort(row) {
        const trial = trialOf(row)
        return trial && TRIAL_CLASSES.indexOf(classOfTrial(trial))
      },
    },
    noteColumn('Belongs to', 16, parentLabel, { id: 'parent', from: 64, keeps: RUN_NUMBER }),
    countColumn('Messages', 8, ({ messageCount }) => messageCount, { from: 96 }),
    ageColumn('Last', ({ lastActivityAt }) => lastActivityAt),
  ]
}

function sourceLabel({ sourceType }: SessionSummary): string {
  return SOURCE_LABELS.get(sourceType) ?? sourceType
}

/** Returns the label of a session's parent; a chat has none, and that of another session may be unknown. */
function parentLabel({ sourceType, parentRef }: SessionSummary): string | null | undefined {
  return sourceType === 'direct' ? '' : parentRef?.label
}

function titleOf({ title, firstMessagePreview, id }: SessionSummary): string {
  return title ?? firstMessagePreview ?? id
}

/** Returns the source in the place, if the contract knows it. */
function useSource(): (typeof SESSION_SOURCES)[number] | undefined {
  const { source } = usePlace().params
  return SESSION_SOURCES.find(each => each === source)
}

/** Returns the search in the place; an empty text is no search. */
function useSearched(): { q: string; scope: 'titles' | 'transcripts' } | undefined {
  const { q, scope } = usePlace().params
  return q ? { q, scope: scope === 'transcripts' ? scope : 'titles' } : undefined
}

function useFeedQuery() {
  const source = useSource()
  return { ...(source && { sourceType: source }), ...useSearched() }
}

/**
 * Says what was searched. An answer that does not echo the wanted scope does not belong to this search, and shows no
 * row.
 */
function useSearchAnswer(
  first: { scope?: string | null | undefined } | undefined,
  key: (id: Exclude<keyof typeof sessionsKeys.bindings, 'open' | 'back'>) => string,
): Answer {
  const searched = useSearched()
  if (!searched) return {}
  const { q, scope } = searched
  const title = `${scope === 'titles' ? 'Titles' : 'Transcripts'} with “${clean(q)}”`
  if (first && scope !== (first.scope ?? 'titles'))
    return {
      title,
      isRefused: true,
      empty: {
        why: `This service does not search ${scope}; what it answered is not shown.`,
        next: `${key('search')} searches the titles.`,
      },
    }
  return {
    title,
    empty: {
      why: `Nothing found in ${scope}.`,
      next: `Press ${key('search')} to search for something else, or to end the search.`,
    },
  }
}

function useSessionActions({ on }: Collection<SessionSummary>, projectId: string) {
  const router = useRouter()
  const source = useSource()
  const searched = useSearched()
  const ask = useFormDialog()
  const exportTraces = useTraceExport(projectId)
  const chat = useChat(projectId)
  return {
    async search() {
      const wanted = await ask(searchForm(searched))
      const q = wanted?.['q']?.trim() || undefined
      if (wanted) router.replace({ q, scope: q && wanted['scope'], sessionId: undefined, pane: undefined })
    },
    export: () => exportTraces(source),
    talk: on(async session => {
      if (session.sourceType !== 'direct')
        throw new UnavailableAction('Only a chat can be continued; start a new one at an environment.')
      await chat({ name: titleOf(session), sessionId: session.id })
    }),
    parent: on(session => {
      const place = placeOf(session, projectId)
      if (!place) throw new UnavailableAction('It belongs to nothing that can be shown here.')
      router.go(place)
    }),
    source() {
      const next = SESSION_SOURCES[source ? SESSION_SOURCES.indexOf(source) + 1 : 0]
      router.replace({ source: next, sessionId: undefined, pane: undefined })
    },
  }
}

/** Returns the place of a session's parent, if the session names it. */
function placeOf({ id, parentRef }: SessionSummary, projectId: string): Place | undefined {
  const { suiteRunId, iterationId, scenarioId, journeyRunId: runId, journeyRefId: journeyId } = parentRef ?? {}
  if (suiteRunId)
    return runsRoute.to({
      projectId,
      runId: suiteRunId,
      pane: 'run',
      ...(iterationId && { tab: 'trial', iterationId }),
    })
  if (runId && journeyId) return journeyRunPlace({ projectId, journeyId, runId, sessionId: id })
  if (!scenarioId) return undefined
  return scenariosRoute.to({ projectId, scenarioId, pane: 'detail', tab: 'sessions', sessionId: id })
}

function searchForm(searched: ReturnType<typeof useSearched>): FormSpec {
  return {
    title: 'Search the sessions',
    fields: [
      { id: 'q', label: 'For', initial: searched?.q ?? '', note: 'Left empty, all are shown.' },
      {
        id: 'scope',
        label: 'In',
        required: true,
        initial: searched?.scope ?? 'titles',
        input: {
          kind: 'choice',
          options: [
            { value: 'titles', label: 'titles', detail: 'and what each session began with' },
            { value: 'transcripts', label: 'transcripts', detail: 'all that was said' },
          ],
        },
      },
    ],
    act: 'Search',
  }
}
