import { namedPath } from '../lib/files/named-path.ts'
import { writeUnlessThere } from '../lib/files/write-unless-there.ts'
import { useConfirmDiscard, type TextQuestion } from './ask-text.tsx'
import { useAttempt } from './attempt.tsx'
import { useConfirm } from './confirm.tsx'
import { useToasts } from './toasts.tsx'

type Content = string | Uint8Array

/**
 * Asks for a path and writes a file there, readable only by the person; replaces an existing file only after asking.
 * Writes nothing if `compose` returns undefined.
 */
export function useWriteFile(): (
  question: TextQuestion,
  compose: () => Content | undefined | Promise<Content | undefined>,
) => Promise<void> {
  const askToKeep = useConfirmDiscard()
  const attempt = useAttempt()
  const confirm = useConfirm()
  const toasts = useToasts()
  return async (question, compose) => {
    let file = ''
    let content: Content | undefined
    const write = (replace: boolean): boolean => {
      if (content === undefined) return false
      const refusal = writeUnlessThere(file, content, replace)
      if (refusal === undefined || refusal === 'exists') return refusal === undefined
      throw new Error(`${file} was not written: ${refusal.reason}.`)
    }
    let written = false
    const isGiven = await askToKeep(question, async path => {
      file = path.trim() === '' ? '' : namedPath(path)
      if (file === '') return
      content ??= await compose()
      written = write(false)
    })
    if (!isGiven || content === undefined) return
    if (!written) {
      const agreed = await confirm({
        title: 'The file exists',
        lines: [`${file} already exists; replacing it deletes what it holds.`],
        action: 'Replace the file',
      })
      if (!agreed) return
      if (!attempt('Nothing was written', () => write(true))) return
    }
    toasts.show('ok', `Wrote ${file}.`)
  }
}
