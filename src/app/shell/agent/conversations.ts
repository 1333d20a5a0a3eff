import type { AgentTurn } from '../../../api/contract/agent.ts'
import { createListeners } from '../../../lib/listeners.ts'
import type { Place } from '../../../tui/router/place.ts'

/** A turn as far as it is known: a hosted service reports its calls without input and result. */
export type Turn = Pick<
  AgentTurn,
  'id' | 'conversationId' | 'status' | 'startedAt' | 'question' | 'createdResources' | 'proposedActions'
> & {
  reply?: AgentTurn['reply']
  error?: AgentTurn['error']
  calls: readonly (Pick<AgentTurn['calls'][number], 'operation'> & Partial<AgentTurn['calls'][number]>)[]
  usage?: { inputTokens?: number | null | undefined; outputTokens?: number | null | undefined } | null | undefined
}

export type Conversation = {
  id: string
  projectId: string
  /** The item selected on the screen when the turn began. */
  chosen?: { kind: string; id: string; name: string } | undefined
  /** Ended turns, oldest first. */
  turns: readonly Turn[]
  /** Places of the records that approved actions created, by action. */
  made: ReadonlyMap<string, Place>
  /** `did` is what it has done so far, if the service reports it. */
  running?: (Turn & { stop: () => void; did: string }) | undefined
}

export type Conversations = ReturnType<typeof createConversations>

/** Returns the conversations of this session; their turns continue while none is shown. */
export function createConversations() {
  const all = new Map<string, Conversation>()
  const { subscribe, notify, version } = createListeners()
  const set = (conversation: Conversation): void => {
    all.set(conversation.id, conversation)
    notify()
  }
  return {
    subscribe,
    version,
    find: (id: string | null | undefined) => all.get(id ?? ''),
    get: (id: string): Conversation => all.get(id)!,
    set,
    change: (id: string, changes: Partial<Conversation>): void => set({ ...all.get(id)!, ...changes }),
    /** Returns every turn in a project, newest first. */
    turns: (projectId: string): Turn[] =>
      [...all.values()]
        .filter(each => each.projectId === projectId)
        .flatMap(({ turns, running }) => [...turns, ...(running ? [running] : [])])
        .toSorted((a, b) => Number(b.startedAt) - Number(a.startedAt)),
    /** Ids of the conversations on screen. */
    shown: new Set<string>(),
  }
}
