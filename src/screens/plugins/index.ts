import { namedItems } from '../../api/client/cache/cached.ts'
import { contract } from '../../api/contract/contract.ts'
import { readOnlyKeys } from '../../components/collection/plain-parts.ts'
import { defineScreen } from '../../tui/router/screen.ts'
import { pluginsRoute } from './route.ts'

export const pluginsKeys = readOnlyKeys('plugins', 'Plugins', 'plugin')

/** What was installed in a project, with the servers and skills that it brought. */
export const pluginsScreen = defineScreen({
  route: pluginsRoute,
  title: 'Plugins',
  goKey: 'u',
  bindings: [pluginsKeys],
  named: namedItems(contract.plugins.list, 'plugin', ({ projectId }, pluginId) =>
    pluginsRoute.to({ projectId, pluginId }),
  ),
  load: async () => (await import('./screen.tsx')).PluginsScreen,
})
