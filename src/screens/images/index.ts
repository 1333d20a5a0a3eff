import { namedItems } from '../../api/client/cache/cached.ts'
import { contract } from '../../api/contract/contract.ts'
import { openAndBack } from '../../components/collection/plain-parts.ts'
import { defineBindings } from '../../tui/keymap/binding.ts'
import { defineScreen } from '../../tui/router/screen.ts'
import { imagesRoute } from './route.ts'

export const imagesKeys = defineBindings({
  name: 'images',
  scope: 'screen',
  screen: 'images',
  title: 'Images',
  bindings: openAndBack('image'),
})

/** What sandboxes of a project start from, with their builds. */
export const imagesScreen = defineScreen({
  route: imagesRoute,
  title: 'Images',
  about: 'What sandboxes start from, with their builds.',
  goKey: 'm',
  bindings: [imagesKeys],
  named: namedItems(contract.images.list, 'image', ({ projectId }, imageId) => imagesRoute.to({ projectId, imageId })),
  load: async () => (await import('./screen.tsx')).ImagesScreen,
})
