import { chmod, cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rolldown, type InputOptions, type OutputAsset, type OutputChunk } from 'rolldown'
import manifest from '../package.json' with { type: 'json' }
import { replaceBuiltinImports } from './build/builtins.ts'
import { noticesFile, noticesOf } from './build/notices.ts'
import { patchPackages } from './build/patches.ts'
import { inputsDigest, isBuilt } from './inputs.ts'
import { dist, inputsFile, root } from './paths.ts'

/** Packages that cost too much to load at start; the code must reach them through `import()`. */
const lazyPackages = [
  'undici',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/server',
  '@hono/node-server',
  'ajv',
  'commander',
  'marked',
  'file-type',
  'jpeg-js',
  'omggif',
  'pngjs',
  'yaml',
  'ai',
  '@ai-sdk/openai-compatible',
  '@ai-sdk/anthropic',
]

/** What only a command that opens a workspace has use for. */
const workspacePackages = ['zod', 'react', 'ink']

/** Rules that read and write YAML, apart from the others: the package takes as long to load as all of them. */
const YAML_RULES = new RegExp(
  String.raw`/src/(lib/yaml/|domain/(documents/(document|export|plan|send|store)|servers/files/(exporting|importing)` +
    String.raw`|environments/environment-file` +
    String.raw`|suites/(case-faults|case-form|refusal-problems|save-elsewhere|suite-file|suite-store|sync-)))`,
)

/** The MCP reference server, which the Sandbox starts as a program of its own. */
const everything = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist')

/**
 * Each file costs a start a quarter of a millisecond, so what loads together is one: the command line, the few
 * words that it shares with the service, what starts a server's program, whatever opens a workspace, what the
 * screens declare, the rules that commands need as well, what draws, and the local workspace's service.
 */
const CHUNKS = [
  { name: 'start', tags: ['$initial' as const] },
  {
    name: 'reach',
    test: new RegExp(String.raw`/src/(cli/(workspace/unsaved-reach|try/try-command)|tui/theme/theme-choice)\.ts$`),
  },
  { name: 'command-line', test: /\/src\/cli\/commands\/server-commands\.ts$/ },
  {
    name: 'words',
    test: new RegExp(
      String.raw`/src/(service/(faults/kinds|core/(limits|urls)|workspace/answer-shapes)|cli/nouns/nouns` +
        String.raw`|api/contract/(choices|endpoint)|domain/(servers/(reach|pairs|files/export-formats)` +
        String.raw`|suites/duplicates)|lib/split-command|tui/theme/badge-colours)\.ts$`,
    ),
  },
  { name: 'open', test: /\/src\/cli\/dashboard\/open-command\.ts$/ },
  {
    name: 'registry',
    // All of zod, or what the protocol library alone has of it brings the screens along.
    test: new RegExp(
      String.raw`/src/(app/shell/all-bindings|tui/keymap/overrides|cli/nouns/states)\.ts$|/node_modules/zod/`,
    ),
  },
  {
    name: 'rules',
    test: (id: string) => /\/src\/(api\/client|domain|lib|tui\/theme)\/.*\.ts$/.test(id) && !YAML_RULES.test(id),
  },
  { name: 'documents', test: YAML_RULES },
  { name: 'service', test: /\/src\/service\/workspace\/service\.ts$/ },
  { name: 'workspace', test: /\/src\/cli\/(verbs\/servers|workspace\/(in-workspace|unsaved-server))\.ts$/ },
  { name: 'screens', test: /\/src\/screens\/[^/]+\/screen\.tsx$/ },
]

const shared = {
  cwd: root,
  platform: 'node',
  transform: { target: 'node22.19', define: { 'process.env.NODE_ENV': '"production"' } },
  resolve: {
    alias: {
      // What it calls its main file loads the others in a way that no bundler follows.
      'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
    },
  },
  logLevel: 'warn',
  // "use client" means nothing in a terminal program.
  checks: { moduleLevelDirective: false },
} satisfies InputOptions

/** The file an old Node must still be able to read, apart from everything else. */
const bootInput: InputOptions = {
  ...shared,
  input: join(root, 'src/boot.ts'),
  transform: { ...shared.transform, target: 'node12' },
  plugins: [replaceBuiltinImports()],
}

/** What `boot.js` loads by itself, with its code as V8 compiled it before; hence no modules, which cannot be. */
const appInput: InputOptions = {
  ...shared,
  input: { main: join(root, 'src/main.tsx') },
  plugins: [patchPackages(), replaceBuiltinImports()],
}

/** The thread that executes runs: in a bundle of its own, since shared chunks would bring it the screen's code too. */
const threadInput: InputOptions = {
  ...shared,
  input: { 'run-thread': join(root, 'src/service/runs/thread/thread.ts') },
  plugins: [patchPackages(), replaceBuiltinImports()],
}

/** The thread that ends a program that does not respond; it loads next to nothing. */
const watchdogInput: InputOptions = {
  ...shared,
  input: { 'watchdog-thread': join(root, 'src/tui/terminal/watchdog-thread.ts') },
  plugins: [replaceBuiltinImports()],
}

/** The thread for what came from outside and may never end. */
const untrustedInput: InputOptions = {
  ...threadInput,
  input: { 'untrusted-thread': join(root, 'src/lib/untrusted/thread.ts') },
}

/** Its stdio half alone: what serves over HTTP would be more than all the rest. */
const everythingInput: InputOptions = { ...shared, input: { index: join(everything, 'transports/stdio.js') } }

/** What a build produced: sizes in bytes, duration in milliseconds. */
export type BuildResult = { files: readonly { name: string; bytes: number }[]; milliseconds: number }

