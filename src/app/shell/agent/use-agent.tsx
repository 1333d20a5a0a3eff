import { useState, useMemo, useSyncExternalStore } from 'react'
import { ApiError } from '../../../api/client/errors/api-error.ts'
import { failureWords } from '../../../api/client/errors/error-text.ts'
import { AgentTurnEffects, type AgentTurn } from '../../../api/contract/agent.ts'
import { contract } from '../../../api/contract/contract.ts'
import { newIdempotencyKey } from '../../../api/contract/endpoint.ts'
import { useOverlays } from '../../../components/overlays.tsx'
import { useCurrentSubject } from '../../../components/subject.tsx'
import { followUp } from '../../../domain/agent/follow-up.ts'
import { nameOf } from '../../../domain/notebook/notebook-facts.ts'
import { aboutChosen, asWritten, questionsAbout } from '../../../domain/agent/questions.ts'
import { useWrite } from '../../../hooks/use-write.tsx'
import { useWorkspace } from '../../../hooks/workspace.tsx'
import { UnavailableAction } from '../../../tui/keymap/dispatcher.ts'
import { useKeyName, useBindings } from '../../../tui/keymap/use-bindings.ts'
import { plural, formatCount } from '../../../lib/format.ts'
import { clean } from '../../../tui/theme/text.ts'
import { appKeys } from '../../../components/everywhere-keys.ts'
import { createConversations, type Conversation, type Turn, type Conversations } from './conversations.ts'
import { AgentPane } from './pane.tsx'
import { ageColumn } from '../../../components/collection/plain-parts.ts'
import type { Column } from '../../../components/list/columns.ts'
import { ListContent } from '../../../components/list/list-pane.tsx'
import { useList } from '../../../components/list/use-list.ts'
import type { PaneData } from '../../../components/pane-state.tsx'
import { useWholeList } from '../../../hooks/use-whole-list.ts'
import type { Tone } from '../../../tui/theme/theme.ts'
import { agentTurnsKeys } from '../app-keys.ts'

const WIDTH = 100
const NOTHING_MADE: Conversation['made'] = new Map()
const CANCELLED = 'The turn was cancelled; what it had created stays.'

/** Opens the agent over any screen; `about` lists questions about the selected item. */
export type Agent = { ask: (question?: string) => void; about: () => readonly string[]; history: () => void }

/** Opens conversations with the project's agent about the selected item, and earlier ones. */
export function useAgent(project: () => string | undefined): Agent {
  const { profile } = useWorkspace()
  const overlays = useOverlays()
  const subjectNow = useCurrentSubject()
  const [conversations] = useState(createConversations)
  const send = useTurn(conversations)
  const projectNow = (): string => {
    const id = project()
    if (id === undefined) throw new UnavailableAction('The agent works within a project; open one first.')
    return id
  }
  const show = (
    conversation: Conversation,
    how: { questions?: readonly string[]; question?: string | undefined; onGo?: () => void } = {},
  ): void => {
    conversations.set(conversation)
    const { questions = [], question, onGo } = how
    const { id, turns, running } = conversation
    const [first] = [...turns, ...(running ? [running] : [])]
    overlays.open({
      title: first ? `Agent: ${clean(asWritten(first.question))}` : 'Ask the agent',
      width: WIDTH,
      content: close => (
        <AgentPane
          conversations={conversations}
          id={id}
          questions={questions}
          question={question}
          ask={question => void send(id, question)}
          onGo={onGo}
          onClose={close}
        />
      ),
    })
  }
  /** Opens the whole conversation of a turn. A turn in progress is shown in its current state. */
  const reopen = (turn: Turn, listed: readonly Turn[], onGo: () => void): void => {
    const { conversationId } = turn
    const known = conversations.find(conversationId)
    if (known && (known.running || !profile.local)) return show(known, { onGo })
    const turns = conversationId == null ? [turn] : listed.filter(each => each.conversationId === conversationId)
    const id = conversationId ?? newConversationId()
    show({ id, projectId: projectNow(), turns: turns.toReversed(), made: NOTHING_MADE }, { onGo })
  }
  return {
    ask(question) {
      const subject = subjectNow()
      const about = questionsAbout(subject?.kind)
      const questions = question === undefined ? about : [question, ...about.filter(other => other !== question)]
      const chosen = subject && { ...subject, name: nameOf(subject.kind, subject.record) }
      const id = newConversationId()
      show({ id, projectId: projectNow(), chosen, turns: [], made: NOTHING_MADE }, { questions, question })
    },
    about: () => questionsAbout(subjectNow()?.kind),
    history() {
      const projectId = projectNow()
      const Turns = profile.local ? StoredTurns : SessionTurns
      overlays.open({
        title: profile.local ? 'Questions to the agent' : 'Questions to the agent in this session',
        width: WIDTH,
        height: 'content',
        content: close => <Turns conversations={conversations} projectId={projectId} onOpen={reopen} onClose={close} />,
      })
    },
  }
}

function newConversationId(): string {
  return `screen ${newIdempotencyKey()}`.slice(0, 64)
}

