import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { AGENT_HISTORY, AgentMessage, type AgentDecision, type AgentTurn } from '../../../api/contract/agent.ts'
import { Talk } from '../../../components/conversations/talk.tsx'
import { useJsonOverlay } from '../../../components/json/json-viewer.tsx'
import type { Column } from '../../../components/list/columns.ts'
import { List } from '../../../components/list/list.tsx'
import { useList } from '../../../components/list/use-list.ts'
import type { TranscriptRow } from '../../../components/transcript/transcript-rows.ts'
import { aboutChosen, asWritten } from '../../../domain/agent/questions.ts'
import { useApiQuery } from '../../../hooks/use-api-query.ts'
import { useWorkspace } from '../../../hooks/workspace.tsx'
import { UnavailableAction } from '../../../tui/keymap/dispatcher.ts'
import { useBindings, useKeyName } from '../../../tui/keymap/use-bindings.ts'
import { useRouter } from '../../../tui/router/router-context.tsx'
import { formatCount, plural } from '../../../lib/format.ts'
import { appKeys } from '../../../components/everywhere-keys.ts'
import { agentRowsKeys } from '../app-keys.ts'
import type { Conversation, Conversations, Turn } from './conversations.ts'
import { useDecide } from './use-decide.ts'
import { allEndpoints } from '../../../api/contract/contract.ts'
import { clientsRoute } from '../../../screens/clients/route.ts'
import { environmentsRoute } from '../../../screens/environments/route.ts'
import { runsRoute } from '../../../screens/runs/route.ts'
import { serversRoute } from '../../../screens/servers/route.ts'
import { journeyPlace, swarmsRoute } from '../../../screens/swarms/route.ts'
import type { Place } from '../../../tui/router/place.ts'
import type { Tone } from '../../../tui/theme/theme.ts'

type PaneProps = {
  conversations: Conversations
  id: string
  /** Suggested questions for the conversation. */
  questions: readonly string[]
  question?: string | undefined
  ask: (question: string) => void
  /** Called before the place changes. */
  onGo?: (() => void) | undefined
  onClose: () => void
}

/** Shows a conversation with the agent, and below it what its turns did. */
export function AgentPane(props: PaneProps) {
  const { conversations, id } = props
  const conversation = useSyncExternalStore(conversations.subscribe, () => conversations.get(id))
  const { turns, running, chosen, projectId, made } = conversation
  const { profile } = useWorkspace()
  const key = useKeyName()
  useEffect(() => {
    conversations.shown.add(id)
    return () => void conversations.shown.delete(id)
  }, [conversations, id])
  const exchanges = useMemo(() => [...turns, ...(running ? [running] : [])].map(saidIn), [turns, running])
  const rows = useMemo(() => rowsOf(turns, projectId, made), [turns, projectId, made])
  const status = useTokens(conversation)
  const problem = (question: string): string | undefined => {
    const content = turns.length === 0 ? aboutChosen(question, chosen) : question
    if (AgentMessage().safeParse({ role: 'user', content }).success) return undefined
    const { messageCharacters, messageBytes } = AGENT_HISTORY
    const [characters, bytes] = [messageCharacters, messageBytes].map(formatCount)
    return `A question takes at most ${characters} characters and ${bytes} bytes.`
  }
  return (
    <Talk
      exchanges={exchanges}
      asked={turns.map(({ question }) => asWritten(question))}
      questions={props.questions}
      question={props.question}
      obstacle={useObstacle(turns.length === 0)}
      about={[
        chosen ? `It knows what is chosen here: ${chosen.kind} ${chosen.name}.` : 'It answers about this project.',
        'It reads and adds records by itself; anything else is only proposed.',
        profile.local ? 'This uses tokens of your model.' : 'This spends credits.',
      ]}
      running={running && { startedAt: Number(running.startedAt), did: running.did, stop: running.stop }}
      status={status}
      found={`${key(appKeys, 'agentTurns')} shows its answer then.`}
      problem={problem}
      ask={props.ask}
      below={
        rows.length === 0
          ? undefined
          : { rows: rows.length + 1, render: focused => <Did {...props} {...{ conversation, rows, focused }} /> }
      }
      onClose={props.onClose}
    />
  )
}

/**
 * Returns why no question can be answered: a local workspace may have no model. The service says how to configure one.
 */
