import { unavailable } from '../../tui/keymap/binding.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import type { Prompt } from '../../api/contract/server-operations.ts'
import { heading, jsonLines } from '../../components/lines.ts'
import { useList } from '../../components/list/use-list.ts'
import { useTextOverlay } from '../../components/text-overlay.tsx'
import type { Line } from '../../components/viewer.tsx'
import { useApiPages } from '../../hooks/use-api-pages.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useArgumentDialog } from './argument-dialog.tsx'
import { promptForm } from './arguments.ts'
import { promptsKeys } from './bindings.ts'
import { promptColumns, promptKey } from './columns.ts'
import { shorten, withShortTexts } from './json-text.ts'
import { Listing, LISTING_BOUNDS, useUniqueKeys } from './listing.tsx'
import { textLines } from './schema-lines.ts'
import { LISTING_AGE, NO_ITEMS, type TabProps } from './tab.ts'
import { useCalls } from './use-calls.ts'
import { useChangedList } from './use-changed-list.ts'
import { useLiveServer } from './use-live-server.ts'
import { useServerSuggestions } from './use-server-suggestions.ts'

/** A prompt for reading: what it is for and what it takes. */
export function promptLines(prompt: Prompt): Line[] {
  return [
    heading(prompt.name),
    ...(prompt.description ? textLines(prompt.description, 2) : []),
    '',
    heading('Arguments'),
    ...(prompt.arguments?.length ? [] : [{ text: 'Takes no arguments.', tone: 'muted' as const, indent: 2 }]),
    ...(prompt.arguments ?? []).flatMap((argument): Line[] => [
      {
        parts: [
          { text: `  ${shorten(argument.name, 80)}`, tone: 'strong' },
          { text: argument.required ? '  required' : '', tone: 'warn' },
        ],
      },
      ...(argument.description ? textLines(argument.description, 4) : []),
    ]),
  ]
}

/** The prompts of the live server; rendering one changes nothing. */
export function Prompts(props: TabProps) {
  const { projectId, server, focused } = props
  const { queries } = useWorkspace()
  const ids = { projectId, serverId: server.id }
  const listing = queries.servers.prompts.infinite(ids, LISTING_AGE)
  const pages = useApiPages(listing, false, LISTING_BOUNDS)
  const { live } = useLiveServer(projectId, server.id)
  const note = useChangedList(live, { serverId: server.id, list: 'prompts', reads: [listing.queryKey] })
  const items: readonly Prompt[] = pages.items ?? NO_ITEMS
  const list = useList({ items, keyOf: useUniqueKeys(items, promptKey), columns: promptColumns })
  const openText = useTextOverlay()
  const ask = useArgumentDialog()
  const calls = useCalls(projectId, server)
  const suggest = useServerSuggestions(projectId, server.id)
  const render = (): void => {
    const prompt = list.current()
    if (!prompt) return
    const form = promptForm(prompt.arguments ?? [])
    const send = (args: Record<string, unknown>): void =>
      calls.renderPrompt(
        prompt.name,
        Object.fromEntries(Object.entries(args).map(([name, value]) => [name, String(value)])),
      )
    if (form.fields.length === 0) return send({})
    ask({
      title: `Render ${prompt.name}`,
      about: prompt.description ?? undefined,
      form,
      effect: [],
      suggest: suggest('prompt', prompt.name),
      act: `Render ${prompt.name} on ${server.name}`,
      onSend: send,
    })
  }
  const raw = (): void => {
    const prompt = list.current()
    if (prompt) openText(prompt.name, jsonLines(withShortTexts(prompt, 20_000)))
  }
  const none = unavailable('There is no prompt.')
  const some = list.items.length > 0
  useBindings(promptsKeys, { render: some ? render : none, raw: some ? raw : none }, { active: focused })
  return (
    <Listing
      pages={pages}
      note={note}
      list={list}
      focused={focused}
      loading="Connecting to the server and listing its prompts…"
      none="This server offers no prompts."
      describe={promptLines}
    />
  )
}
