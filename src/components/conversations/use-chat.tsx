import { useMemo, useState } from 'react'
import { ApiError } from '../../api/client/errors/api-error.ts'
import { failureWords } from '../../api/client/errors/error-text.ts'
import { CHAT_CHARACTERS, type Chat, type ChatMessage } from '../../api/contract/chat.ts'
import { contract } from '../../api/contract/contract.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { caseOfConversation } from '../../domain/suites/conversation-case.ts'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWrite } from '../../hooks/use-write.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { unavailable } from '../../tui/keymap/binding.ts'
import { UnavailableAction } from '../../tui/keymap/dispatcher.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { formatCount } from '../../lib/format.ts'
import { clean } from '../../tui/theme/text.ts'
import { useOverlays } from '../overlays.tsx'
import { useSaveCase } from '../records/use-save-case.ts'
import type { TranscriptRow } from '../transcript/transcript-rows.ts'
import { chatKeys } from './chat-keys.ts'
import { Talk } from './talk.tsx'

const WIDTH = 100

/** The partner of a chat: the servers of an environment in a new session, or an existing session. */
type ChatTarget = { name: string } & ({ environmentId: string } | { sessionId: string })

/** Opens a chat with the servers of an environment, or continues one. */
export function useChat(projectId: string): (target: ChatTarget) => Promise<void> {
  const { client, profile } = useWorkspace()
  const overlays = useOverlays()
  const runTask = useRunTask()
  return async target => {
    if (!profile.local) throw new UnavailableAction('Only the local workspace offers chats here; use the hosted UI.')
    const { name } = target
    const read = () =>
      'sessionId' in target ? client.chats.get({ projectId, sessionId: target.sessionId }) : Promise.resolve(undefined)
    const chat = await runTask({ start: 'Reading the chat…', work: async () => ({ is: await read() }) })
    if (!chat) return
    const environmentId = 'environmentId' in target ? target.environmentId : undefined
    overlays.open({
      title: `Chat: ${clean(name)}`,
      width: WIDTH,
      content: close => (
        <ChatPane projectId={projectId} environmentId={environmentId} initial={chat.is} name={name} onClose={close} />
      ),
    })
  }
}

function ChatPane(props: {
  projectId: string
  environmentId: string | undefined
  initial: Chat | undefined
  name: string
  onClose: () => void
}) {
  const { projectId, initial, name } = props
  const { messages, sessionId, modelId, running, say } = useSaying(props)
  const saveCase = useConversationCase(projectId)
  const exchanges = useMemo(() => exchangesOf(messages), [messages])
  const last = messages.at(-1)
  const hasAnswer = messages.some(({ role }) => role === 'assistant')
  useBindings(chatKeys, {
    saveCase: hasAnswer ? () => saveCase(messages, modelId) : unavailable('Nothing was answered yet.'),
  })
  const elsewhere = initial?.status === 'answering' && messages === initial.messages
  return (
    <Talk
      exchanges={exchanges}
      asked={messages.flatMap(({ role, text }) => (role === 'user' ? [text] : []))}
      questions={[]}
      about={[
        `You talk to the model of ${name}, which calls the tools of its servers by itself, without asking.`,
        'This uses tokens of the model. The conversation and its calls are stored as a session of the project.',
      ]}
      running={running}
      status={
        elsewhere
          ? 'Someone else is waiting for an answer.'
          : [sessionId, modelId, last?.role === 'assistant' && `${formatCount(last.totalTokens)} tokens`]
              .filter(Boolean)
              .join(' · ')
      }
      found="the session shows its answer then."
      problem={text =>
        text.length > CHAT_CHARACTERS
          ? `A message takes at most ${formatCount(CHAT_CHARACTERS)} characters.`
          : undefined
      }
      ask={say}
      onClose={props.onClose}
    />
  )
}

type Running = { startedAt: number; did: string; stop: () => void }