function useObstacle(isWanted: boolean): string | undefined {
  const { profile, queries } = useWorkspace()
  const catalog = useApiQuery({ ...queries.models.list.options({}), enabled: profile.local && isWanted }).data
  if (!profile.local || catalog?.endpoint !== null) return undefined
  return typeof catalog.note === 'string' ? catalog.note : 'No model is configured.'
}

function saidIn({ id, question, reply, error }: Turn): TranscriptRow[] {
  const asked = { id: `${id} question`, role: 'user', raw: question }
  const text = reply ?? error?.message
  return [
    { ...asked, parts: [{ kind: 'text', text: question, format: 'plain' }] },
    ...(text === undefined
      ? []
      : [
          {
            id: `${id} reply`,
            role: reply == null ? 'system' : 'assistant',
            parts: [
              { kind: 'text' as const, text, format: reply == null ? ('plain' as const) : ('markdown' as const) },
            ],
            ...(reply == null && { isError: true }),
          },
        ]),
  ]
}

/** Returns the tokens of the last turn, and of the day if they are stored. */
function useTokens({ turns, projectId }: Conversation): string {
  const { profile, queries } = useWorkspace()
  const today = useApiQuery({ ...queries.agentTurns.usage.options({ projectId }), enabled: profile.local }).data
  const { usage } = turns.at(-1) ?? {}
  return [
    ...(usage ? [tokensOf(usage)] : []),
    ...(today ? [`today ${tokensOf(today)}, in ${plural(today.turns, 'turn')}`] : []),
  ].join('; ')
}

function tokensOf(usage: {
  inputTokens?: number | null | undefined
  outputTokens?: number | null | undefined
}): string {
  return `${formatCount(usage.inputTokens)} tokens in, ${formatCount(usage.outputTokens)} out`
}

const COLUMNS: readonly Column<Row>[] = [
  { id: 'what', title: 'What', width: 9, cell: ({ what, tone }) => ({ text: what, tone }) },
  { id: 'text', title: 'Operation', width: 'flex', cell: ({ text }) => text },
]
const rowKey = ({ id }: Row): string => id

/** Lists what the turns did: each row can be opened, decided or shown. */
function Did(props: PaneProps & { conversation: Conversation; rows: readonly Row[]; focused: boolean }) {
  const { conversations, conversation, focused } = props
  const { id, projectId } = conversation
  const router = useRouter()
  const showJson = useJsonOverlay()
  const created = props.rows.flatMap(row => ('created' in row ? [row.created] : []))
  const { approve, dismiss } = useDecide(projectId, created)
  const list = useList({ items: props.rows, keyOf: rowKey, columns: COLUMNS })
  const raw = (): void => {
    const row = list.choose()
    if (row) showJson(row.text, 'call' in row ? row.call : 'created' in row ? row.created : row.proposal)
  }
  const decide = async (proposal: Proposal, decision: AgentDecision): Promise<void> => {
    const { actionId } = proposal
    if (proposal.decision != null) throw new UnavailableAction(`This was ${proposal.decision} already.`)
    if (conversation.turns.some(({ status }) => status === 'running'))
      throw new UnavailableAction('The turn is still running; decide when it has ended.')
    const answer = await (decision === 'approved' ? approve : dismiss)(proposal)
    if (!answer) return
    const { turns, made } = conversations.get(id)
    const decided = (actions: readonly Proposal[] | null | undefined) =>
      actions?.map(each => (each.actionId === actionId ? { ...each, decision } : each))
    const place = placeNamed(answer, projectId)
    conversations.change(id, {
      turns: turns.map(turn => ({ ...turn, proposedActions: decided(turn.proposedActions) })),
      made: new Map([...made, ...(place ? [[actionId, place] as const] : [])]),
    })
  }
  useBindings(
    agentRowsKeys,
    {
      async open() {
        const row = list.choose()
        if (!row) return
        if ('proposal' in row && !row.place) return await decide(row.proposal, 'approved')
        if (!row.place) return raw()
        props.onClose()
        props.onGo?.()
        router.go(row.place)
      },
      async dismiss() {
        const row = list.choose()
        if (!row || !('proposal' in row)) throw new UnavailableAction('Only a proposed action can be dismissed.')
        await decide(row.proposal, 'dismissed')
      },
      raw,
    },
    { active: focused },
  )
  return <List list={list} focused={focused} empty="It only answered; nothing was done." />
}

