import { clientCatalog } from './clients.ts'
import { modelCatalog } from './models.ts'
import { ServiceError } from '../core/errors.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

export function modelHandlers({ models }: ServiceContext): Handlers['models'] {
  return { list: ({ signal }) => modelCatalog(models, signal) }
}

export function hostCatalogHandlers(): Handlers['hostCatalog'] {
  return { get: clientCatalog }
}

/** Nothing installs plugins here, so there are none. */
export function pluginHandlers(): Handlers['plugins'] {
  return {
    list: () => ({ items: [] }),
    version({ params }) {
      throw new ServiceError('NOT_FOUND', `There is no plugin version ${params.pluginVersionId}.`)
    },
  }
}

/** Nothing builds images here, so there are none. */
export function imageHandlers(): Handlers['images'] {
  const none = ({ params }: { params: { imageId: string } }): never => {
    throw new ServiceError('NOT_FOUND', `There is no sandbox image ${params.imageId} in this project.`)
  }
  return { list: () => ({ items: [] }), get: none, builds: none }
}
