import type { Form } from './nouns.ts'
import { publicAddress } from '../connections/connections.ts'
import { joinCommand } from '../../lib/split-command.ts'
import { withoutSecrets } from '../../lib/redaction/redaction.ts'
import { shownWords } from '../../lib/redaction/shown-words.ts'

/** A value of this machine that a file refers to by name, and where it is sent. */
export type Taken = {
  name: string
  /** `your environment`, or the file that contains it. */
  from: string
  /** The field that gets the value, such as `headers.Authorization`. */
  field: string
}

/** Whether the value becomes part of the address, where its host can read it. */
export function isInAddress({ field }: Taken): boolean {
  return field === 'url'
}

/** Returns sentences about the values of this machine that are sent. */
export function takenSentences(taken: readonly Taken[]): string[] {
  const sources = Map.groupBy(taken, ({ from }) => from)
  return [...sources].map(([from, all]) => {
    const names = [...new Set(all.map(({ name, field }) => `${name} (into ${field})`))]
    return `Taken from ${from}: ${names.join(', ')}.`
  })
}

/**
 * Returns sentences about how to connect to a server, for confirmation, without values of its environment and headers
 * and without secrets in its command and address.
 * @param secrets texts that must not be printed
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
