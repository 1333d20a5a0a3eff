import type { CommandProblem } from '../../lib/split-command.ts'
import { splitCommand } from '../../lib/split-command.ts'
import type { ProjectServerCreateRequest } from '../../api/contract/servers.ts'
import type * as z from 'zod'

/** How a server is reached, as it is sent. */
export type Reach = Omit<z.infer<ReturnType<typeof ProjectServerCreateRequest>>, 'name' | 'enabled'>

const WHY: Record<CommandProblem, string> = {
  shell: 'It runs without a shell, and this needs one; quote what is meant literally.',
  open: 'A quote or a backslash is not followed by anything.',
  empty: 'This is needed.',
}
/** Why a program is given no token. */
export const NO_TOKEN = 'A token goes with an address; a program finds its own as NAME=value in front of the command.'
const ADDRESS = /^https?:\/\//i
const WITHOUT_SCHEME = /^(?:localhost|[\w-]+(?:\.[\w-]+)+)(?::\d+)?\/\S*$|^[\w.-]+:\d+$/
const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s

/**
 * What a person typed of how to reach a server: the address of one over HTTP, else the command of one over stdio, with
 * `NAME=value` in front for its environment. A text says why it is neither.
 */
export function reachOf(typed: string, token = ''): Reach | string {
  const text = typed.trim()
  if (ADDRESS.test(text)) {
    if (!URL.canParse(text)) return 'This is no address.'
    return { transportType: 'http', url: text, ...headersOf(token) }
  }
  if (WITHOUT_SCHEME.test(text)) return 'An address begins with http:// or https://.'
  const words = splitCommand(text)
  if (typeof words === 'string') return WHY[words]
  const first = words.findIndex(word => !ASSIGNMENT.test(word))
  const command = words[first]
  if (command === undefined) return 'A command follows what is put into its environment.'
  if (token !== '') return NO_TOKEN
  const env = words.slice(0, first).map(word => ASSIGNMENT.exec(word)!.slice(1) as [string, string])
  return {
    transportType: 'stdio',
    command,
    args: words.slice(first + 1),
    ...(env.length > 0 && { env: Object.fromEntries(env) }),
  }
}

/** The headers that carry a token, if there is one. */
export function headersOf(token: string): Pick<Reach, 'headers'> {
  return token === '' ? {} : { headers: { Authorization: `Bearer ${token}` } }
}
