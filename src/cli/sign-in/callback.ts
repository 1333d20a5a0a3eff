import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import { SignInError } from '../../domain/servers/sign-in.ts'

const HOST = '127.0.0.1'
const PATH = '/callback'
/** What an answer consists of; none of it comes twice. */
const PARTS = ['code', 'error', 'error_description', 'state', 'iss']

/** The place on this machine where a browser comes back to. */
export type Callback = {
  address: string
  /** The answer that an address carries; a text says why it is none. */
  read: (address: string) => URLSearchParams | string
  close: () => void
}

/**
 * Listens on loopback for one answer of an authorization server; what else comes is refused and changes nothing.
 * @param port 0 = any that is free
 * @throws SignInError where the port is taken
 */
export async function openCallback(port: number, onAnswer: (answer: URLSearchParams) => void): Promise<Callback> {
  let isAnswered = false
  const server = createServer((request, response) => {
    const [status, text, answer] = isAnswered ? ANSWERED : answerTo(request, new URL(address))
    if (answer) isAnswered = true
    // Whoever gets the answer closes the door: the page goes out first.
    if (answer) response.once('close', () => onAnswer(answer))
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
    read: typed => readAnswer(typed, address),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

type Reply = readonly [status: number, text: string, answer?: URLSearchParams]

const ANSWERED: Reply = [410, 'mcpdeck has its answer already.']

function answerTo({ method, url = '', headers }: IncomingMessage, own: URL): Reply {
  // A name of somebody else's that leads here is a page's way to reach this machine.
  if (headers.host !== own.host) return [421, 'This is not the host of a sign-in.']
  const target = URL.parse(url, own.origin)
  if (target?.origin !== own.origin || target.pathname !== own.pathname) return [404, 'There is nothing here.']
  if (method !== 'GET') return [405, 'An answer comes by GET.']
  if (!isAnswer(target.searchParams)) return [400, 'This is not the answer of an authorization server.']
  return [200, 'mcpdeck has the answer and goes on in the terminal. This page can be closed.', target.searchParams]
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

function readAnswer(typed: string, address: string): URLSearchParams | string {
  const url = URL.parse(typed.trim())
  if (!url || `${url.origin}${url.pathname}` !== address) return `Paste the address that begins with ${address}?`
  return isAnswer(url.searchParams) ? url.searchParams : 'That address carries no answer; copy the whole of it.'
}

function isAnswer(parameters: URLSearchParams): boolean {
  const isOnce = PARTS.every(part => parameters.getAll(part).length <= 1)
  return isOnce && parameters.has('code') !== parameters.has('error')
}
