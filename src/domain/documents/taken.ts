import type { Form } from './nouns.ts'
import { publicAddress } from '../connections/connections.ts'
import { joinCommand } from '../../lib/split-command.ts'
import { withoutSecrets } from '../../lib/redaction/redaction.ts'
import { shownWords } from '../../lib/redaction/shown-words.ts'

/** A value of this machine for which a file has only a name, and where it goes. */
export type Taken = {
  name: string
  /** `your environment`, or the file that holds it. */
  from: string
  /** The field that gets it, as `headers.Authorization`. */
  field: string
}

/** Whether the value becomes a part of the address, and reaches whoever answers there. */
export function isInAddress({ field }: Taken): boolean {
  return field === 'url'
}

/** What of this machine is sent, in sentences. */
export function takenSentences(taken: readonly Taken[]): string[] {
  const sources = Map.groupBy(taken, ({ from }) => from)
  return [...sources].map(([from, all]) => {
    const names = [...new Set(all.map(({ name, field }) => `${name} (into ${field})`))]
    return `Taken from ${from}: ${names.join(', ')}.`
  })
}

/**
 * How a server will be reached, in sentences that are read before somebody agrees to it: no value of its environment
 * and headers, and nothing secret of its command and address.
 * @param secrets texts that nothing may print
 */
export function reachSentences(form: Form, secrets: readonly string[]): string[] {
  const { command, args, env, url, headers } = form as {
    command?: string
    args?: readonly string[] | string
    env?: object
    url?: string
    headers?: object
  }
  const words = [command, ...(typeof args === 'string' ? [args] : (args ?? []))].filter(word => word !== undefined)
  const names = (pairs: object | undefined): string => Object.keys(pairs ?? {}).join(', ')
  const { username = '', search = '', hash = '' } = (url === undefined ? null : URL.parse(url)) ?? {}
  const isWhole = username + search + hash === ''
  const sentences = [
    words.length > 0 && `Command: ${joinCommand(shownWords(words))}`,
    url !== undefined && `Address: ${isWhole ? url : `${publicAddress(url)}, with a query or user that is not shown`}`,
    names(env) !== '' && `Environment: ${names(env)}`,
    names(headers) !== '' && `Headers: ${names(headers)}`,
  ]
  return sentences.filter(text => typeof text === 'string').map(text => withoutSecrets(text, secrets))
}
