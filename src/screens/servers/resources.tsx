import { unavailable } from '../../tui/keymap/binding.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import type { Resource } from '../../api/contract/server-operations.ts'
import { fieldLines, heading, jsonLines } from '../../components/lines.ts'
import { useList } from '../../components/list/use-list.ts'
import { useTextOverlay } from '../../components/text-overlay.tsx'
import type { Line } from '../../components/viewer.tsx'
import { useApiPages } from '../../hooks/use-api-pages.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { resourcesKeys } from './bindings.ts'
import { resourceColumns, resourceKey } from './columns.ts'
import { shorten, withShortTexts } from './json-text.ts'
import { Listing, LISTING_BOUNDS, useUniqueKeys } from './listing.tsx'
import { textLines } from './schema-lines.ts'
import { LISTING_AGE, NO_ITEMS, type TabProps } from './tab.ts'
import { useCalls } from './use-calls.ts'

const EMPTY = {
  why: 'This server lists no resources.',
  next: 'It may still have resource templates: the doctor counts them.',
}

/** A resource for reading: its address and what it is. */
export function resourceLines(resource: Resource): Line[] {
  return [
    { text: shorten(resource.uri, 2_000), tone: 'accent' },
    ...fieldLines([
      ['Name', resource.name],
      ['Type', resource.mimeType],
    ]),
    ...(resource.description ? ['', heading('Description'), ...textLines(resource.description, 2)] : []),
  ]
}

/** The resources of the live server; each can be read. */
export function Resources(props: TabProps) {
  const { projectId, server, focused } = props
  const { queries } = useWorkspace()
  const pages = useApiPages(
    queries.servers.resources.infinite({ projectId, serverId: server.id }, LISTING_AGE),
    false,
    LISTING_BOUNDS,
  )
  const items: readonly Resource[] = pages.items ?? NO_ITEMS
  const list = useList({ items, keyOf: useUniqueKeys(items, resourceKey), columns: resourceColumns })
  const openText = useTextOverlay()
  const calls = useCalls(projectId, server)
  const read = (): void => {
    const resource = list.current()
    if (resource) calls.readResource(resource.uri)
  }
  const raw = (): void => {
    const resource = list.current()
    if (resource) openText(resource.uri, jsonLines(withShortTexts(resource, 20_000)))
  }
  const none = unavailable('There is no resource.')
  const some = list.items.length > 0
  useBindings(resourcesKeys, { read: some ? read : none, raw: some ? raw : none }, { active: focused })
  return (
    <Listing
      pages={pages}
      list={list}
      focused={focused}
      loading="Connecting to the server and listing its resources…"
      empty={EMPTY}
      describe={resourceLines}
    />
  )
}