export type Proposal = NonNullable<AgentTurn['proposedActions']>[number]
type Created = NonNullable<AgentTurn['createdResources']>[number]

/** A result of a turn; `place` is its place, if it has one. */
export type Row = { id: string; what: string; tone: Tone; text: string; place?: Place | undefined } & (
  | { proposal: Proposal }
  | { created: Created }
  | { call: Turn['calls'][number] }
)

const DECIDED: Readonly<Record<string, Tone>> = { approved: 'ok', dismissed: 'muted' }

/**
 * Returns what the turns did: first what waits for a decision, then what was created, then every call.
 * @param made places of the records that approved actions created
 */
export function rowsOf(turns: readonly Turn[], projectId: string, made: ReadonlyMap<string, Place>): Row[] {
  const proposals = turns.flatMap(({ proposedActions }) => proposedActions ?? [])
  const created = turns.flatMap(({ createdResources }) => createdResources ?? [])
  // Calls that made a proposal are shown as the proposal.
  const calls = turns.flatMap(turn => turn.calls).filter(({ outcome }) => outcome !== 'proposed')
  return [
    ...proposals.map((proposal): Row => {
      const { actionId, operation, description, decision } = proposal
      const text = description ?? operation ?? actionId
      const what = decision ?? 'proposed'
      return { id: actionId, what, tone: DECIDED[what] ?? 'warn', text, place: made.get(actionId), proposal }
    }),
    ...created.map((each): Row => {
      const text = `${each.type.replaceAll('_', ' ')} ${each.name ?? each.id}`
      const place = placeOf(each, projectId)
      return { id: `${each.type} ${each.id}`, what: 'created', tone: 'ok', text, place, created: each }
    }),
    ...calls.map((call, index): Row => {
      const { operation, outcome = 'called', message } = call
      const text = message ? `${operation}: ${message}` : operation
      const tone = outcome === 'refused' ? 'error' : 'muted'
      return { id: `call ${index}`, what: outcome, tone, text, place: placeOfCall(call, projectId), call }
    }),
  ]
}

type At = (projectId: string, id: string) => Place

/** Records that have a place: their type in a turn, the part of a path before their id, and its parameter. */
const PLACES: readonly (readonly [type: string, path: string, parameter: string, to: At])[] = [
  ['eval_run', '/eval-runs/', 'runId', (projectId, runId) => runsRoute.to({ projectId, runId })],
  ['eval_suite', '/eval-suites/', 'suiteId', (projectId, suiteId) => runsRoute.to({ projectId, suiteId })],
  ['server', '/servers/', 'serverId', (projectId, serverId) => serversRoute.to({ projectId, serverId })],
  ['client', '/clients/', 'clientId', (projectId, clientId) => clientsRoute.to({ projectId, clientId })],
  [
    'environment',
    '/environments/',
    'environmentId',
    (projectId, environmentId) => environmentsRoute.to({ projectId, environmentId }),
  ],
  ['journey', '/journeys/', 'journeyId', journeyPlace],
  ['swarm', '/swarms/', 'swarmId', (projectId, swarmId) => swarmsRoute.to({ projectId, swarmId })],
]

function placeOf({ type, id, url }: Created, projectId: string): Place | undefined {
  const suiteId = /\/eval-suites\/([^/?#]+)/.exec(url ?? '')?.[1]
  if (type === 'eval_case' && suiteId !== undefined)
    return runsRoute.to({ projectId, suiteId, pane: 'runs', middle: 'cases', caseId: id })
  return PLACES.find(([each]) => each === type)?.[3](projectId, id)
}

/** Returns the place of the record that a call was about, from the path of its operation. */
function placeOfCall({ operation, input = {} }: Turn['calls'][number], projectId: string): Place | undefined {
  const path = allEndpoints().find(each => each.operation === operation)?.path ?? ''
  return placeNamed(input, projectId, part => path.includes(part))
}

/** Returns the place of the most specific record whose id an answer contains, such as the run that a call launched. */
export function placeNamed(
  record: object,
  projectId: string,
  isIn: (path: string) => boolean = () => true,
): Place | undefined {
  for (const [, path, parameter, to] of PLACES) {
    const id = (record as Record<string, unknown>)[parameter]
    if (typeof id === 'string' && isIn(path)) return to(projectId, id)
  }
  return undefined
}
