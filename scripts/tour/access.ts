import { serve } from '../../src/cli/serve/serve.ts'
import type { ModelSettings } from '../../src/service/models/endpoint.ts'
import { DEFAULT_PORT } from '../../src/service/core/urls.ts'
import { dataDirOf, inWorkspace } from '../../test/prepared-workspace.ts'
import { clipboard } from '../../test/pty/clipboard.ts'
import { createHome, removeHome } from '../../test/pty/home.ts'
import type { Terminal } from '../../test/pty/terminal.ts'
import { adder } from '../../test/service/model-runs.ts'
import { openScriptedModel } from '../../test/service/scripted-model.ts'
import { Chapter, openOnTheDay, press } from './recorder.ts'

const WIDE = { cols: 120, rows: 40 }
const SMALL = { cols: 80, rows: 24 }

/**
 * Records how a person publishes a scenario, how its link leaks, and how a visitor in another terminal sees the
 * consequences.
 */
export async function access(): Promise<Chapter> {
  const chapter = new Chapter(
    'Who may enter a scenario',
    'An environment is published, and its link leaks. `mcpdeck serve` answers visitors in another terminal, with a scripted model. 120×40; the visitor’s terminal is 80×24.',
  )
  const home = createHome()
  const model = await openScriptedModel(adder)
  try {
    const projectId = await prepareStudy(home)
    const stop = await serveVisitors(home, model.settings)
    try {
      const args = [`projects/${projectId}/scenarios`]
      await using owner = openOnTheDay({ ...WIDE, home, args })
      await publish(chapter, owner)
      const link = await copiedLink(owner)
      await using guest = openOnTheDay({ ...SMALL, home, args: ['visit', link] })
      await visit(chapter, owner, guest)
      await tighten(chapter, owner, guest)
    } finally {
      await stop()
    }
  } finally {
    model.close()
    removeHome(home)
  }
  return chapter
}

/** Creates an environment that visitors can use. */
function prepareStudy(home: string): Promise<string> {
  return inWorkspace(home, async ({ client, projectId }) => {
    const { items } = await client.servers.list({ projectId })
    const { id: hostId } = await client.clients.create({
      projectId,
      body: { name: 'study client', config: { modelId: 'small', serverIds: [items[0]!.id] } },
    })
    await client.environments.create({ projectId, body: { name: 'Study', hostId } })
    return projectId
  })
}

/** Serves the workspace of a home at the port of its links; @throws if that port is in use. */
async function serveVisitors(home: string, models: ModelSettings): Promise<() => Promise<void>> {
  const stop = new AbortController()
  const listening = Promise.withResolvers<string>()
  const served = serve({
    dataDir: dataDirOf(home),
    port: DEFAULT_PORT,
    models,
    stdout: listening.resolve,
    signal: stop.signal,
  })
  await Promise.race([listening.promise, served])
  return async () => {
    stop.abort()
    await served
  }
}

async function copiedLink(owner: Terminal): Promise<string> {
  owner.type('L')
  await owner.waitFor(() => clipboard(owner).startsWith('http'))
  return clipboard(owner)
}

async function publish(chapter: Chapter, owner: Terminal): Promise<void> {
  await chapter.stop(owner, {
    title: 'Nothing is published yet',
    words: 'An empty list says what to do.',
    until: 'Nothing is published in this',
  })
  await chapter.stop(owner, {
    title: 'Publishing',
    words: 'The environment, and who may enter. The choice that admits strangers says so.',
    keys: [
      'n',
      /\(o\) Study/,
      'enter',
      /\(o\) members of the project/,
      'down',
      /▌ \(o\) invited people/,
      'down',
      /▌ \(o\) anyone with the link/,
      'enter',
    ],
    until: '▌ Go on',
  })
  await chapter.stop(owner, {
    title: 'The consequence',
    words: 'Exposing to strangers requires a typed word, then a question that starts on Cancel.',
    keys: ['enter'],
    until: 'Type “open”',
  })
  await chapter.stop(owner, {
    title: 'What the answer proves',
    words: 'What the service answered, what was read back, and what stays unknown.',
    keys: [{ text: 'open' }, /> open/, 'enter', /❯ Cancel/, 'down', 'enter'],
    until: 'What is known now',
  })
  await chapter.stop(owner, {
    title: 'Published',
    words: 'The link is hidden: `L` copies it, `v` shows it.',
    keys: ['q'],
    until: '! anyone with the link',
  })
}

async function visit(chapter: Chapter, owner: Terminal, guest: Terminal): Promise<void> {
  await guest.waitFor('Type a message')
  await chapter.stop(owner, {
    title: 'Limits for guests',
    words: 'Anonymous visitors get answers only after limits are set: here 100 credits a day.',
    keys: ['e', /Guest limits of Study/, 'space', 'tab', 'ctrl+u', { text: '100' }],
    until: /credits a day +.*\n?.*100/,
  })
  for (const key of ['ctrl+s', /❯ Cancel/, 'down', 'enter', /What is known now/, 'q']) await press(owner, key)
  await chapter.stop(guest, {
    title: 'What a visitor sees',
    words: '`mcpdeck visit LINK` in another terminal. The scenario’s assistant calls a tool of the server.',
    keys: [{ text: 'add 2 and 3' }, 'enter'],
    until: 'It says:',
  })
}

async function tighten(chapter: Chapter, owner: Terminal, guest: Terminal): Promise<void> {
  await chapter.stop(owner, {
    title: 'The link leaked',
    words: 'One key leads through four steps. The leaked link is filled in, hidden, to test it afterwards.',
    keys: ['!'],
    until: '1 of 4',
  })
  await chapter.stop(owner, {
    title: 'Rotating the link',
    words: 'The second step says that rotating ends no session.',
    keys: ['enter', 'enter'],
    until: '❯ Cancel',
  })
  await chapter.stop(owner, {
    title: 'Present visitors',
    words: 'Visitors of the old link are still there; each choice says which sessions it ends.',
    keys: ['down', 'enter'],
    until: '3 of 4',
  })
  await chapter.stop(owner, {
    title: 'Changing who may enter',
    words: 'A change of mode ends the one live session.',
    keys: ['down', 'down', 'enter', 'enter'],
    until: 'Type “end”',
  })
  await chapter.stop(owner, {
    title: 'The result',
    words: 'The old link was tested before and after.',
    keys: [{ text: 'end' }, /> end/, 'enter', /❯ Cancel/, 'down', 'enter'],
    until: '4 of 4',
  })
  await chapter.stop(guest, {
    title: 'The visitor’s view',
    words: 'The session ends within two seconds, with the reason.',
    until: /The session has ended/,
  })
}
