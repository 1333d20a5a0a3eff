import { chmod, cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rolldown, type InputOptions, type OutputAsset, type OutputChunk } from 'rolldown'
import manifest from '../package.json' with { type: 'json' }
import { replaceBuiltinImports } from './build/builtins.ts'
import { noticesFile, noticesOf } from './build/notices.ts'
import { patchPackages } from './build/patches.ts'
import { rawTexts } from './build/raw.ts'
import { inputsDigest, isBuilt } from './inputs.ts'
import { dist, inputsFile, root } from './paths.ts'

/** Packages that are too slow to load at start; the code must load them with `import()`. */
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

/** Packages that only a command with a workspace needs. */
const workspacePackages = ['zod', 'react', 'ink']

/** Rules that read and write YAML, in their own chunk: the package takes as long to load as all the others. */
const YAML_RULES = new RegExp(
  String.raw`/src/(lib/yaml/|domain/(documents/(document|export|plan|send|store)|servers/(files/(exporting|importing)` +
    String.raw`|skill-text)|environments/environment-file` +
    String.raw`|suites/(case-faults|case-form|refusal-problems|save-elsewhere|suite-file|suite-store|sync-)))`,
)

/** Rules that commands need as well, and the routes of screens, with which commands read and print locators. */
const RULES = /\/src\/((api\/client|domain|lib|tui\/theme)\/.*|screens\/([^/]+\/route|now\/place-of))\.ts$/

/** The MCP reference server, which the Sandbox starts as a separate program. */
const everything = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist')

/**
 * Each file costs a start a quarter of a millisecond, so code that loads together is one chunk: the command line, the
 * few words that it shares with the service, the starting of a server's program, code that opens a workspace, the
 * declarations of screens, the rules that commands need as well, drawing, and the local workspace's service.
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
        String.raw`|api/contract/(choices|endpoint)|domain/(servers/(reach|pairs` +
        String.raw`|files/(export-formats|edited-programs))|suites/duplicates)` +
        String.raw`|lib/split-command|tui/theme/badge-colours)\.ts$`,
    ),
  },
  { name: 'open', test: /\/src\/cli\/dashboard\/open-command\.ts$/ },
  {
    name: 'registry',
    // All of zod; otherwise the part that only the protocol library uses would pull in the screens.
    test: new RegExp(
      String.raw`/src/(app/shell/all-bindings|tui/keymap/overrides|cli/nouns/states)\.ts$|/node_modules/zod/`,
    ),
  },
  { name: 'rules', test: (id: string) => RULES.test(id) && !YAML_RULES.test(id) },
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
      // The main file of jsonc-parser loads its other files in a way that bundlers cannot follow.
      'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
    },
  },
  logLevel: 'warn',
  // "use client" means nothing in a terminal program.
  checks: { moduleLevelDirective: false },
} satisfies InputOptions

/** The file that an old Node must still be able to parse, separate from everything else. */
const bootInput: InputOptions = {
  ...shared,
  input: join(root, 'src/boot.ts'),
  transform: { ...shared.transform, target: 'node12' },
  plugins: [replaceBuiltinImports()],
}

/**
 * Code that `boot.js` loads itself, with the code that V8 compiled for it in an earlier start. It is not built as
 * modules, which do not support that.
 */
const appInput: InputOptions = {
  ...shared,
  input: { main: join(root, 'src/main.tsx') },
  plugins: [patchPackages(), replaceBuiltinImports(), rawTexts()],
}

/** The thread that executes runs: in its own bundle, since shared chunks would also load the screen's code. */
const threadInput: InputOptions = {
  ...shared,
  input: { 'run-thread': join(root, 'src/service/runs/thread/thread.ts') },
  plugins: [patchPackages(), replaceBuiltinImports()],
}

/** The thread that ends a program that does not respond; it loads almost nothing. */
const watchdogInput: InputOptions = {
  ...shared,
  input: { 'watchdog-thread': join(root, 'src/tui/terminal/watchdog-thread.ts') },
  plugins: [replaceBuiltinImports()],
}

