import { serviceNow } from '../../api/client/transport/service-time.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { formatAge } from '../../tui/theme/format.ts'
import type { Column } from '../list/columns.ts'

type Timestamp = number | string | null | undefined

/** How long ago a time of the wire was. */
export function ageText(at: Timestamp): string {
  return formatAge(toEpochMs(at), serviceNow())
}

/** A column that shows how fresh a row is. */
export function ageColumn<Item>(title: string, at: (item: Item) => Timestamp): Column<Item> {
  return {
    id: title.toLowerCase(),
    title,
    width: Math.max(5, title.length),
    align: 'right',
    quiet: true,
    cell: item => ({ text: ageText(at(item)), tone: 'muted' }),
    sort: item => toEpochMs(at(item)),
  }
}

/** The keys that every collection has; one that is only read has no others. */
export function openAndBack(noun: string) {
  return {
    open: { keys: ['enter'], label: 'open', hint: 'first', help: `Go into the ${noun}.` },
    back: { keys: ['escape'], label: 'back', help: `Out of the ${noun}.` },
  } as const
}
