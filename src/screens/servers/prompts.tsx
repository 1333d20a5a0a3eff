import { useBindings } from '../../tui/keymap/use-bindings.ts'
import type { Prompt } from '../../api/contract/server-operations.ts'
import { heading, jsonLines } from '../../components/lines.ts'
import { useTextOverlay } from '../../components/text-overlay.tsx'
import type { Line } from '../../components/viewer.tsx'
import { useArgumentDialog } from './argument-dialog.tsx'
import { asksNothing, promptForm } from './arguments.ts'
import { promptsKeys } from './bindings.ts'
import { promptColumns, promptKey } from './columns.ts'
import { shorten, withShortTexts } from './json-text.ts'
import { Listing, onChosen, useListing } from './listing.tsx'
import { textLines } from './schema-lines.ts'
import type { TabProps } from './tab.ts'
import { useCalls } from './use-calls.ts'
import { useServerSuggestions } from './use-server-suggestions.ts'

/** Returns the text about a prompt: its purpose and arguments. */
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

/** Shows the prompts of the live server; rendering one changes nothing. */
export function Prompts(props: TabProps) {
  const { projectId, server, focused } = props
  const listing = useListing(props, {
    name: 'prompts',
    queryOf: queries => queries.servers.prompts,
    keyOf: promptKey,
    columns: promptColumns,
  })
  const openText = useTextOverlay()
  const ask = useArgumentDialog()
  const calls = useCalls(projectId, server)
  const suggest = useServerSuggestions(projectId, server.id)
  const render = (prompt: Prompt): void => {
    const form = promptForm(prompt.arguments ?? [])
    const send = (args: Record<string, unknown>): void =>
      calls.renderPrompt(
        prompt.name,
        Object.fromEntries(Object.entries(args).map(([name, value]) => [name, String(value)])),
      )
    if (asksNothing(form)) return send({})
    ask({
      title: `Render ${prompt.name}`,
      subject: [projectId, server.id, prompt.name],
      about: prompt.description ?? undefined,
      form,
      effect: [],
      suggest: suggest('prompt', prompt.name),
      act: `Render ${prompt.name} on ${server.name}`,
      onSend: send,
    })
  }
  const withPrompt = onChosen(listing.list, 'prompt')
  useBindings(
    promptsKeys,
    {
      render: withPrompt(render),
      raw: withPrompt(prompt => openText(prompt.name, jsonLines(withShortTexts(prompt, 20_000)))),
    },
    { active: focused },
  )
  return (
    <Listing
      {...listing}
      focused={focused}
      loading="Connecting to the server and listing its prompts…"
      none="This server offers no prompts."
      describe={promptLines}
    />
  )
}
