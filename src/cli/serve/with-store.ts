import { openWorkspace } from '../../service/workspace/store.ts'
import { say } from '../output/prose.ts'
import type { Store } from '../../service/core/database/store.ts'
import { localSettings, type CommonOptions } from '../config/settings.ts'

/** The workspace's store with the organization that it belongs to, open for one piece of work. */
export type OpenedStore = { store: Store; dataDir: string; organizationId: string }

/** Opens the workspace's store, beside processes that use it, and closes it again. */
export function withStore<T>(common: CommonOptions, work: (opened: OpenedStore) => T): T {
  const { dataDir } = localSettings(common, process.env)
  const { store } = openWorkspace({ dataDir })
  try {
    const notice = store.takeNotice()
    if (notice !== undefined) say(notice)
    return work({ store, dataDir, organizationId: store.settings.get('localOrganizationId') ?? '' })
  } finally {
    store.close()
  }
}
