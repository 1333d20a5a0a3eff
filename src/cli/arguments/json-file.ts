import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { readInputText } from '../../lib/files/read-input.ts'
import { parseWritten, UnkeptNumber } from '../../lib/json.ts'
import { UsageError } from './usage-error.ts'

/**
 * Reads the JSON in a file named by an option; `-` is standard input.
 * @throws UsageError
 */
export async function readJsonFile(file: string): Promise<unknown> {
  let text: string
  try {
    text = await readInputText(file, BOUNDS.answer.most)
  } catch (error) {
    throw new UsageError(`The file ${file} cannot be read: ${systemErrorReason(error)}.`)
  }
  try {
    return parseWritten(text)
  } catch (error) {
    if (error instanceof UnkeptNumber) throw new UsageError(`${file}: ${error.message}.`)
    throw new UsageError(`${file} is not JSON: ${systemErrorReason(error)}.`)
  }
}
