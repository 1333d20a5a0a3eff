import { Box, Text } from 'ink'
import { useMemo, useState } from 'react'
import { ApiError } from '../../../api/client/errors/api-error.ts'
import {
  AgentTurnEffects,
  type AgentTurn,
  type AgentTurnResponse,
  type ProposedAction,
} from '../../../api/contract/agent.ts'
import { contract } from '../../../api/contract/contract.ts'
import { newIdempotencyKey } from '../../../api/contract/endpoint.ts'
import { toEpochMs } from '../../../api/contract/shapes.ts'
import { useAskText } from '../../../components/ask-text.tsx'
import { useJsonOverlay } from '../../../components/json/json-viewer.tsx'
import type { Column } from '../../../components/list/columns.ts'
import { ListContent } from '../../../components/list/list-pane.tsx'
import { List } from '../../../components/list/list.tsx'
import { useList } from '../../../components/list/use-list.ts'
import { MarkdownViewer } from '../../../components/markdown/markdown-viewer.tsx'
import { useOverlays } from '../../../components/overlays.tsx'
import { useReview } from '../../../components/review.tsx'
import { SizeProvider, useSize } from '../../../components/size.tsx'
import { useCurrentSubject } from '../../../components/subject.tsx'
import { approvalOf } from '../../../domain/agent/approval.ts'
import { RISK_EFFECTS } from '../../../domain/writes/risk-effects.ts'
import { useRunTask } from '../../../hooks/tasks.tsx'
import { useWholeList } from '../../../hooks/use-whole-list.ts'
import { useWrite, useWrites } from '../../../hooks/use-write.tsx'
import { useWorkspace } from '../../../hooks/workspace.tsx'
import { jsonText } from '../../../lib/printable.ts'
import { clientsRoute } from '../../../screens/clients/route.ts'
import { environmentsRoute } from '../../../screens/environments/route.ts'
import { runsRoute } from '../../../screens/runs/route.ts'
import { journeyPlace, swarmsRoute } from '../../../screens/swarms/route.ts'
import { unavailable, type KeyHandler, type Unavailable } from '../../../tui/keymap/binding.ts'
import { UnavailableAction } from '../../../tui/keymap/dispatcher.ts'
import { useBindings } from '../../../tui/keymap/use-bindings.ts'
import type { Place } from '../../../tui/router/place.ts'
import { useRouter } from '../../../tui/router/router-context.tsx'
import { formatAgo } from '../../../tui/theme/format.ts'
import { clean } from '../../../tui/theme/text.ts'
import { useTheme } from '../../../tui/theme/theme-context.tsx'
import type { Tone } from '../../../tui/theme/theme.ts'
import { agentKeys, agentTurnsKeys } from '../app-keys.ts'

const WIDTH = 100
/** Rows of what a turn did, below its reply. */
const MOST_ROWS = 10

/** What is mostly asked about a thing of a kind; it stands in the field and can be edited. */
const QUESTIONS: Readonly<Record<string, string>> = {
  run: 'Why did this run fail?',
  finding: 'Write a case for this finding.',
  server: 'What changed on this server since last week?',
}

type Created = NonNullable<AgentTurn['createdResources']>[number]
type Turn = Pick<AgentTurn, 'question' | 'createdResources' | 'proposedActions'> & {
  reply?: AgentTurn['reply']
  error?: AgentTurn['error']
  calls: readonly (Pick<AgentTurn['calls'][number], 'operation'> & Partial<AgentTurn['calls'][number]>)[]
  usage?: { inputTokens?: number | null | undefined; outputTokens?: number | null | undefined } | null | undefined
}

