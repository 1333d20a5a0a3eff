import { BOUNDS } from '../../lib/bounds.ts'
import type * as z from 'zod'
import type { ApiHeaders, ApiRequest } from '../../api/contract/message.ts'
import { ServiceError } from '../core/errors.ts'
import type { Answer } from '../core/reply.ts'
import { invalidField, parseBody } from '../core/validation.ts'
import type { Credentials } from './access.ts'
import { Feedback, Message, Opening, type VisitorProgram, type Visits } from './visits.ts'
import { randomBytes } from 'node:crypto'
import { ownValue } from '../../lib/own-value.ts'
import { escapedHtml } from '../../lib/printable.ts'

/**
 * The endpoints for visitors, served next to the API but without its keys. A link is `/visit/{secret}`. Refusals are `{
 * code, message, details? }`.
 * - `GET /visit/{link}`: name, description, mode, what it `needs`; a page for a browser
 * - `POST /visit/{link}/sessions` `{ invitation? }`: 201 with the `token` of a session; a member of the project signs
 * in with `Authorization: Bearer sk_…`
 * - `GET /visit/session`: 200 while it is alive, 401 with the reason and `details.endedBy` afterwards
 * - `GET /visit/session/messages`; `POST /visit/session/messages` `{ text }`: the items that the answer added
 * - `PUT /visit/session/feedback` `{ rating?, comment? }`
 * - `DELETE /visit/session`
 *
 * A scenario stays open if the feature is switched off for its organization; unpublishing closes it.
 * Everything below `/visit/session` needs `Authorization: Bearer vst_…`, which pages of other sites cannot send. Other
 * origins are not allowed anything.
 */
export const VISIT_PREFIX = '/visit/'

