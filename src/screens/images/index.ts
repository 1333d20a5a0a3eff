import { namedItems } from '../../api/client/cache/cached.ts'
import { contract } from '../../api/contract/contract.ts'
import { openAndBack } from '../../components/collection/plain-parts.ts'
import { bindingsOf } from '../../tui/keymap/binding.ts'
import { defineScreen } from '../../tui/router/screen.ts'
import { imagesRoute } from './route.ts'

const define = bindingsOf('images')

export const imagesKeys = define.screen('images', 'Images', openAndBack('image'))

/** Images from which the sandboxes of a project start, with their builds. */
export const imagesScreen = defineScreen({
  route: imagesRoute,
  title: 'Images',
  about: 'Images that sandboxes start from, with their builds.',
  goKey: 'm',
  bindings: [imagesKeys],
  named: namedItems(contract.images.list, 'image', ({ projectId }, imageId) => imagesRoute.to({ projectId, imageId })),
  load: async () => (await import('./screen.tsx')).ImagesScreen,
})
