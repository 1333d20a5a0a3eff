import { useRef } from 'react'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import type { Tool } from '../../api/contract/server-operations.ts'
import type { ProjectServer } from '../../api/contract/servers.ts'
import { heading, jsonLines } from '../../components/lines.ts'
import { useTextOverlay } from '../../components/text-overlay.tsx'
import type { Line } from '../../components/viewer.tsx'
import { withoutStruck } from '../../domain/calls/listed-calls.ts'
import { isDestructive, isReadOnly } from '../../domain/servers/read-only-tool.ts'
import { useArgumentDialog } from './argument-dialog.tsx'
import { argumentForm, asksNothing, rememberedForm } from './arguments.ts'
import type { JsonObject } from '../../lib/json.ts'
import { toolsKeys } from './bindings.ts'
import { toolColumns, toolKey } from './columns.ts'
import { withShortTexts } from './json-text.ts'
import { Listing, onChosen, useListing } from './listing.tsx'
import { schemaLines, textLines } from './schema-lines.ts'
import type { TabProps } from './tab.ts'
import { callEffect } from './use-call-again.ts'
import { useCallHistory } from './use-call-history.ts'
import { useCalls } from './use-calls.ts'

/** Returns the text about a tool: its description and arguments. */
export function toolLines(tool: Tool): Line[] {
  return [
    heading(tool.name),
    ...(tool.description
      ? textLines(tool.description, 2)
      : [{ text: 'No description.', tone: 'muted' as const, indent: 2 }]),
    '',
    heading('Arguments'),
    ...schemaLines(tool.inputSchema),
  ]
}

/** Shows the tools of the live server; each can be called. */
export function Tools(props: TabProps) {
  const { projectId, server, focused } = props
  const listing = useListing(props, {
    name: 'tools',
    queryOf: queries => queries.servers.tools,
    keyOf: toolKey,
    columns: toolColumns,
  })
  const call = useToolCall(projectId, server, listing.pages.items)
  const openText = useTextOverlay()
  const withTool = onChosen(listing.list, 'tool')
  useBindings(
    toolsKeys,
    {
      call: withTool(call),
      inspect: withTool(tool => openText(tool.name, toolLines(tool))),
      raw: withTool(tool => openText(tool.name, jsonLines(withShortTexts(tool, 20_000)))),
    },
    { active: focused },
  )
  return (
    <Listing
      {...listing}
      focused={focused}
      loading="Connecting to the server and listing its tools…"
      none="This server offers no tools."
      describe={toolLines}
    />
  )
}

/**
 * Asks for a call with its form, whose last lines say what will be called, and that it has effects elsewhere. It starts
 * with the last arguments of the tool, if they still fit its fields.
 */
function useToolCall(
  projectId: string,
  server: ProjectServer,
  listed: readonly Tool[] | undefined,
): (tool: Tool) => void {
  const latest = useRef(listed)
  latest.current = listed
  const ask = useArgumentDialog()
  const calls = useCalls(projectId, server)
  const { calls: made } = useCallHistory(projectId, server)
  return (tool): void => {
    const form = argumentForm(tool.inputSchema)
    const send = (parameters: JsonObject): void => calls.callTool(tool.name, parameters, isReadOnly(tool))
    // There is nothing to fill in: pressing the key is the confirmation, unless the tool says that it is destructive.
    if (asksNothing(form) && !isDestructive(tool)) return send({})
    const last = made.find(call => call.kind === 'tool' && call.target === tool.name && call.input)
    const filled = last && rememberedForm(form, withoutStruck(last.input))
    ask({
      title: `Call ${tool.name}`,
      subject: [projectId, server.id, tool.name],
      about: tool.description ?? undefined,
      form: filled ?? form,
      schema: tool.inputSchema,
      schemaNow: () => latest.current?.find(({ name }) => name === tool.name)?.inputSchema,
      effect: [...(filled ? [{ text: REMEMBERED, tone: 'muted' as const }] : []), callEffect(server)],
      act: `Call ${tool.name} on ${server.name}`,
      onSend: send,
    })
  }
}

const REMEMBERED = 'Filled in as in the last call.'
