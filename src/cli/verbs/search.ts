import { contract } from '../../api/contract/contract.ts'
import type { SESSION_SOURCES } from '../../api/contract/choices.ts'
import type { SessionSummary } from '../../api/contract/sessions.ts'
import { jsonText } from '../../lib/printable.ts'
import { tableLines, tableWidth } from '../nouns/table.ts'
import { printReceived, printText } from '../output/print-answer.ts'
import { say } from '../output/prose.ts'
import { EXIT } from '../process/exit-codes.ts'
import type { CommandContext } from '../workspace/in-workspace.ts'

export type SearchOptions = {
  json?: boolean
  scope?: 'titles' | 'transcripts'
  source?: (typeof SESSION_SOURCES)[number]
  archived?: boolean
  limit?: number
}

type Found = SessionSummary & { scope: string }

const COLUMNS = [
  { title: 'ID', path: 'id' },
  { title: 'SOURCE', path: 'sourceType' },
  { title: 'ACTIVE', path: 'lastActivityAt', as: 'time' },
  { title: 'FOUND IN', path: 'scope' },
  { title: 'TITLE', path: 'title' },
  { title: 'MATCH', path: 'matchPreview' },
] as const

/**
 * Runs `mcpdeck search`: lists sessions whose title or transcript contains a text; a session found in both is listed
 * once.
 */
export async function search(
  context: CommandContext,
  [text = '']: readonly string[],
  own: SearchOptions,
): Promise<number> {
  const { scope: only, limit = Infinity } = own
  const found = new Map<string, Found>()
  let isWhole = true
  for (const scope of ['titles', 'transcripts'] as const)
    if (only === undefined || only === scope)
      isWhole = (await searchIn(context, { text, scope, limit }, own, found)) && isWhole
  const instead = only === undefined ? ': only titles were searched' : ''
  if (!isWhole) say(`This service does not search transcripts${instead}.`)
  const items = [...found.values()]
  if (own.json) printReceived(jsonText({ items }))
  else if (items.length > 0)
    printText(tableLines(COLUMNS, items, { width: tableWidth(), ascii: context.common.ascii ?? false }).join('\n'))
  else if (isWhole) say('No session has it.')
  else if (only === undefined) say('No session has it in its title.')
  return isWhole || only === undefined ? EXIT.done : EXIT.noVerdict
}

/**
 * Adds the results of one search. Resolves to false if the service cannot do it: one that does not echo the scope of
 * transcripts has searched titles anyway.
 */
async function searchIn(
  { client, projectId }: CommandContext,
  { text, scope, limit }: { text: string; scope: 'titles' | 'transcripts'; limit: number },
  { source, archived }: SearchOptions,
  found: Map<string, Found>,
): Promise<boolean> {
  const query = {
    projectId: await projectId(),
    q: text,
    scope,
    ...(source && { sourceType: source }),
    ...(archived && { status: 'archived' as const }),
  }
  for await (const page of client.pages(contract.sessions.list, query)) {
    if (scope === 'transcripts' && page.scope !== 'transcripts') return false
    for (const item of page.items) if (found.size < limit && !found.has(item.id)) found.set(item.id, { ...item, scope })
    if (found.size >= limit) return true
  }
  return true
}