/** The thread for work on data from outside that may never end. */
const untrustedInput: InputOptions = {
  ...threadInput,
  input: { 'untrusted-thread': join(root, 'src/lib/untrusted/thread.ts') },
}

/** Only the stdio part of the reference server: the part that serves HTTP would be larger than everything else. */
const everythingInput: InputOptions = { ...shared, input: { index: join(everything, 'transports/stdio.js') } }

/** The files of a build: sizes in bytes, duration in milliseconds. */
export type BuildResult = { files: readonly { name: string; bytes: number }[]; milliseconds: number }

/**
 * Bundles the program into `dist`. The old `dist` stays complete until the new one is.
 * @throws if the source does not bundle, or if a lazy package would load at start.
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
    for (const served of ['/node_modules/@modelcontextprotocol/client/', '/src/cli/mcp/serve-mcp.ts'])
      assertLazy(chunkOf(app, served), app, ['react', 'ink'])
    // The reference server reads its documents from the folder next to its own.
    const reference = await bundle(everythingInput, join(fresh, 'server-everything/dist'))
    await cp(join(everything, 'docs'), join(fresh, 'server-everything/docs'), { recursive: true })
    await addShebang(join(fresh, 'boot.js'))
    // The manual page, as npm installs it; the archives of the executables contain it too.
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

/** Returns the manual page, from the declared commands. */
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
    // boot.js loads it with `require` only.
    dynamicImportInCjs: false,
    // A single non-ASCII character makes V8 store the whole file with two bytes per character.
    charset: 'ascii',
    minify: true,
    codeSplitting: { groups: CHUNKS },
    entryFileNames: `[name].${ending}`,
    chunkFileNames: `[name]-[hash].${ending}`,
  })
  return output
}

/** Returns the file that contains the module with this path. */
function chunkOf(output: readonly (OutputChunk | OutputAsset)[], path: string): string {
  const found = output.find(item => item.type === 'chunk' && item.moduleIds.some(id => id.includes(path)))
  if (!found) throw new Error(`nothing of ${path} was built`)
  return found.fileName
}

/** Refuses a chunk without the module that it is named after, for example because the file was moved. */
function assertChunks(output: readonly (OutputChunk | OutputAsset)[]): void {
  const names = output.map(item => (item.type === 'chunk' ? item.name : ''))
  const missing = CHUNKS.map(({ name }) => name).filter(name => !names.includes(name))
  if (missing.length > 0)
    throw new Error(`nothing is in ${missing.join(', ')} any more; see CHUNKS in scripts/build.ts`)
}

/** Follows everything that loads together with an entry, and refuses packages that must be loaded with `import()`. */
function assertLazy(entry: string, output: readonly (OutputChunk | OutputAsset)[], packages: readonly string[]): void {
  const chunks = new Map(output.filter(item => item.type === 'chunk').map(chunk => [chunk.fileName, chunk]))
  const atStart = new Set([entry])
  for (const name of atStart) for (const next of chunks.get(name)?.imports ?? []) atStart.add(next)
  const modules = [...atStart].flatMap(name => chunks.get(name)?.moduleIds ?? [])
  const eager = packages.filter(name => modules.some(id => id.includes(`/node_modules/${name}/`)))
  if (eager.length > 0)
    throw new Error(`${eager.join(', ')} would load with ${entry}; reach it through import() instead`)
}

/** Returns every module that is part of the output. */
function modulesOf(output: readonly (OutputChunk | OutputAsset)[]): string[] {
  return output.flatMap(item => (item.type === 'chunk' ? item.moduleIds : []))
}

async function replaceDist(fresh: string): Promise<void> {
  await rm(dist, { recursive: true, force: true })
  try {
    await rename(fresh, dist)
  } catch (error) {
    // Another build of the same source finished first; its result is as good.
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
