import type { Handlers, ServiceContext } from '../core/context.ts'
import { archiveRecord, recordHandlers } from '../core/record-handlers.ts'
import { insertSwarm, updateSwarm, toSwarm } from './records.ts'

export function swarmHandlers({ store }: ServiceContext): Handlers['swarms'] {
  const { write, ...handlers } = recordHandlers(store, 'swarms', {
    rows: store.swarms,
    list: { latest: store.swarms.page },
    toItem: toSwarm,
    insert: insertSwarm,
    update: updateSwarm,
  })
  return { ...handlers, archive: write(row => archiveRecord(store.swarms, row)) }
}