/**
 * Bundles the program into `dist`. The old `dist` stays whole until the new one is complete.
 * @throws when the source does not bundle, or when a lazy package would load at start.
 */
export async function build(): Promise<BuildResult> {
  const started = performance.now()
  const digest = inputsDigest()
  const fresh = await mkdtemp(join(root, 'node_modules/.mcpdeck-dist-'))
  try {
    const inputs = [bootInput, appInput, threadInput, watchdogInput, untrustedInput]
    const [boot = [], app = [], thread = [], ...others] = await Promise.all(inputs.map(input => bundle(input, fresh)))
    assertChunks(app)
    assertLazy('main.cjs', app, [...lazyPackages, ...workspacePackages])
    assertLazy('run-thread.js', thread, lazyPackages)
    for (const commands of ['/src/cli/commands.ts', '/src/cli/commands/server-commands.ts'])
      assertLazy(chunkOf(app, commands), app, [
        ...lazyPackages.filter(name => name !== 'commander'),
        ...workspacePackages,
      ])
    assertLazy(chunkOf(app, '/node_modules/@modelcontextprotocol/client/'), app, ['react', 'ink'])
    // It reads its documents from the folder beside the one that it lies in.
    const reference = await bundle(everythingInput, join(fresh, 'server-everything/dist'))
    await cp(join(everything, 'docs'), join(fresh, 'server-everything/docs'), { recursive: true })
    await addShebang(join(fresh, 'boot.js'))
    // As npm installs it; the archives of the executables hold it too.
    await writeFile(join(fresh, 'mcpdeck.1'), await manualPage())
    await writeFile(join(fresh, noticesFile), noticesOf(modulesOf([boot, app, thread, reference, ...others].flat())))
    await writeFile(join(fresh, inputsFile), digest)
    await chmod(fresh, 0o755)
    await replaceDist(fresh)
    const files = [...boot, ...app, ...thread, ...others.flat()].map(output => ({
      name: output.fileName,
      bytes: sizeOf(output),
    }))
    return { files, milliseconds: performance.now() - started }
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

/** The manual page, from what the commands declare. */
async function manualPage(): Promise<string> {
  const [{ buildProgram }, { manPage }] = await Promise.all([
    import('../src/cli/commands.ts'),
    import('../src/cli/man/man-page.ts'),
  ])
  return manPage(buildProgram({ version: manifest.version, dashboard: async () => undefined }).program)
}

async function bundle(input: InputOptions, dir: string) {
  await using bundler = await rolldown(input)
  const [format, ending] = input === appInput ? (['cjs', 'cjs'] as const) : (['esm', 'js'] as const)
  const { output } = await bundler.write({
    dir,
    format,
    // What boot.js loads has `require` alone.
    dynamicImportInCjs: false,
    // One other character makes V8 keep the whole file with two bytes for each.
    charset: 'ascii',
    minify: true,
    codeSplitting: { groups: CHUNKS },
    entryFileNames: `[name].${ending}`,
    chunkFileNames: `[name]-[hash].${ending}`,
  })
  return output
}

/** The file that a module of this path went into. */
function chunkOf(output: readonly (OutputChunk | OutputAsset)[], path: string): string {
  const found = output.find(item => item.type === 'chunk' && item.moduleIds.some(id => id.includes(path)))
  if (!found) throw new Error(`nothing of ${path} was built`)
  return found.fileName
}

/** Refuses a chunk without what it is named after, such as a file that was moved meanwhile. */
function assertChunks(output: readonly (OutputChunk | OutputAsset)[]): void {
  const names = output.map(item => (item.type === 'chunk' ? item.name : ''))
  const missing = CHUNKS.map(({ name }) => name).filter(name => !names.includes(name))
  if (missing.length > 0)
    throw new Error(`nothing is in ${missing.join(', ')} any more; see CHUNKS in scripts/build.ts`)
}

/** Walks what loads together with an entry and refuses packages that belong behind `import()`. */
function assertLazy(entry: string, output: readonly (OutputChunk | OutputAsset)[], packages: readonly string[]): void {
  const chunks = new Map(output.filter(item => item.type === 'chunk').map(chunk => [chunk.fileName, chunk]))
  const atStart = new Set([entry])
  for (const name of atStart) for (const next of chunks.get(name)?.imports ?? []) atStart.add(next)
  const modules = [...atStart].flatMap(name => chunks.get(name)?.moduleIds ?? [])
  const eager = packages.filter(name => modules.some(id => id.includes(`/node_modules/${name}/`)))
  if (eager.length > 0)
    throw new Error(`${eager.join(', ')} would load with ${entry}; reach it through import() instead`)
}

/** Every module of which something is in the output. */
function modulesOf(output: readonly (OutputChunk | OutputAsset)[]): string[] {
  return output.flatMap(item => (item.type === 'chunk' ? item.moduleIds : []))
}

async function replaceDist(fresh: string): Promise<void> {
  await rm(dist, { recursive: true, force: true })
  try {
    await rename(fresh, dist)
  } catch (error) {
    // A second build of the same source got there first; its result is as good.
    if (!isBuilt()) throw error
  }
}

async function addShebang(file: string): Promise<void> {
  await writeFile(file, `#!/usr/bin/env node\n${await readFile(file, 'utf8')}`)
  await chmod(file, 0o755)
}

function sizeOf(output: OutputChunk | OutputAsset): number {
  return Buffer.byteLength(output.type === 'chunk' ? output.code : output.source)
}

if (import.meta.main) {
  const { files, milliseconds } = await build()
  for (const { name, bytes } of files) console.log(`${(bytes / 1024).toFixed(1).padStart(9)} KB  dist/${name}`)
  console.log(`built in ${Math.round(milliseconds)} ms`)
}
