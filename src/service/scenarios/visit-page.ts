import type { Answer } from '../core/reply.ts'
import { randomBytes } from 'node:crypto'

type Shown = { name: string; description: string | null; needs: 'key' | 'invitation' | null }

const LABELS = { key: 'API key of the workspace', invitation: 'Your invitation' } as const

/**
 * One page without anything from elsewhere: it opens a session and says things. Text from outside gets in escaped here
 * and as text nodes there; the policy allows its own script and this address alone.
 */
export function visitPage({ name, description, needs }: Shown): Answer {
  const nonce = randomBytes(16).toString('base64')
  const only = `'nonce-${nonce}'`
  const policy = `default-src 'none'; script-src ${only}; style-src ${only}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  const proof = needs ? `<label>${LABELS[needs]} <input id="proof" type="password" autocomplete="off"></label>` : ''
  const text = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(name)}</title>
<style nonce="${nonce}">body{font:16px/1.5 sans-serif;max-width:40em;margin:2em auto;padding:0 1em}
#log p{white-space:pre-wrap}.user{font-weight:bold}.tool,.note{color:#666}</style>
<h1>${escaped(name)}</h1><p>${escaped(description ?? '')}</p>
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

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
