import { useMemo } from 'react'
import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { ApiError } from '../../api/client/errors/api-error.ts'
import type { LiveServer, ResourceTemplate } from '../../api/contract/live-servers.ts'
import type { Resource } from '../../api/contract/server-operations.ts'
import type { ProjectServer } from '../../api/contract/servers.ts'
import { fieldLines, heading, jsonLines } from '../../components/lines.ts'
import { noRow, useList } from '../../components/list/use-list.ts'
import { useTextOverlay } from '../../components/text-overlay.tsx'
import { useToasts } from '../../components/toasts.tsx'
import type { Line } from '../../components/viewer.tsx'
import { addressTemplate } from '../../domain/servers/uri-template.ts'
import { useApiPages } from '../../hooks/use-api-pages.ts'
import { useReadAhead } from '../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { clean } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { useArgumentDialog } from './argument-dialog.tsx'
import { promptForm } from './arguments.ts'
import { resourcesKeys } from './bindings.ts'
import { addressOf, isTemplate, resourceColumns, type ListedResource } from './columns.ts'
import { shorten, withShortTexts } from './json-text.ts'
import { Listing, LISTING_BOUNDS, onChosen, useUniqueKeys } from './listing.tsx'
import { textLines } from './schema-lines.ts'
import { LISTING_AGE, NO_ITEMS, type TabProps } from './tab.ts'
import { useProcessAge } from './process-age.ts'
import { useCalls } from './use-calls.ts'
import { useChangedList } from './use-changed-list.ts'
import { useLiveServer, isLocalOnly } from './use-live-server.ts'
import { useServerSuggestions } from './use-server-suggestions.ts'
import { describeError } from '../../api/client/errors/error-text.ts'
import { contract } from '../../api/contract/contract.ts'
import { useWrite } from '../../hooks/use-write.tsx'

/** Returns the text about a resource: its address and description. */
export function resourceLines(resource: ListedResource): Line[] {
  return [
    { text: shorten(addressOf(resource), 2_000), tone: 'accent' },
    ...fieldLines([
      ...(isTemplate(resource) ? [['Kind', 'template; its variables are asked for'] as const] : []),
      ['Name', resource.name],
      ['Type', resource.mimeType],
    ]),
    ...(resource.description ? ['', heading('Description'), ...textLines(resource.description, 2)] : []),
  ]
}

/** Shows the resources of the live server, and templates for others; each can be read. */
export function Resources(props: TabProps) {
  const { projectId, server, focused } = props
  const { queries } = useWorkspace()
  const ids = { projectId, serverId: server.id }
  const listing = queries.servers.resources.infinite(ids, LISTING_AGE)
  const templating = queries.liveServers.templates.infinite(ids, LISTING_AGE)
  const pages = useApiPages(listing, false, LISTING_BOUNDS)
  const templates = useApiPages(templating, false, LISTING_BOUNDS)
  const known = useLiveServer(projectId, server.id)
  const reads = [listing.queryKey, templating.queryKey]
  const changed = useChangedList(known.live, { serverId: server.id, list: 'resources', reads })
  const subscriptions = known.live?.subscriptions ?? NO_ITEMS
  const { symbols } = useTheme()
  const listed: readonly Resource[] = pages.items ?? NO_ITEMS
  const templated: readonly ResourceTemplate[] = templates.items ?? NO_ITEMS
  const items = useMemo((): readonly ListedResource[] => [...listed, ...templated], [listed, templated])
  const columns = useMemo(() => resourceColumns(symbols, subscriptions), [symbols, subscriptions])
  const list = useList({ items, keyOf: useUniqueKeys(items, addressOf), columns })
  useReadAhead(templates, true)
  const openText = useTextOverlay()
  const calls = useCalls(projectId, server)
  const readTemplate = useTemplateReading(projectId, server, calls.readResource)
  const age = useProcessAge(known.live, server)
  const notes = [changed, age, subscriptionsNote(known.live), templatesNote(templates.error)].filter(Boolean)
  const subscription = useSubscription(projectId, server.id, known)
  const resource = list.current()
  const withResource = onChosen(list, 'resource')
  useBindings(
    resourcesKeys,
    {
      read: withResource(resource =>
        isTemplate(resource) ? readTemplate(resource) : calls.readResource(resource.uri),
      ),
      raw: withResource(resource => openText(addressOf(resource), jsonLines(withShortTexts(resource, 20_000)))),
      subscribe: resource ? subscription(resource) : noRow(list, 'resource'),
    },
    { active: focused },
  )
  return (
    <Listing
      server={server}
      pages={templates.pending ? { ...pages, hasMore: true } : pages}
      note={notes.length > 0 ? notes.join(', ') : undefined}
      list={list}
      focused={focused}
      loading="Connecting to the server and listing its resources…"
      none="This server lists no resources and no resource templates."
      describe={resourceLines}
    />
  )
}

/** Says why updates are currently not received. */
function subscriptionsNote(live: LiveServer | undefined): string | undefined {
  if (!live || live.subscriptions.length === 0) return undefined
  if (!live.offers) return 'not connected; subscribed again with the next request'
  return live.problem ? `not subscribed: ${clean(live.problem)}` : undefined
}

/** Says why the templates are missing in the list; a server without templates is no error. */
function templatesNote(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.code === 'FEATURE_NOT_SUPPORTED') return undefined
  return error.code === 'local-only' ? 'templates in a local workspace only' : 'templates could not be read'
}

/** Asks for the variables of a template, with the server's suggestions, and reads the resource. */
function useTemplateReading(projectId: string, server: ProjectServer, read: (uri: string) => void) {
  const ask = useArgumentDialog()
  const toasts = useToasts()
  const suggest = useServerSuggestions(projectId, server.id)
  return async ({ uriTemplate, name, description }: ResourceTemplate): Promise<void> => {
    const template = await addressTemplate(uriTemplate).catch(() => undefined)
    if (!template) return toasts.show('error', `${clean(shorten(uriTemplate, 200))} is not a template of an address.`)
    if (template.names.length === 0) return read(template.expand({}))
    ask({
      title: `Read ${shorten(uriTemplate, 200)}`,
      subject: [projectId, server.id, uriTemplate],
      about: description ?? name ?? undefined,
      form: promptForm(template.names.map(each => ({ name: each }))),
      effect: [],
      suggest: suggest('template', uriTemplate),
      act: `Read it from ${server.name}`,
      onSend: values => read(template.expand(values as Record<string, string>)),
    })
  }
}

/** Subscribes to a resource, or unsubscribes from it. */
export function useSubscription(
  projectId: string,
  serverId: string,
  { live, error }: ReturnType<typeof useLiveServer>,
): (resource: ListedResource) => KeyHandler | Unavailable {
  const write = useWrite(contract.liveServers.subscribe)
  return resource => {
    if (isLocalOnly(error)) return unavailable(describeError(error).sentence)
    if (isTemplate(resource)) return unavailable('A template stands for many resources, and none of them is chosen.')
    if (live?.offers?.subscriptions === false)
      return unavailable('This server does not offer subscriptions to resources.')
    const { uri } = resource
    const subscribed = !live?.subscriptions.some(each => each.uri === uri)
    return async () => {
      await write({
        start: subscribed ? 'Subscribing…' : 'Ending the subscription…',
        done: () =>
          subscribed
            ? 'Subscribed. The connection is kept for an hour after it was last viewed.'
            : 'The subscription has ended.',
        input: { projectId, serverId, body: { uri, subscribed } },
        rereads: ({ queryKey }) => queryKey[1] === 'get',
      })
    }
  }
}
