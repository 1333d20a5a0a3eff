import { contract } from '../../api/contract/contract.ts'
import type { Plugin, PluginVersion } from '../../api/contract/plugins.ts'
import { collectionScreen, plainRows, type DetailProps } from '../../components/collection/collection-screen.tsx'
import { ageColumn, agoText } from '../../components/collection/plain-parts.ts'
import { fieldsTab } from '../../components/collection/tabbed-pane.tsx'
import { heading, recordView, type Field } from '../../components/lines.ts'
import { Empty, PaneState } from '../../components/pane-state.tsx'
import { Viewer, type Line } from '../../components/viewer.tsx'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { pluginsKeys } from './index.ts'

/** The plugins of a project, including disabled ones; the API cannot change them. */
export const PluginsScreen = collectionScreen({
  noun: 'plugin',
  title: 'Plugins',
  what: 'the plugins',
  list: contract.plugins.list,
  param: 'pluginId',
  rows: plainRows<Plugin>(() => [
    { id: 'name', title: 'Plugin', width: 'flex', cell: ({ displayName, name }) => displayName ?? name },
    { id: 'state', title: 'State', width: 15, cell: row => ({ text: stateOf(row), tone: 'muted' }) },
    ageColumn('Changed', ({ updatedAt }) => updatedAt),
  ]),
  tabs: [
    fieldsTab(
      'Overview',
      (plugin: Plugin) => [
        ['State', stateOf(plugin)],
        ['Description', plugin.description],
        ['Installed', agoText(plugin.createdAt)],
        ['Changed', agoText(plugin.updatedAt)],
      ],
      plugin => [
        ['Name', plugin.name],
        ['Active version', plugin.activeVersionId ?? 'none: it was never activated'],
        ['Other versions', 'not offered by this service’s API'],
        ['Id', plugin.id],
      ],
    ),
    { id: 'version', title: 'Version', Content: Version },
  ],
  keys: pluginsKeys,
  empty: (_key, { isLocal }) => ({
    why: isLocal ? 'The local workspace installs no plugins.' : 'This project has no plugin.',
    next: isLocal ? 'Plugins need the hosted service.' : 'Plugins are installed in the hosted app.',
    isFinal: isLocal,
  }),
})

function stateOf({ enabled, activeVersionId }: Plugin): string {
  if (activeVersionId == null) return 'never activated'
  return enabled == null ? 'not known' : enabled ? 'on' : 'off'
}

function Version({ row, focused }: DetailProps<Plugin>) {
  const { queries } = useWorkspace()
  const { activeVersionId } = row
  const options = queries.plugins.version.options({ pluginVersionId: activeVersionId ?? '' })
  const data = useApiQuery({ ...options, enabled: activeVersionId != null })
  if (activeVersionId == null)
    return <Empty why="It was never activated, so no version is in use." next="Activate it in the hosted app." />
  return (
    <PaneState data={data} loading="Reading the version…">
      {data.data && <Viewer {...versionView(data.data)} focused={focused} />}
    </PaneState>
  )
}

function versionView(version: PluginVersion) {
  const counts = Object.entries(version.componentCounts ?? {}).filter(([, count]) => typeof count === 'number')
  const part = (title: string, lines: readonly string[]): Line[] =>
    lines.length === 0 ? [] : [heading(title), ...lines.map(text => ({ text, indent: 2 }))]
  const texts = (...each: readonly (string | null | undefined)[]): string => each.filter(Boolean).join(', ')
  const fields: Field[] = [
    ['State', version.status === 'ready' ? 'ready' : `${version.status}: only a ready version runs`],
    ['Version', version.declaredVersion],
    ['Holds', counts.map(([what, count]) => `${String(count)} ${what}`).join(', ')],
    ['Imported', agoText(version.createdAt)],
    ['Ready', agoText(version.readyAt)],
  ]
  const ids: Field[] = [
    ['Bundle', version.bundleHash],
    ['Id', version.id],
  ]
  return recordView(fields, ids, [
    ...part(
      'Servers',
      (version.servers ?? []).map(each =>
        texts(each.declaredName ?? each.componentId, each.placement, each.authenticationPolicy?.replaceAll('_', ' ')),
      ),
    ),
    ...part(
      'Skills',
      (version.skills ?? []).map(each => texts(each.declaredName ?? each.componentId, each.modelRef)),
    ),
  ])
}