/** Asks the agent of the project about what is chosen, and shows what it was asked before. */
export function useAgent(project: () => string | undefined): Record<'agent' | 'agentTurns', KeyHandler | Unavailable> {
  const { client, profile } = useWorkspace()
  const overlays = useOverlays()
  const askText = useAskText()
  const subjectNow = useCurrentSubject()
  const write = useWrite(contract.agent.turn)
  const projectId = (): string => {
    const id = project()
    if (id === undefined) throw new UnavailableAction('The agent works within a project; open one first.')
    return id
  }
  const show = (turn: Turn, of: string): void => {
    overlays.open({
      title: `Agent: ${clean(turn.question)}`,
      width: WIDTH,
      content: close => <AnswerOverlay turn={turn} projectId={of} onClose={close} />,
    })
  }
  /** With the outcome of each call; only the local workspace stores turns. */
  const storedTurn = async (of: string, conversationId: string): Promise<AgentTurn | undefined> => {
    if (!profile.local) return undefined
    const stored = await client.agentTurns.list({ projectId: of }).catch(() => undefined)
    return stored?.items.find(each => each.conversationId === conversationId)
  }
  const agent = async (): Promise<void> => {
    const of = projectId()
    const subject = subjectNow()
    const chosen = subject && `${subject.kind} ${subject.id}`
    const question = await askText({
      title: 'Ask the agent',
      lines: [
        chosen === undefined ? 'It answers about this project.' : `It is told what is chosen here: ${chosen}.`,
        'It reads and adds records by itself; anything else is only proposed.',
        profile.local ? 'This takes tokens of your model.' : 'This spends credits.',
      ],
      initial: QUESTIONS[subject?.kind ?? ''] ?? '',
      multiline: true,
    })
    if (!question?.trim()) return
    const content = chosen === undefined ? question : `${question}\n\n(Chosen on the screen: ${chosen}.)`
    const idempotencyKey = newIdempotencyKey()
    const conversationId = `screen ${idempotencyKey}`.slice(0, 64)
    let failure: unknown
    const answer = await write({
      confirm: 'done',
      start: 'The agent works…',
      stopped: 'The turn was cancelled; what it had created stays.',
      work: ({ send, signal }) => {
        const body = { messages: [{ role: 'user' as const, content }], conversationId, idempotencyKey }
        return send(contract.agent.turn, { projectId: of, body }, { signal })
      },
      failed: error => void (failure = error),
    })
    const turn = (await storedTurn(of, conversationId)) ?? turnOf(answer, failure)
    if (turn && (turn.reply != null || rowsOf(turn).length > 0)) show({ ...turn, question }, of)
  }
  const agentTurns = (): void => {
    const of = projectId()
    overlays.open({
      title: 'What the agent was asked',
      width: WIDTH,
      content: close => <TurnsOverlay projectId={of} onOpen={turn => show(turn, of)} onClose={close} />,
    })
  }
  return {
    agent,
    agentTurns: profile.local ? agentTurns : unavailable('Only the local workspace stores what the agent was asked.'),
  }
}

/** What a turn came to by its answer, or by the details of its failure. */
function turnOf(answer: AgentTurnResponse | undefined, failure: unknown): Omit<Turn, 'question'> | undefined {
  if (answer) return { ...answer, calls: answer.toolCalls ?? [] }
  if (!(failure instanceof ApiError)) return undefined
  const { code = 'UNKNOWN', message, details } = failure
  return { ...AgentTurnEffects().safeParse(details).data, calls: [], error: { code, message } }
}

type Row = { id: string; what: string; tone: Tone; text: string } & (
  | { proposal: ProposedAction }
  | { created: Created }
  | { call: Turn['calls'][number] }
)

/** What waits for a decision comes first, then what was created, then every call. */
function rowsOf({ calls, createdResources, proposedActions }: Omit<Turn, 'question'>): Row[] {
  return [
    ...(proposedActions ?? []).map((proposal): Row => {
      const { actionId, operation, description } = proposal
      const text = description ?? operation ?? actionId
      return { id: actionId, what: 'proposed', tone: 'warn', text, proposal }
    }),
    ...(createdResources ?? []).map((created): Row => {
      const text = `${created.type.replaceAll('_', ' ')} ${created.name ?? created.id}`
      return { id: `${created.type} ${created.id}`, what: 'created', tone: 'ok', text, created }
    }),
    ...calls.map((call, index): Row => {
      const { operation, outcome = 'called', message } = call
      const text = message ? `${operation}: ${message}` : operation
      return { id: `call ${index}`, what: outcome, tone: outcome === 'refused' ? 'error' : 'muted', text, call }
    }),
  ]
}

const rowKey = ({ id }: Row): string => id

function AnswerOverlay(props: { turn: Turn; projectId: string; onClose: () => void }) {
  const { turn, projectId, onClose } = props
  const theme = useTheme()
  const { width, height } = useSize()
  const router = useRouter()
  const showJson = useJsonOverlay()
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set())
  const decide = useDecide(projectId)
  const columns = useMemo(
    (): readonly Column<Row>[] => [
      {
        id: 'what',
        title: 'What',
        width: 8,
        cell: ({ id, what, tone }) => (decided.has(id) ? { text: 'approved', tone: 'ok' } : { text: what, tone }),
      },
      { id: 'text', title: 'Operation', width: 'flex', cell: ({ text }) => text },
    ],
    [decided],
  )
  const items = useMemo(() => rowsOf(turn), [turn])
  const list = useList({ items, keyOf: rowKey, columns })
  const [onRows, setOnRows] = useState(false)
  const open = async (): Promise<void> => {
    const row = list.choose()
    if (!row) return
    if ('call' in row) return showJson(row.call.operation, row.call)
    if ('proposal' in row) {
      if (decided.has(row.id)) throw new UnavailableAction('This was approved already.')
      if (await decide(row.proposal)) setDecided(now => new Set([...now, row.id]))
      return
    }
    const place = placeOf(row.created, projectId)
    if (!place) return showJson(row.text, row.created)
    onClose()
    router.go(place)
  }
  const none = items.length === 0
  useBindings(agentKeys, {
    open: none ? unavailable('It did nothing but answer.') : onRows ? open : () => setOnRows(true),
    other: none ? unavailable('It did nothing but answer.') : () => setOnRows(!onRows),
    close: onClose,
  })
  const { inputTokens, outputTokens } = turn.usage ?? {}
  const tokens = turn.usage ? `${inputTokens ?? '?'} tokens in, ${outputTokens ?? '?'} out` : ''
  const below = none ? 0 : Math.min(MOST_ROWS, items.length + 1, Math.floor(height / 2))
  const above = Math.max(1, height - below - 1)
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Box width={width} height={above}>
        <SizeProvider width={width} height={above}>
          <MarkdownViewer text={turn.reply ?? turn.error?.message ?? 'There is no reply.'} focused={!onRows} />
        </SizeProvider>
      </Box>
      <Text>{theme.paint('muted', ` ${tokens}`)}</Text>
      {!none && (
        <Box width={width} height={below}>
          <SizeProvider width={width} height={below} top={above + 1}>
            <List list={list} focused={onRows} empty="It did nothing but answer." />
          </SizeProvider>
        </Box>
      )}
    </Box>
  )
}

