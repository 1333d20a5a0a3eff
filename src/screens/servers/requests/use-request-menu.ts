import { contract } from '../../../api/contract/contract.ts'
import type { ServerRequest } from '../../../api/contract/server-requests.ts'
import { useOpenUrl } from '../../../components/browser.tsx'
import { useConfirm } from '../../../components/confirm.tsx'
import { useCopy } from '../../../components/copy.tsx'
import { useEditor, useHasEditor } from '../../../components/editor/use-editor.tsx'
import type { FieldInput } from '../../../components/form/field-input.ts'
import { useTextOverlay } from '../../../components/text-overlay.tsx'
import { draftTokens, samplingMessages } from '../../../domain/servers/sampling.ts'
import { useWrite } from '../../../hooks/use-write.tsx'
import { formatCount } from '../../../lib/format.ts'
import { addressLines, webAddressOf } from './address-lines.ts'
import { fieldLines, heading, jsonLines, type Field } from '../../../components/lines.ts'
import type { Line } from '../../../components/viewer.tsx'
import { withShortTexts } from '../json-text.ts'
import { textLines } from '../schema-lines.ts'
import { isPlainObject, type JsonObject } from '../../../lib/json.ts'

type Draft = { text: string; write: (text: string, model?: string) => void }
type Choice = { value: string; label: string; act: () => void | Promise<void> }

/** Returns further actions on a request besides answering it. */
export function useRequestMenu(request: ServerRequest, draft: Draft): FieldInput & { kind: 'menu' } {
  const ofAddress = useAddressChoices(request)
  const ofSampling = useSamplingChoices(request, draft)
  const choices = request.kind === 'url' ? ofAddress : ofSampling
  return { kind: 'menu', options: choices, onPick: value => choices.find(each => each.value === value)?.act() }
}

/** An address is shown in full before anything can be done with it, and opened only after a question. */
function useAddressChoices({ serverName, params: { url } }: ServerRequest): Choice[] {
  const openText = useTextOverlay()
  const confirm = useConfirm()
  const copy = useCopy()
  const openUrl = useOpenUrl()
  const address = webAddressOf(url)
  const show = { value: 'show', label: 'show the whole address', act: () => openText('The address', addressLines(url)) }
  if (!address) return [show]
  const { host, href } = address
  const open = async (): Promise<void> => {
    const lines = [`${serverName} wants you to go there.`, ...addressLines(url)]
    if (await confirm({ title: `Open ${host}?`, lines, action: `Open ${host} in the browser` })) await openUrl(href)
  }
  return [
    show,
    { value: 'copy', label: `copy it: ${host}`, act: () => copy(href, `Copied the address: ${href}`) },
    { value: 'open', label: `open ${host} in the browser…`, act: open },
  ]
}

function useSamplingChoices(request: ServerRequest, { text, write }: Draft): Choice[] {
  const { id: requestId, projectId, serverId, serverName, params, model } = request
  const openText = useTextOverlay()
  const openEditor = useEditor()
  const hasEditor = useHasEditor()
  const writeDraft = useWrite(contract.serverRequests.draft)
  const edit = async (): Promise<void> => {
    const edited = await openEditor({
      key: `sampling ${requestId}`,
      fileName: 'answer.md',
      what: `the answer to ${serverName}`,
      text,
      read: value => ({ ok: true, value }),
    })
    if (!edited) return
    edited.discard()
    write(edited.value)
  }
  const ask = async (): Promise<void> => {
    const characters = samplingMessages(params).reduce((sum, each) => sum + (each.text?.length ?? 0), 0)
    const drafted = await writeDraft({
      start: `${model} is writing…`,
      confirm: {
        title: 'Have the model write it?',
        lines: [
          `${model} gets the ${formatCount(characters)} characters that ${serverName} sent, and its system prompt.`,
          `It writes ${formatCount(draftTokens(params))} tokens at most, once; its endpoint may charge for them.`,
          { text: 'You see what it wrote before the server does.', tone: 'muted' },
        ],
        action: 'Have it written',
      },
      input: { projectId, serverId, requestId },
      done: ({ outputTokens }) => ({
        tone: 'ok',
        text: `It wrote ${formatCount(outputTokens)} tokens; nothing is sent yet.`,
      }),
    })
    if (drafted) write(drafted.text, drafted.model)
  }
  return [
    { value: 'read', label: 'read the whole request', act: () => openText('Sampling', samplingLines(params)) },
    ...(hasEditor ? [{ value: 'edit', label: 'write the text in your editor', act: edit }] : []),
    ...(model === null ? [] : [{ value: 'draft', label: `have ${model} write it…`, act: ask }]),
  ]
}

/** Maximum length of a text that is laid out. */
const MOST_TEXT = 20_000

/** Returns the text of a sampling request: the messages for the model, and how it should answer. */
function samplingLines(params: JsonObject): Line[] {
  const { systemPrompt, maxTokens, temperature, modelPreferences } = params
  const { hints, ...priorities } = isPlainObject(modelPreferences) ? modelPreferences : {}
  const named = Array.isArray(hints)
    ? hints.map(hint => (isPlainObject(hint) ? String(hint['name']) : '')).join(', ')
    : ''
  const field = (label: string, value: unknown): Field[] =>
    value === undefined ? [] : [[label, typeof value === 'string' ? value : JSON.stringify(value)] as const]
  return [
    ...fieldLines([
      ...field('Most tokens', maxTokens),
      ...field('Temperature', temperature),
      ...field('Wished models', named || undefined),
      ...Object.entries(priorities).flatMap(([name, value]) => field(name, value)),
    ]),
    ...(typeof systemPrompt === 'string' ? ['', heading('System prompt'), ...textLines(systemPrompt, 2)] : []),
    ...samplingMessages(params).flatMap(({ role, text, what }): Line[] => [
      '',
      heading(role),
      ...(text === undefined
        ? [{ text: `[${what || 'something else'}]`, tone: 'muted' as const, indent: 2 }]
        : textLines(text, 2)),
    ]),
    '',
    heading('As it came'),
    ...jsonLines(withShortTexts(params, MOST_TEXT)),
  ]
}
