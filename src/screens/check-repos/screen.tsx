import { useQueryClient } from '@tanstack/react-query'
import type { EvalCheckRepo, EvalCheckRepos } from '../../api/contract/check-repos.ts'
import { CollectionFrame } from '../../components/collection/collection-frame.tsx'
import { ageColumn, agoText } from '../../components/collection/plain-parts.ts'
import { TabbedPane, fieldsTab } from '../../components/collection/tabbed-pane.tsx'
import { useCollection } from '../../components/collection/use-collection.ts'
import { useCrumbs } from '../../components/crumbs.tsx'
import type { Column } from '../../components/list/columns.ts'
import type { EmptyWords } from '../../components/pane-state.tsx'
import { useWholeList } from '../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { usePlace } from '../../tui/router/router-context.tsx'
import { checkReposKeys } from './index.ts'
import { ownValue } from '../../lib/own-value.ts'

const COLUMNS: readonly Column<EvalCheckRepo>[] = [
  { id: 'repo', title: 'Repository', width: 'flex', cell: ({ repo }) => repo },
  { id: 'state', title: 'State', width: 9, cell: row => ({ text: stateOf(row), tone: 'muted' }) },
  ageColumn('Changed', ({ updatedAt }) => updatedAt),
]
/** A policy that was never chosen behaves like `fail_open`. */
const OUTAGES: Readonly<Record<string, string>> = { fail_open: 'merges continue', fail_closed: 'merges are blocked' }
const NONE: readonly EvalCheckRepo[] = []
const keyOf = ({ id }: EvalCheckRepo): string => id
const recordOf = (row: EvalCheckRepo) => row

const TABS = [
  fieldsTab(
    'Overview',
    (row: EvalCheckRepo) => [
      ['State', stateOf(row)],
      ['Suite', row.suiteId],
      ['During an outage', ownValue(OUTAGES, row.outagePolicy ?? 'fail_open') ?? row.outagePolicy],
      ['Connected', agoText(row.createdAt)],
      ['Changed', agoText(row.updatedAt)],
    ],
    row => [
      ['Project', row.projectId],
      ['Id', row.id],
    ],
  ),
]

/**
 * Shows the repositories whose pull requests run a suite: those of the key's first organization, whatever the project.
 */
export function CheckReposScreen() {
  const { queries, profile } = useWorkspace()
  const queryClient = useQueryClient()
  const organizations = useWholeList(queries.account.organizations, {})
  const organizationId = organizations.items?.[0]?.id
  const input = { organizationId: organizationId ?? '' }
  const repos = useWholeList(queries.checkRepos.list, input, { enabled: organizationId !== undefined })
  const [page] = queryClient.getQueryData(queries.checkRepos.list.infinite(input).queryKey)?.pages ?? []
  const collection = useCollection({
    noun: 'repository',
    items: repos.items ?? NONE,
    keyOf,
    columns: COLUMNS,
    recordOf,
    placed: { key: usePlace().params['checkRepoId'], param: 'checkRepoId' },
  })
  const { open, back, row } = collection
  useCrumbs([organizations.items?.[0]?.name, 'Repository checks', row?.repo])
  useBindings(checkReposKeys, { open, back })
  return (
    <CollectionFrame
      collection={collection}
      what="the repositories"
      data={organizationId === undefined ? organizations : repos}
      list={{ title: 'Repository checks', empty: emptyText(page, profile.local) }}
      renderDetail={(row, focused) => (
        <TabbedPane key={row.id} title={row.repo} tabs={TABS} content={{ row, focused }} />
      )}
    />
  )
}

function stateOf({ enabled }: EvalCheckRepo): string {
  return enabled == null ? 'not known' : enabled ? 'on' : 'off'
}

function emptyText(page: EvalCheckRepos | undefined, isLocal: boolean): EmptyWords {
  if (isLocal)
    return {
      why: 'The local workspace checks no pull requests.',
      next: 'Open a hosted one with mcpdeck --profile NAME, or run a suite in your CI with mcpdeck run SUITE.',
      isFinal: true,
    }
  if (!page) return { why: 'This key has access to no organization.', next: 'Use a key of another organization.' }
  if (page.available === false)
    return { why: 'Pull request checks are off for this organization.', next: 'The API cannot turn them on.' }
  const { connectable } = page
  const names = connectable?.map(({ repo }) => repo).join(', ')
  return {
    why: 'No repository is connected to pull request checks.',
    next: connectable ? `Available: ${names || 'none'}.` : 'The repositories that can be connected could not be read.',
  }
}
