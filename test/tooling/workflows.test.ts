import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import manifest from '../../package.json' with { type: 'json' }
import { declaredSurface } from '../../scripts/docs/stability.ts'
import { root } from '../../scripts/paths.ts'

type Step = { uses?: string; run?: string; with?: object }
type Workflow = { on?: object; jobs: Record<string, { 'runs-on': string; 'timeout-minutes'?: number; steps: Step[] }> }

const own = globSync('.github/workflows/*.yml', { cwd: root })
const examples = globSync('docs/examples/*.yml', { cwd: root })
const inDocs = [...readFileSync(join(root, 'docs/scripting.md'), 'utf8').matchAll(/^```yaml\n(.*?)^```/gms)]
  .map(([, text = '']) => text)
  .filter(text => text.includes('runs-on:'))
const all: [name: string, text: string][] = [
  ...[...own, ...examples].map((file): [string, string] => [file, readFileSync(join(root, file), 'utf8')]),
  ...inDocs.map((text, at): [string, string] => [`docs/scripting.md, ${at + 1}`, text]),
]
/** Programs that are installed on the runners. */
const THEIRS = new Set(['sudo', 'brew', 'gh'])

/** Returns what is wrong with the commands of a step. */
function faultsOf(run: string): string[] {
  const surface = declaredSurface()
  return run.split('&&').flatMap(command => {
    const [program = '', ...words] = command.trim().split(/\s+/)
    if (THEIRS.has(program)) return []
    if (program === 'npm') {
      const [verb = '', script = ''] = words
      if (verb === 'run') return script in manifest.scripts ? [] : [`there is no script ${script}`]
      return ['ci', 'test', 'install'].includes(verb) ? [] : [`npm ${verb} is not expected`]
    }
    if (program !== 'mcpdeck') return [`${program} is not expected`]
    const known = [...(surface.get('mcpdeck:') ?? []), ...(surface.get(`${words[0]}:`) ?? [])]
    if (!surface.has(`${words[0]}:`)) return [`there is no command ${words[0]}`]
    return words.filter(word => word.startsWith('--') && !known.includes(word)).map(word => `there is no ${word}`)
  })
}

test('the workflows check, test and release, and an example runs suites', () => {
  expect(own.toSorted()).toEqual(['.github/workflows/check.yml', '.github/workflows/release.yml'])
  expect([examples.length, inDocs.length]).toEqual([1, 1])
  expect(faultsOf('mcpdeck runs --sumary x && npm run chek && curl x')).toHaveLength(3)
})

test.each(all)('%s is a workflow whose commands exist', (_, text) => {
  const document = parseDocument(text, { prettyErrors: false })
  expect([...document.errors, ...document.warnings]).toEqual([])
  const { on, jobs } = document.toJS() as Workflow
  expect(on === undefined).toBe(!text.includes('\non:'))
  for (const job of Object.values(jobs)) {
    expect(job['runs-on']).not.toBe('')
    expect(job.steps.flatMap(({ run }) => (run === undefined ? [] : faultsOf(run)))).toEqual([])
    // An action that is not pinned changes by itself.
    for (const { uses, run } of job.steps) expect(uses ?? run).toMatch(run ? /./ : /^[\w-]+\/[\w-]+@v\d+$/)
  }
})
