import { namedItems } from '../../api/client/cache/cached.ts'
import { contract } from '../../api/contract/contract.ts'
import { openAndBack } from '../../components/collection/plain-parts.ts'
import { bindingsOf } from '../../tui/keymap/binding.ts'
import { defineScreen } from '../../tui/router/screen.ts'
import { pluginsRoute } from './route.ts'

const define = bindingsOf('plugins')

export const pluginsKeys = define.screen('plugins', 'Plugins', openAndBack('plugin'))

/** The plugins of a project, with the servers and skills that they installed. */
export const pluginsScreen = defineScreen({
  route: pluginsRoute,
  title: 'Plugins',
  about: 'Plugins that a project has installed.',
  goKey: 'u',
  bindings: [pluginsKeys],
  named: namedItems(contract.plugins.list, 'plugin', ({ projectId }, pluginId) =>
    pluginsRoute.to({ projectId, pluginId }),
  ),
  load: async () => (await import('./screen.tsx')).PluginsScreen,
})
