import { existsSync } from 'node:fs'
import { contract } from '../../api/contract/contract.ts'
import type { SESSION_SOURCES } from '../../api/contract/choices.ts'
import { useConfirm } from '../../components/confirm.tsx'
import { YES } from '../../components/form/field-input.ts'
import { useFormDialog, type FormSpec, type FormValues } from '../../components/form/form-dialog.tsx'
import { sessionsOnPage } from '../../domain/findings/session-trace.ts'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { namedPath } from '../../lib/files/named-path.ts'
import { writeInParts } from '../../lib/files/write-in-parts.ts'
import { jsonText } from '../../lib/printable.ts'
import { plural } from '../../lib/format.ts'

type Source = (typeof SESSION_SOURCES)[number]

/** The person requested everything. */
const ALL = { pages: Infinity, items: Infinity, text: Infinity }

/**
 * Asks for a path and writes the traces of the project's sessions there, of one source or of all: OTLP JSON, a line for
 * each page. An existing file is replaced only after a question, and a failed export leaves no file.
 */
export function useTraceExport(projectId: string): (source: Source | undefined) => Promise<void> {
  const { client } = useWorkspace()
  const ask = useFormDialog()
  const confirm = useConfirm()
  const runTask = useRunTask()

  /** Resolves to whether the file was written. */
  const write = async (path: string, query: { sourceTypes?: Source; includeContent?: boolean }, replace: boolean) =>
    await runTask({
      start: `Exporting traces to ${path}…`,
      async work({ signal }) {
        const file = writeInParts(path)
        try {
          let sessions = 0
          const call = { signal, bounds: ALL }
          for await (const page of client.pages(contract.traceExports.otlp, { projectId, ...query }, call)) {
            // The client adds the cursor; the document has none.
            const { nextCursor: _cursor, ...document } = page
            file.add(`${jsonText(document)}\n`)
            sessions += sessionsOnPage(document).length
          }
          file.end(replace)
          return sessions
        } finally {
          file.drop()
        }
      },
      done: sessions => `Wrote the traces of ${plural(sessions, 'session')} to ${path}.`,
      stopped: 'The export was stopped; nothing was written.',
    })

  return async source => {
    for (let filled: FormValues | undefined; ;) {
      filled = await ask(exportForm(source, filled))
      if (!filled) return
      const path = namedPath(filled['file'] ?? '')
      const isThere = existsSync(path)
      if (isThere && !(await confirm(replaceQuestion(path)))) continue
      const query = {
        ...(source && { sourceTypes: source }),
        ...(filled['content'] === YES && { includeContent: true }),
      }
      if ((await write(path, query, isThere)) !== undefined) return
    }
  }
}

function replaceQuestion(path: string) {
  return {
    title: 'The file exists',
    lines: [`${path} already exists; replacing it deletes what it holds.`],
    action: 'Replace the file',
  }
}

function exportForm(source: Source | undefined, filled: FormValues | undefined): FormSpec {
  return {
    title: 'Export traces',
    isFilled: filled !== undefined,
    about: [
      {
        text:
          `OTLP JSON of all sessions of the project${source ? ` that are of the source ${source}` : ''}; a ` +
          'search or filter does not narrow it.',
        tone: 'muted',
      },
    ],
    fields: [
      {
        id: 'file',
        label: 'File',
        required: true,
        initial: filled?.['file'] ?? 'traces.jsonl',
        note: 'Readable only by you; a line is what one page of the service holds.',
      },
      {
        id: 'content',
        label: 'With content',
        initial: filled?.['content'] ?? '',
        note: 'Also what was said and what tools answered, as it was recorded: that may hold secrets.',
        input: { kind: 'toggle' },
      },
    ],
    act: 'Write the file',
  }
}
