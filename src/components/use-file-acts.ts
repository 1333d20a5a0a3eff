import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeUnlessThere } from '../lib/files/write-unless-there.ts'
import { mediaTypeOf } from '../lib/untrusted/media-type.ts'
import { unavailable } from '../tui/keymap/binding.ts'
import { useBindings } from '../tui/keymap/use-bindings.ts'
import { formatCount } from '../lib/format.ts'
import { useOpenFile } from './browser.tsx'
import { fileKeys } from './component-keys.ts'
import { useConfirm } from './confirm.tsx'
import { useToasts } from './toasts.tsx'
import { useWriteFile } from './write-file.ts'
import type { BinaryContent } from './viewer/outline-tree.ts'

const LONGEST_NAME = 100
/**
 * Media types that the desktop only shows or plays; other files might be executed, and vector graphics contain scripts.
 */
const OPENED = /^(?:image|audio|video)\/[^+]+$|^application\/pdf$/

type Type = Awaited<ReturnType<typeof mediaTypeOf>>

/** Handles keys that save or open the selected bytes. */
export function useFileActs(file: BinaryContent | undefined, focused: boolean): void {
  const writeFile = useWriteFile()
  const open = useOpening()
  const save = async (content: BinaryContent): Promise<void> => {
    const type = await mediaTypeOf(content.data)
    const bytes = bytesOf(content)
    const lines = [`${describe(type, bytes)}, readable only by you. Write it to:`]
    await writeFile({ title: 'Save a file', lines, initial: fileName(content, type) }, () => bytes)
  }
  useBindings(
    fileKeys,
    { save: file ? () => save(file) : NO_FILE, open: file ? () => open(file) : NO_FILE },
    { active: focused && file !== undefined },
  )
}

const NO_FILE = unavailable('There is no picture, sound or file at the line.')

/** Opens a copy of the bytes, readable only by its owner, with the desktop's program. */
function useOpening(): (content: BinaryContent) => Promise<void> {
  const openFile = useOpenFile()
  const confirm = useConfirm()
  const toasts = useToasts()
  return async content => {
    const type = await mediaTypeOf(content.data)
    const bytes = bytesOf(content)
    if (!OPENED.test(type.mime ?? ''))
      return toasts.show('warn', `Only pictures, sounds, videos and PDF are opened; this is ${describe(type, bytes)}.`)
    const agreed = await confirm({
      title: 'Open it on your desktop?',
      lines: [
        `${describe(type, bytes)}, as a server gave it. A program of your desktop reads it, from a copy in ` +
          `${tmpdir()} that only you can read and that stays there.`,
      ],
      action: 'Open it',
    })
    if (!agreed) return undefined
    const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-'))
    const path = join(folder, `file.${type.extension}`)
    const refusal = writeUnlessThere(path, bytes, false)
    const obstacle = refusal ? `${path} could not be written.` : await openFile(path)
    if (obstacle === undefined) return toasts.show('ok', `Opened ${path}`)
    rmSync(folder, { recursive: true, force: true })
    toasts.show('error', obstacle)
  }
}

function bytesOf({ data }: BinaryContent): Buffer {
  return Buffer.from(data, 'base64')
}

function describe({ mime }: Type, bytes: Buffer): string {
  return `${mime ?? 'A file of unknown type'}, ${formatCount(bytes.length)} bytes`
}

/** Returns a name for the file: the last part of its address if that is plain, with the extension of its type. */
function fileName({ name = '' }: BinaryContent, { mime, extension }: Type): string {
  const last = name.split(/[/\\?#]/).findLast(part => part !== '') ?? ''
  const plain = /^\w[\w.-]*$/.test(last) && last.length <= LONGEST_NAME ? last : (mime?.split('/')[0] ?? 'file')
  return extension === undefined || plain.endsWith(`.${extension}`) ? plain : `${plain}.${extension}`
}
