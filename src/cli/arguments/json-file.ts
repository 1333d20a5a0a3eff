import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import { UsageError } from './usage-error.ts'

/** The JSON of a file that an option names; `-` is standard input. @throws UsageError */
export async function readJsonFile(file: string): Promise<unknown> {
  let text: string
  try {
    text = file === '-' ? await readAll(process.stdin) : await readFile(file, 'utf8')
  } catch (error) {
    throw new UsageError(`The file ${file} cannot be read: ${systemErrorReason(error)}.`)
  }
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new UsageError(`${file} is no JSON: ${systemErrorReason(error)}.`)
  }
}
