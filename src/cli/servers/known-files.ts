import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, relative, resolve, sep } from 'node:path'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import type { FileProblem } from '../../domain/documents/document.ts'
import { formatOf, knownPlaces, type KnownPlace, type Machine } from '../../domain/servers/files/formats.ts'
import type { ServerFiles } from '../../domain/servers/files/importing.ts'
import type { ServerText } from '../../domain/servers/files/reading.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { readRegularFile } from '../../lib/files/read-regular.ts'

/** Returns this process's machine. */
export function thisMachine(): Machine {
  return { platform: process.platform, home: homedir(), folder: process.cwd(), env: process.env }
}

/** Returns the files of a machine that may contain servers; each is read on demand. */
export function serverFiles(machine: Machine = thisMachine()): ServerFiles {
  const { home, folder, env } = machine
  return {
    context: { env, home, separator: sep, readText: path => readRegularFile(path, BOUNDS.editedText.most) },
    find() {
      const texts: ServerText[] = []
      const problems: FileProblem[] = []
      for (const place of knownPlaces(machine)) {
        if (!existsSync(place.path)) continue
        const file = shownPath(place.path, machine)
        try {
          const text = readRegularFile(place.path, BOUNDS.editedText.most)
          texts.push({ file, text, format: formatOf(place.path), only: folder, ...projectOf(place) })
        } catch (error) {
          problems.push({ file, line: 1, column: 1, message: `This file cannot be read: ${systemErrorReason(error)}.` })
        }
      }
      return { texts, problems }
    },
  }
}

function projectOf({ folder }: KnownPlace): Pick<ServerText, 'folder'> {
  return folder === undefined ? {} : { folder }
}

/** Returns the text of a named file, which belongs to the project around it. */
export function namedText(path: string, text: string): ServerText {
  const whole = resolve(path)
  const folder = dirname(whole)
  const isInside = /[/\\]\.(?:vscode|cursor|zed)$/.test(folder)
  return { file: path, text, format: formatOf(whole), folder: isInside ? dirname(folder) : folder }
}

/** Shortens a path as people write it: relative to the working directory, or with `~`. */
function shownPath(path: string, { home, folder }: Machine): string {
  const below = relative(folder, path)
  if (!below.startsWith('..') && below !== path) return below
  return path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path
}
