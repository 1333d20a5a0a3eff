import { useMemo, useSyncExternalStore } from 'react'
import { ageColumn } from '../../../components/collection/plain-parts.ts'
import type { Column } from '../../../components/list/columns.ts'
import { ListContent } from '../../../components/list/list-pane.tsx'
import { useList } from '../../../components/list/use-list.ts'
import type { PaneData } from '../../../components/pane-state.tsx'
import { asWritten } from '../../../domain/agent/questions.ts'
import { useWholeList } from '../../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../../hooks/workspace.tsx'
import { useBindings } from '../../../tui/keymap/use-bindings.ts'
import { formatCount } from '../../../lib/format.ts'
import type { Tone } from '../../../tui/theme/theme.ts'
import { agentTurnsKeys } from '../app-keys.ts'
import type { Conversations, Turn } from './conversations.ts'

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

/** What the agent was asked in a project, as the local workspace stores it. */
export function StoredTurns(props: Props) {
  const { queries } = useWorkspace()
  const pages = useWholeList(queries.agentTurns.list, { projectId: props.projectId })
  return <Turns {...props} items={pages.items ?? NO_TURNS} data={pages} />
}

const READ: PaneData = { pending: false, problem: undefined, hasData: true, updatedAt: undefined }

/** What it was asked since the start, where the service stores nothing of it. */
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