/** Sends a question of a conversation once and stores the result in it. */
function useTurn(conversations: ReturnType<typeof createConversations>) {
  const { client, profile } = useWorkspace()
  const key = useKeyName()
  const write = useWrite(contract.agent.turn)
  return async (id: string, question: string): Promise<void> => {
    const { projectId, chosen, turns } = conversations.get(id)
    const content = turns.length === 0 ? aboutChosen(question, chosen) : question
    const idempotencyKey = newIdempotencyKey()
    const begun = { id: idempotencyKey, conversationId: id, startedAt: Date.now(), question: content, calls: [] }
    let failure: unknown
    let stopped: AbortSignal | undefined
    const answer = await write({
      confirm: 'done',
      start: 'The agent is working…',
      stopped: CANCELLED,
      work({ send, signal, stop }) {
        stopped = signal
        const running = { ...begun, status: 'running', stop, did: '' }
        conversations.change(id, { running })
        const onProgress = ({ progress, message }: { progress: number; message?: string | undefined }): void =>
          conversations.change(id, {
            running: { ...running, did: [plural(progress, 'operation'), message].filter(Boolean).join(', ') },
          })
        const messages = followUp(turns.toReversed(), content)
        return send(
          contract.agent.turn,
          { projectId, body: { messages, conversationId: id, idempotencyKey } },
          { signal, onProgress },
        )
      },
      done: () =>
        conversations.shown.has(id) ? undefined : `The agent has answered: ${key(appKeys, 'agentTurns')} shows it.`,
      failed: error => void (failure = error),
    })
    const ended: Turn = answer
      ? { ...begun, ...answer, status: 'answered', calls: answer.toolCalls ?? [] }
      : { ...begun, ...failureOf(stopped?.aborted ? undefined : failure), status: 'failed' }
    const stored = profile.local ? await storedTurn() : undefined
    // Earlier proposals may have been decided meanwhile.
    const earlier = conversations.get(id).turns
    conversations.change(id, { turns: [...earlier, { ...ended, ...stored }], running: undefined })

    /**
     * Returns the stored turn: the local workspace stores each call with its outcome, and what a cancelled turn left
     * behind.
     */
    async function storedTurn(): Promise<Partial<AgentTurn> | undefined> {
      const list = await client.agentTurns.list({ projectId, conversationId: id, limit: 1 }).catch(() => undefined)
      const [turn] = list?.items ?? []
      if (!turn || turns.some(other => other.id === turn.id)) return undefined
      const { calls, createdResources, proposedActions, usage } = turn
      return { id: turn.id, calls, createdResources, proposedActions, ...(turn.endedAt != null && { usage }) }
    }
  }
}

/** Returns what a failed turn left behind, as far as its error says. */
function failureOf(failure: unknown): Pick<Turn, 'error'> & AgentTurnEffects {
  if (failure === undefined) return { error: { code: 'CANCELLED', message: CANCELLED } }
  if (!(failure instanceof ApiError))
    return { error: { code: 'UNKNOWN', message: 'The turn failed; see the messages.' } }
  const { code = 'UNKNOWN', details } = failure
  return { ...AgentTurnEffects().safeParse(details).data, error: { code, message: failureWords(failure) } }
}

type Props = {
  conversations: Conversations
  projectId: string
  /** `onGo` is called before the place changes. */
  onOpen: (turn: Turn, listed: readonly Turn[], onGo: () => void) => void
  onClose: () => void
}

const TONES: Readonly<Record<string, Tone>> = { answered: 'ok', failed: 'error', interrupted: 'warn', running: 'live' }
const NO_TURNS: Turn[] = []
const turnKey = ({ id }: Turn): string => id
const columns: readonly Column<Turn>[] = [
  {
    id: 'status',
    title: 'Status',
    width: 11,
    cell: ({ status }) => ({ text: status, tone: TONES[status] ?? 'plain' }),
  },
  { id: 'question', title: 'Question', width: 'flex', cell: ({ question }) => asWritten(question) },
  {
    id: 'tokens',
    title: 'Tokens',
    width: 7,
    align: 'right',
    cell: ({ usage }) => formatCount(usage && (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)),
  },
  ageColumn('Asked', ({ startedAt }) => startedAt),
]

/** Lists the questions to the agent in a project, as stored by the local workspace. */
export function StoredTurns(props: Props) {
  const { queries } = useWorkspace()
  const pages = useWholeList(queries.agentTurns.list, { projectId: props.projectId })
  return <Turns {...props} items={pages.items ?? NO_TURNS} data={pages} />
}

const READ: PaneData = { pending: false, problem: undefined, hasData: true, updatedAt: undefined }

/** Lists the questions to the agent since the start, if the service does not store them. */
export function SessionTurns(props: Props) {
  const { conversations, projectId } = props
  const version = useSyncExternalStore(conversations.subscribe, conversations.version)
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- `version` says that there are other turns
  const items = useMemo(() => conversations.turns(projectId), [conversations, projectId, version])
  return <Turns {...props} items={items} data={READ} />
}

function Turns(props: Props & { items: readonly Turn[]; data: PaneData }) {
  const { items, data, onOpen, onClose } = props
  const list = useList({ items, keyOf: turnKey, columns })
  const open = (): void => {
    const turn = list.choose()
    if (turn) onOpen(turn, items, onClose)
  }
  useBindings(agentTurnsKeys, { open, close: onClose })
  return (
    <ListContent
      list={list}
      data={data}
      focused
      loading="Reading the questions to the agent…"
      empty={{ why: 'No questions to the agent yet.', next: 'Ask it about what is chosen on any screen.' }}
    />
  )
}
