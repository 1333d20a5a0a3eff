import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import { SignInError } from '../../domain/servers/sign-in.ts'

const HOST = '127.0.0.1'
const PATH = '/callback'
/** Parameters of an answer; none may occur twice. */
const PARTS = ['code', 'error', 'error_description', 'state', 'iss']

/** The local address that the browser returns to after sign-in. */
export type Callback = {
  address: string
  /** Parses an address of the browser; returns the answer, or a text that says why it is none. */
  read: (address: string) => URLSearchParams | string
  close: () => void
}

export type CallbackOptions = {
  /** Port to listen on; by default any free one. */
  port?: number | undefined
  /** Returns why an answer is refused, as a sentence; undefined if it is accepted. */
  refuse: (answer: URLSearchParams) => string | undefined
  onAnswer: (answer: URLSearchParams) => void
  /** Called with the reason when an answer is refused. */
  onRefused: (why: string) => void
}

/**
 * Listens on loopback until one answer of an authorization server is accepted. Any other request is refused and changes
 * nothing.
 * @throws SignInError if the port is in use
 */
export async function openCallback({ port = 0, refuse, onAnswer, onRefused }: CallbackOptions): Promise<Callback> {
  let isAnswered = false
  const server = createServer((request, response) => {
    const { status, text, answer, why } = isAnswered ? ANSWERED : replyTo(request, new URL(address), refuse)
    if (answer) isAnswered = true
    // The receiver of the answer closes the server, so the page is sent first.
    if (answer) response.once('close', () => onAnswer(answer))
    if (why !== undefined) onRefused(why)
    respond(response, status, text)
  })
  server.listen({ host: HOST, port, exclusive: true })
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve)
    server.once('error', error =>
      reject(new SignInError(`The browser cannot come back to port ${port}: ${systemErrorReason(error)}.`)),
    )
  })
  const address = `http://${HOST}:${(server.address() as AddressInfo).port}${PATH}`
  return {
    address,
    read: typed => readAnswer(typed, address, refuse),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** @property why the reason, for the person at the terminal, if an answer is refused */
type Reply = { status: number; text: string; answer?: URLSearchParams; why?: string }

const ANSWERED: Reply = { status: 410, text: 'mcpdeck has its answer already.' }
const FOREIGN_PAGE = 'Refused an answer that a web page sent in place of the authorization server.'

function replyTo({ method, url = '', headers }: IncomingMessage, own: URL, refuse: CallbackOptions['refuse']): Reply {
  // With a foreign host name that resolves to this machine, a web page could reach this server.
  if (headers.host !== own.host) return { status: 421, text: 'This is not the host of a sign-in.' }
  const target = URL.parse(url, own.origin)
  if (target?.origin !== own.origin || target.pathname !== own.pathname)
    return { status: 404, text: 'There is nothing here.' }
  if (method !== 'GET') return { status: 405, text: 'An answer comes by GET.' }
  if (isScripted(headers)) return { status: 403, text: 'An answer comes by a redirect.', why: FOREIGN_PAGE }
  const { searchParams: answer } = target
  if (!isAnswer(answer)) return { status: 400, text: 'This is not the answer of an authorization server.' }
  const why = refuse(answer)
  if (why !== undefined) return { status: 400, text: `${why} mcpdeck still waits for the sign-in.`, why }
  return { status: 200, text: 'mcpdeck has the answer and continues in the terminal. This page can be closed.', answer }
}

/** Whether a script of a page sent the request, instead of a browser following a redirect. */
function isScripted(headers: IncomingHttpHeaders): boolean {
  if (headers.origin !== undefined) return true
  return headers['sec-fetch-site'] !== undefined && headers['sec-fetch-mode'] !== 'navigate'
}

function respond(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  })
  response.end(`${text}\n`)
}

function readAnswer(typed: string, address: string, refuse: CallbackOptions['refuse']): URLSearchParams | string {
  const url = URL.parse(typed.trim())
  if (!url || `${url.origin}${url.pathname}` !== address) return `Paste the address that begins with ${address}?`
  if (!isAnswer(url.searchParams)) return 'That address carries no answer; copy the whole of it.'
  return refuse(url.searchParams) ?? url.searchParams
}

function isAnswer(parameters: URLSearchParams): boolean {
  const isOnce = PARTS.every(part => parameters.getAll(part).length <= 1)
  return isOnce && parameters.has('code') !== parameters.has('error') && parameters.get('code') !== ''
}
