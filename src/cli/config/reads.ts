import { isMap } from 'yaml'
import type { Share } from '../../domain/polling/share.ts'
import { changeConfig } from './profile-edit.ts'

/** Stores how often a screen is read in the config file; what is usual stays out of it. */
export async function saveShare(screen: string, share: Share): Promise<void> {
  await changeConfig(({ document }) => {
    if (share !== 'usual') {
      document.setIn(['reads', screen], share)
      return
    }
    document.deleteIn(['reads', screen])
    const reads = document.get('reads')
    if (isMap(reads) && reads.items.length === 0) document.delete('reads')
    if (isMap(document.contents) && document.contents.items.length === 0) document.contents = null
  })
}