const MAX_BODY_BYTES = BOUNDS.visitBody.most
const PRIVATE = { 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' }

type Call = { request: ApiRequest; signal: AbortSignal; link: string }
type Route = (visits: Visits, call: Call) => Promise<Answer> | Answer

const SESSION_ROUTES: Record<string, Record<string, Route>> = {
  '': {
    GET: (visits, call) => ok(visits.session(tokenOf(call))),
    DELETE: (visits, call) => ok(visits.end(tokenOf(call))),
  },
  '/messages': {
    GET: (visits, call) => ok(visits.messages(tokenOf(call))),
    POST: async (visits, call) => {
      const token = tokenOf(call)
      // Checked before the body is read, so that strangers cannot make the service read their data.
      visits.session(token)
      const { text } = await read(call, Message())
      return ok(await visits.say(token, text, call.signal))
    },
  },
  '/feedback': {
    PUT: async (visits, call) => {
      const token = tokenOf(call)
      visits.session(token)
      return ok(visits.rate(token, await read(call, Feedback())))
    },
  },
}

const LINK_ROUTES: Record<string, Record<string, Route>> = {
  '': {
    GET: (visits, { request, link }) =>
      request.headers.get('accept')?.includes('text/html')
        ? visitPage(visits.describe(link))
        : ok(visits.describe(link)),
  },
  '/sessions': {
    POST: async (visits, call) => {
      visits.describe(call.link)
      const body = await read(call, Opening())
      const { headers } = call.request
      const credentials: Credentials = { authorization: headers.get('authorization'), invitation: body?.invitation }
      return { ...ok(visits.redeem(call.link, credentials, programOf(headers))), status: 201 }
    },
  },
}

/** Answers a request below {@link VISIT_PREFIX}. @param closing aborts when the service closes @throws ServiceError */
export async function answerVisit(
  visits: Visits,
  request: ApiRequest,
  path: string,
  closing: AbortSignal,
): Promise<Answer> {
  const rest = path.slice(VISIT_PREFIX.length)
  const slash = rest.indexOf('/')
  const head = slash < 0 ? rest : rest.slice(0, slash)
  const tail = slash < 0 ? '' : rest.slice(slash)
  const routes = head === 'session' ? SESSION_ROUTES : LINK_ROUTES
  const methods = ownValue(routes, tail)
  if (!methods) throw new ServiceError('NOT_FOUND', 'There is nothing to visit at this address.')
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const route = ownValue(methods, method)
  const allow = [...Object.keys(methods), 'OPTIONS'].join(', ')
  if (!route) return { status: method === 'OPTIONS' ? 204 : 405, headers: { ...PRIVATE, allow } }
  const signal = AbortSignal.any([request.signal, closing])
  const answer = await route(visits, { request, signal, link: head })
  return { ...answer, headers: { ...PRIVATE, ...answer.headers } }
}

function ok(body: unknown): Answer {
  return { status: 200, body }
}

/** Reads a JSON body. A page of another site can send a form, but JSON only if the service allows it. */
async function read<T>({ request, signal }: Call, schema: z.ZodType<T>): Promise<T> {
  const type = request.headers.get('content-type') ?? ''
  if (request.body !== null && !/^application\/json\s*(;|$)/i.test(type))
    throw invalidField('content-type', 'must be application/json')
  return (await parseBody({ body: schema }, request, { maxBytes: MAX_BODY_BYTES, signal })) as T
}

function tokenOf({ request }: Call): string {
  return /^Bearer (\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? ''
}

/** Returns only the kind of program and the language. They are too general to identify a visitor. */
function programOf(headers: ApiHeaders): VisitorProgram {
  const agent = headers.get('user-agent') ?? ''
  const [language = ''] = (headers.get('accept-language') ?? '').split(/[,;]/)
  return {
    deviceKind: DEVICE_KINDS.find(([pattern]) => pattern.test(agent))?.[1] ?? null,
    language: /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(language.trim()) ? language.trim() : null,
  }
}

const DEVICE_KINDS: readonly [pattern: RegExp, kind: string][] = [
  [/^mcpdeck\b/, 'terminal'],
  [/Mobile|Android|iPhone|iPad/, 'mobile'],
  [/^Mozilla\//, 'desktop'],
]

type Shown = { name: string; description: string | null; needs: 'key' | 'invitation' | null }

const LABELS = { key: 'API key of the workspace', invitation: 'Your invitation' } as const

/**
 * Returns a page without external resources. Texts of others are escaped, and the security policy allows only the
 * page's own script and address.
 */
export function visitPage({ name, description, needs }: Shown): Answer {
  const nonce = randomBytes(16).toString('base64')
  const only = `'nonce-${nonce}'`
  const policy =
    `default-src 'none'; script-src ${only}; style-src ${only}; connect-src 'self'; base-uri 'none'; ` +
    "form-action 'none'; frame-ancestors 'none'"
  const proof = needs ? `<label>${LABELS[needs]} <input id="proof" type="password" autocomplete="off"></label>` : ''
  const text = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapedHtml(name)}</title>
<style nonce="${nonce}">body{font:16px/1.5 sans-serif;max-width:40em;margin:2em auto;padding:0 1em}
#log p{white-space:pre-wrap}.user{font-weight:bold}.tool,.note{color:#666}</style>
<h1>${escapedHtml(name)}</h1><p>${escapedHtml(description ?? '')}</p>
<form id="open">${proof} <button>Begin</button></form>
<div id="log" role="log"></div>
<form id="say" hidden><input id="text" maxlength="8000" required> <button>Send</button></form>
<script nonce="${nonce}">${SCRIPT.replace('NEEDS', JSON.stringify(needs))}</script></html>`
  return {
    status: 200,
    text,
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
  }
}

const SCRIPT = `
const needs = NEEDS, at = id => document.getElementById(id)
let token
const add = (kind, text) => {
  const line = document.createElement('p')
  line.className = kind
  line.textContent = text
  at('log').append(line)
}
const ask = async (path, body, auth) => {
  const headers = { 'content-type': 'application/json', ...(auth && { authorization: 'Bearer ' + auth }) }
  const reply = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const answer = await reply.json()
  if (reply.ok) return answer
  if (token && reply.status === 401) at('say').hidden = true
  throw new Error(answer.message)
}
const on = (id, work) => at(id).addEventListener('submit', event => {
  event.preventDefault()
  const button = at(id).querySelector('button')
  button.disabled = true
  work().catch(error => add('note', error.message)).finally(() => (button.disabled = false))
})
on('open', async () => {
  const proof = needs && at('proof').value.trim()
  const body = needs === 'invitation' ? { invitation: proof } : {}
  token = (await ask(location.pathname + '/sessions', body, needs === 'key' && proof)).token
  at('open').hidden = true
  at('say').hidden = false
})
on('say', async () => {
  const text = at('text').value
  add('user', text)
  at('text').value = ''
  for (const item of (await ask('/visit/session/messages', { text }, token)).items)
    add(item.role, item.role === 'tool' ? item.toolName + (item.isError ? ' failed' : ' was used') : item.text)
})
`
