import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { open, until, type Api } from './harness.ts'
import { scriptedModel } from './scripted-model.ts'
import { helper, invite, published, visitor } from './visits.ts'
import { PATIENCE } from '../patience.ts'

/** The part of an element that the page's script uses. */
class Element {
  hidden = false
  disabled = false
  value = ''
  className = ''
  textContent = ''
  readonly lines: Element[] = []
  readonly button: Element | undefined
  private submitted: ((event: { preventDefault(): void }) => void) | undefined

  constructor(button?: Element) {
    this.button = button
  }

  append(line: Element) {
    this.lines.push(line)
  }

  querySelector() {
    return this.button
  }

  addEventListener(_: 'submit', listener: (event: { preventDefault(): void }) => void) {
    this.submitted = listener
  }

  submit() {
    this.submitted?.({ preventDefault() {} })
  }
}

/** Runs the page's own script in a browser made of a few elements, with the real service. */
async function browse(api: Api, link: string) {
  const page = await visitor(api.fetch, link).send('GET', link, { headers: { accept: 'text/html' } })
  const html = String(page.body['text'])
  const script = /<script nonce="[^"]+">([\s\S]*)<\/script>/.exec(html)![1]!
  const ids = [...html.matchAll(/ id="(\w+)"/g)].map(([, id]) => id!)
  const elements = new Map(ids.map(id => [id, new Element(new Element())]))
  const { origin, pathname } = new URL(link)
  runInNewContext(script, {
    document: { getElementById: (id: string) => elements.get(id), createElement: () => new Element() },
    location: { pathname },
    fetch: (path: string, init: RequestInit) => api.fetch(new Request(origin + path, init)),
  })
  const at = (id: string) => elements.get(id)!
  const shown = () => at('log').lines.map(({ className, textContent }) => `${className}: ${textContent}`)
  return { at, until: (line: string) => until(shown, lines => lines.some(text => text.includes(line))), html }
}

test('the page opens a session, sends messages, and shows why the session ended', async () => {
  const model = await scriptedModel(helper)
  const { api } = await open({ models: model.settings })
  const { link, target, projectId, environmentId } = await published(api, { mode: 'invited_only' })
  const { code } = await invite(api, target, 'ada@example.org')
  const { at, until } = await browse(api, link)
  at('proof').value = 'wrong'
  at('open').submit()
  await until('note: This invitation is not valid')
  at('proof').value = ` ${code} `
  at('open').submit()
  await expect.poll(() => at('open').hidden, PATIENCE).toBe(true)
  at('text').value = 'add <b>the</b> numbers'
  at('say').submit()
  await until('user: add <b>the</b> numbers')
  await until('tool: get-sum was used')
  await until('assistant: You said: add <b>the</b> numbers The sum of 2 and 3 is 5')
  await api.call(contract.userTesting.unpublish, { projectId, environmentId })
  at('text').value = 'still there?'
  at('say').submit()
  await until('note: The session has ended: the owner took this scenario offline.')
  expect(at('say').hidden).toBe(true)
})

test('guests and members of the project can enter through the page as well', async () => {
  const model = await scriptedModel(helper)
  const { api } = await open({ models: model.settings })
  for (const mode of ['anyone_with_link', 'project_members']) {
    const { link } = await published(api, { mode }, mode)
    const { at, until, html } = await browse(api, link)
    expect(html.includes('id="proof"')).toBe(mode === 'project_members')
    if (mode === 'project_members') at('proof').value = api.key
    at('open').submit()
    await expect.poll(() => at('open').hidden, PATIENCE).toBe(true)
    at('text').value = 'hello'
    at('say').submit()
    await until('assistant: You said: hello')
  }
})