/** Returns the messages so far, and a function that sends more: each message is sent once. */
function useSaying(props: { projectId: string; environmentId: string | undefined; initial: Chat | undefined }) {
  const { projectId, environmentId, initial } = props
  const { client } = useWorkspace()
  const write = useWrite(contract.chats.say)
  const [chat, setChat] = useState<Pick<Chat, 'messages'> & Partial<Chat>>(initial ?? { messages: [] })
  const [running, setRunning] = useState<Running>()
  const say = async (text: string): Promise<void> => {
    const before = chat.messages
    const startedAt = Date.now()
    const asked = messageOf('user', text, startedAt)
    setChat({ ...chat, messages: [...before, asked] })
    let failure: unknown
    const answer = await write({
      confirm: 'done',
      start: 'Waiting for the answer…',
      stopped: 'The answer was cancelled; what was called stays.',
      work({ send, signal, stop }) {
        setRunning({ startedAt, did: '', stop })
        const target = chat.id === undefined ? { environmentId: environmentId ?? '' } : { sessionId: chat.id }
        const onProgress = ({ message = '' }: { message?: string | undefined }): void =>
          setRunning({ startedAt, did: message, stop })
        return send(contract.chats.say, { projectId, body: { text, ...target } }, { signal, onProgress })
      },
      failed: error => void (failure = error),
    })
    const session = failure instanceof ApiError ? failure.details?.['sessionId'] : chat.id
    const stored =
      answer || typeof session !== 'string'
        ? undefined
        : await client.chats.get({ projectId, sessionId: session }).catch(() => undefined)
    const reason = failure === undefined ? 'The answer was cancelled.' : failureWords(failure)
    const failed = [asked, messageOf('system', reason, Date.now())]
    if (answer) setChat({ ...answer, messages: [...before, ...answer.messages] })
    else setChat(stored ?? { ...chat, messages: [...before, ...failed] })
    setRunning(undefined)
  }
  return {
    messages: chat.messages,
    sessionId: chat.id,
    modelId: chat.modelId,
    running,
    say: (text: string) => void say(text),
  }
}

function messageOf(role: 'user' | 'system', text: string, createdAt: number): ChatMessage {
  return { role, text, toolCalls: [], totalTokens: 0, durationMs: 0, createdAt }
}

/** Saves the conversation as a case on the servers whose tools were called. */
function useConversationCase(projectId: string) {
  const { client } = useWorkspace()
  const runTask = useRunTask()
  const save = useSaveCase(projectId)
  return async (messages: readonly ChatMessage[], model: string | null | undefined): Promise<void> => {
    const names = new Set(messages.flatMap(({ toolCalls }) => toolCalls.map(({ serverName }) => serverName)))
    if (names.size === 0) throw new UnavailableAction('No tool was called: a case needs a server that was called.')
    const all = await runTask({
      start: 'Reading the servers…',
      work: () => client.items(contract.servers.list, { projectId }),
    })
    if (!all) return
    const servers = all.filter(({ name }) => names.has(name))
    if (servers.length === 0)
      throw new UnavailableAction('The servers that were called are not in the project any more.')
    await save(caseOfConversation(messages), { servers, does: 'It says the same', ...(model && { model }) })
  }
}

/** Returns each message of the person with the messages that followed it. */
function exchangesOf(messages: readonly ChatMessage[]): TranscriptRow[][] {
  const exchanges: TranscriptRow[][] = []
  messages.forEach((message, index) => {
    if (message.role === 'user' || exchanges.length === 0) exchanges.push([])
    exchanges.at(-1)!.push(chatRow(message, index))
  })
  return exchanges
}

/** Returns a chat message as a transcript row, with the calls that led to it. */
export function chatRow(message: ChatMessage, index: number): TranscriptRow {
  const { role, text, toolCalls, totalTokens, durationMs, createdAt } = message
  const at = toEpochMs(createdAt)
  return {
    id: `message ${index}`,
    role,
    parts: [
      ...toolCalls.map(({ result, ...call }) => ({
        kind: 'call' as const,
        toolName: call.toolName,
        serverName: call.serverName,
        arguments: call.arguments,
        durationMs: call.durationMs,
        isError: call.isError,
        result: { content: [{ type: 'text', text: result }], isError: call.isError },
        raw: { ...call, result },
      })),
      { kind: 'text', text, format: role === 'assistant' ? 'markdown' : 'plain' },
    ],
    raw: message,
    ...(at !== undefined && { at }),
    ...(totalTokens > 0 && { tokens: totalTokens, durationMs }),
    ...(role === 'system' && { isError: true }),
  }
}