/** Reads one proposed action, says its effect and whole input, and sends it once the person agrees. */
function useDecide(projectId: string): (proposal: ProposedAction) => Promise<boolean> {
  const { client, profile } = useWorkspace()
  const review = useReview()
  const runTask = useRunTask()
  const write = useWrites()
  return async ({ actionId, buttonLabel }) => {
    if (!profile.local)
      throw new UnavailableAction('A hosted service returns no input of a proposal: approve it there.')
    const proposal = await runTask({
      start: 'Reading the proposed action…',
      work: () => client.agentProposals.get({ projectId, actionId }),
    })
    if (!proposal) return false
    const approval = approvalOf(proposal, projectId)
    if (!approval) throw new UnavailableAction(`${clean(proposal.operation)} is not known here.`)
    const { endpoint, input, idempotencyKey, description } = approval
    const effect = RISK_EFFECTS[endpoint.risk] ?? 'changes the record'
    const isAgreed = await review({
      title: 'Proposed by the agent',
      lines: [
        description,
        { text: `${endpoint.operation} ${effect}.`, tone: 'warn' },
        '',
        ...jsonText(input, 2).split('\n'),
      ],
      action: clean(buttonLabel ?? 'Do it'),
    })
    if (!isAgreed) return false
    const discard = contract.agentProposals.discard
    const sent = await write({
      endpoint: [endpoint, discard],
      confirm: 'done',
      start: `Sending ${endpoint.operation}…`,
      async work({ send }) {
        await send(endpoint, input, { idempotencyKey })
        await send(discard, { projectId, actionId, decision: 'approved' })
        return true
      },
      done: () => `Done: ${endpoint.operation}.`,
    })
    return sent ?? false
  }
}

/** Where something created stands; undefined of what has no place of its own. */
function placeOf({ type, id, url }: Created, projectId: string): Place | undefined {
  const suiteId = /\/eval-suites\/([^/?#]+)/.exec(url ?? '')?.[1]
  if (type === 'eval_suite') return runsRoute.to({ projectId, suiteId: id })
  if (type === 'eval_case' && suiteId !== undefined)
    return runsRoute.to({ projectId, suiteId, pane: 'runs', middle: 'cases', caseId: id })
  if (type === 'client') return clientsRoute.to({ projectId, clientId: id })
  if (type === 'environment') return environmentsRoute.to({ projectId, environmentId: id })
  if (type === 'journey') return journeyPlace(projectId, id)
  if (type === 'swarm') return swarmsRoute.to({ projectId, swarmId: id })
  return undefined
}

const TONES: Readonly<Record<string, Tone>> = { answered: 'ok', failed: 'error', interrupted: 'warn' }
const NO_TURNS: AgentTurn[] = []
const turnKey = ({ id }: AgentTurn): string => id
const turnColumns: readonly Column<AgentTurn>[] = [
  {
    id: 'status',
    title: 'Status',
    width: 11,
    cell: ({ status }) => ({ text: status, tone: TONES[status] ?? 'plain' }),
  },
  { id: 'question', title: 'Question', width: 'flex', cell: ({ question }) => question },
  {
    id: 'tokens',
    title: 'Tokens',
    width: 7,
    align: 'right',
    cell: ({ usage }) => String(usage.inputTokens + usage.outputTokens),
  },
  { id: 'age', title: 'Asked', width: 8, cell: ({ startedAt }) => formatAgo(toEpochMs(startedAt), Date.now()) },
]

function TurnsOverlay(props: { projectId: string; onOpen: (turn: AgentTurn) => void; onClose: () => void }) {
  const { queries } = useWorkspace()
  const pages = useWholeList(queries.agentTurns.list, { projectId: props.projectId })
  const list = useList({ items: pages.items ?? NO_TURNS, keyOf: turnKey, columns: turnColumns })
  const open = (): void => {
    const turn = list.choose()
    if (turn) props.onOpen(turn)
  }
  useBindings(agentTurnsKeys, { open, close: props.onClose })
  return (
    <ListContent
      list={list}
      data={pages}
      focused
      loading="Reading what the agent was asked…"
      empty={{ why: 'The agent was not asked anything yet.', next: 'Ask it about what is chosen on any screen.' }}
    />
  )
}
